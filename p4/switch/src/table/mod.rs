//! Tables: entries as the control plane sees them and the structures that find one for a packet.

pub(crate) mod entries;
mod exact;
mod intervals;
pub(crate) mod key;
mod lpm;
pub(crate) mod matcher;
mod priority;

pub(crate) use entries::{ReadyCall, Table, Target};
