//! Compiles the protocol's `.proto` files to Rust without `protoc`, and keeps their descriptors for the text format.

#![allow(clippy::disallowed_methods, reason = "a build script writes what it generates")]

use prost::Message;
use std::path::PathBuf;

/// Large messages of the `Entity` choice are boxed so that an entity is small: a register read has tens of thousands.
const BOXED: [&str; 7] = [
    ".p4.v1.Entity.entity.extern_entry",
    ".p4.v1.Entity.entity.table_entry",
    ".p4.v1.Entity.entity.action_profile_member",
    ".p4.v1.Entity.entity.action_profile_group",
    ".p4.v1.Entity.entity.meter_entry",
    ".p4.v1.Entity.entity.direct_meter_entry",
    ".p4.v1.Entity.entity.direct_counter_entry",
];

/// The message of which a read of registers has hundreds, and the type that stands for it.
const READ_RESPONSE: (&str, &str) = (".p4.v1.ReadResponse", "crate::read_response::ReadResponse");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile(
        ["p4/v1/p4runtime.proto", "google/rpc/status.proto", "p4switch/v1/device_state.proto"],
        ["proto"],
    )?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    // Its own type holds entities that are encoded already.
    let mut builder = tonic_prost_build::configure().extern_path(READ_RESPONSE.0, READ_RESPONSE.1);
    for path in BOXED {
        builder = builder.boxed(path);
    }
    builder.compile_fds(descriptors)?;
    Ok(())
}
