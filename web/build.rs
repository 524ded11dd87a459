//! Embeds a dashboard that was built since the last compilation.
//!
//! Cargo takes a watched path that does not exist as changed, so while there is no `ui/dist` its parent is
//! watched: the directory appearing there is then a change, and nothing else costs a rebuild.

fn main() {
    let built = std::path::Path::new("ui/dist").exists();
    println!("cargo:rerun-if-changed={}", if built { "ui/dist" } else { "ui" });
    println!("cargo:rerun-if-changed=build.rs");
}
