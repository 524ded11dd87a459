//! Messages and services generated from `proto/`.

#![allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all, reason = "generated code")]
#![allow(deprecated, reason = "older devices send deprecated fields")]
#![allow(rustdoc::invalid_html_tags, reason = "generated code")]

/// Package `gnmi`.
pub mod gnmi {
    tonic::include_proto!("gnmi");
}

/// Package `gnmi_ext`.
pub mod gnmi_ext {
    tonic::include_proto!("gnmi_ext");
}

pub use gnmi::*;
