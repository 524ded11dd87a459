//! Messages and services generated from `proto/`, under their protobuf package names.

#![allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all, reason = "generated code")]
#![allow(rustdoc::invalid_html_tags, reason = "generated code")]

/// Package `google.rpc`.
pub mod google {
    pub mod rpc {
        tonic::include_proto!("google.rpc");
    }
}

/// Packages `p4.config.v1` and `p4.v1`.
pub mod p4 {
    pub mod config {
        pub mod v1 {
            tonic::include_proto!("p4.config.v1");
        }
    }
    pub mod v1 {
        pub use crate::read_response::ReadResponse;
        tonic::include_proto!("p4.v1");
    }
}

/// Package `p4switch.v1`: what this project adds.
pub mod p4switch {
    pub mod v1 {
        tonic::include_proto!("p4switch.v1");
    }
}

/// The encoded `FileDescriptorSet` of all of `proto/`.
pub static DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
