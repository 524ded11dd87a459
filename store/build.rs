//! Recompiles when a migration is added, although no Rust file changes with it.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
