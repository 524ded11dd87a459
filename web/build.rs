//! Recompiles when the dashboard was built since the last compilation, so that the new one is embedded.
//!
//! Cargo treats a watched path that does not exist as changed on every build. While there is no `ui/dist`, its parent
//! directory is watched instead; it changes when `ui/dist` is created.

fn main() {
    let built = std::path::Path::new("ui/dist").exists();
    println!("cargo:rerun-if-changed={}", if built { "ui/dist" } else { "ui" });
    println!("cargo:rerun-if-changed=build.rs");
}
