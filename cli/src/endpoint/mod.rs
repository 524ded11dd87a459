//! A RoCEv2 endpoint on a real interface in wall-clock time: the loop, its requests and its neighbours. The protocol is
//! in the crate `nic`.

mod neighbours;
mod request;
mod run;

pub(crate) use neighbours::{Neighbour, Neighbours};
pub(crate) use request::fault_argument;
pub(crate) use run::{EndpointOptions, run};
