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
        // Addresses that the loader adjusts are a bitmap instead of 24 bytes each: 1.8 MB less. The loader of glibc knows it from
        // 2.36 on, and an older one refuses the binary with a message.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
