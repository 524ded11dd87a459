//! What the protocol must give back as it was written although the switch has no use for it.
//!
//! Source: P4Runtime specification, "Read-Write Symmetry".

use crate::proto::p4::v1;
use p4_switch::control::EntryKey;
use std::collections::BTreeMap;

/// Notes on the switch's entries. A note without its entry is ignored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book {
    /// By table id and key; without a key for the default entry.
    pub(crate) entries: BTreeMap<(u32, Option<EntryKey>), EntryNotes>,
    /// Multicast groups as written.
    pub(crate) groups: BTreeMap<u32, v1::MulticastGroupEntry>,
    /// Clone sessions as written.
    pub(crate) sessions: BTreeMap<u32, v1::CloneSessionEntry>,
}

/// What a table entry carries for its client alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EntryNotes {
    /// The deprecated cookie.
    pub(crate) controller_metadata: u64,
    /// The default entry's metadata.
    pub(crate) metadata: Vec<u8>,
    /// The timeout, where it is longer than the switch counts.
    pub(crate) long_timeout_ns: i64,
    /// How a one-shot group asked its member to be chosen.
    pub(crate) selection_mode: i32,
    /// How a one-shot group asked its size to be counted.
    pub(crate) size_semantics: i32,
}

impl Book {
    /// The notes on an entry.
    pub(crate) fn notes(&self, table: u32, key: Option<&EntryKey>) -> EntryNotes {
        if self.entries.is_empty() {
            return EntryNotes::default();
        }
        self.entries.get(&(table, key.cloned())).cloned().unwrap_or_default()
    }

    /// Sets or forgets the notes on an entry.
    pub(crate) fn set_notes(&mut self, table: u32, key: Option<&EntryKey>, notes: EntryNotes) {
        let at = (table, key.cloned());
        if notes == EntryNotes::default() {
            self.entries.remove(&at);
        } else {
            self.entries.insert(at, notes);
        }
    }
}
