//! harrier.v1: the protocol between agents, controllers, watchers and the server.
//!
//! - [`v1`]: messages and the service, generated from `proto/harrier/v1`.
//! - [`version`]: negotiation of the protocol's version.
//! - [`limits`]: limits of everything that a peer can send.
//! - [`convert`]: between messages and the types of `model`; checks what a peer sends.
//! - [`counter_verdict`]: checks verdicts from counters.
//! - [`event_ids`]: who may use which event id.
//! - [`spool`]: records that wait for their acknowledgement, with a form on disk that tolerates a torn end.
//! - [`clock`]: the offset of a sender's clock.
//! - [`backoff`]: delays between attempts to connect.
//!
//! All of it is pure except the generated client and server, which belong to the daemons.

pub mod backoff;
pub mod clock;
pub mod convert;
pub mod counter_verdict;
pub mod event_ids;
pub mod limits;
pub mod spool;
pub mod version;

/// Package `harrier.v1`.
pub mod v1 {
    #![allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all, reason = "generated code")]
    #![allow(rustdoc::invalid_html_tags, reason = "generated code")]

    tonic::include_proto!("harrier.v1");
}
