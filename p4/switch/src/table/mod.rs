//! Tables: their entries, and the structures that look up the entry for a packet.

pub(crate) mod entries;
mod exact;
mod intervals;
pub(crate) mod key;
mod lpm;
pub(crate) mod matcher;
mod priority;

pub(crate) use entries::{EntryTarget, ResolvedCall, Table};
