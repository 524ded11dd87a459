//! Options of the linker for what is shipped.

#![allow(clippy::disallowed_methods, reason = "Cargo states the target in variables")]

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Rust links with LLD on this target by default; GNU ld does not know the option.
    let has_lld = is("CARGO_CFG_TARGET_ARCH", "x86_64")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu");
    if has_lld && is("PROFILE", "release") {
        // Generic code has many instances of the same instructions; one of each is kept. Rust does not promise that functions
        // have different addresses.
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}
