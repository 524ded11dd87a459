//! One host of a scenario on a real interface, in wall-clock time: a RoCEv2 endpoint for networks without RDMA hardware.
//!
//! The NIC is the fabric's: messages, windows, DCQCN, pauses obeyed and, with a fault, sent. The process builds the
//! whole scenario, as all others of the same network do, so that queue pairs and addresses agree; but only its own host
//! has traffic, and each switch is a [`portal::Portal`] to the interface.

mod control;
mod portal;
mod run;

pub(crate) use control::{FlowState, Request, request};
pub(crate) use run::{NicOptions, run, unix_ns};
