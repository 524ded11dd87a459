//! P4Runtime: the protocol's messages, a server over a `p4_switch`, and a client.

pub mod proto;
