//! Tables: entries as the control plane sees them and the structures that find one for a packet.

pub(crate) mod entries;
pub(crate) mod key;
pub(crate) mod matcher;

pub(crate) use entries::{EntryId, ReadyCall, Table, Target};
