//! Round trips of probes between agents: a mesh over all hosts of a network, whether or not they exchange data.
//!
//! The scopes follow Pingmesh (SIGCOMM 2015, section 3.3) and its use for RDMA ("RDMA over Commodity Ethernet at Scale",
//! SIGCOMM 2016, section 5.3): hosts of a ToR switch probe each other; between ToR switches, each pair of switches is
//! probed by one pair of hosts. [`peers()`] decides who probes whom, [`Prober`] when, and what a reply means,
//! [`Responder`] which requests are answered; [`packet`] is the format.
//!
//! A probe is a UDP packet with a 5-tuple of its own. Its round trips are those of this flow, so that a polling packet for
//! it follows the path of the probe.
//!
//! Probes over the RDMA transport of the NICs need the queue pairs of both hosts: [`hello`] is the format in which agents
//! exchange them, [`Offers`] the side of the prober, [`Acceptor`] that of its peers.

mod acceptor;
mod admission;
pub mod hello;
mod offers;
pub mod packet;
mod peers;
mod prober;
mod responder;

pub use acceptor::{Acceptance, Acceptor, AcceptorStats};
pub use hello::{Endpoint, Hello, Transport};
pub use offers::{Met, Offer, Offers};
pub use peers::{Peer, Peers, Scope, peers};
pub use prober::{Loss, Outcome, Probe, Prober, ProberSettings, RoundTrip, ScopeStats};
pub use responder::{Responder, ResponderStats};
