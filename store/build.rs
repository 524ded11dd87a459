//! A new migration must be compiled in, also when no Rust file changed.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
