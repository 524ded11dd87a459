//! Parts of entities that reads must return as written and that the switch does not store.
//!
//! Source: P4Runtime specification, "Read-Write Symmetry".

use crate::proto::p4::v1;
use p4_switch::control::EntryKey;
use std::collections::BTreeMap;

/// Client data of the switch's entries, groups and sessions. Data of an entry that does not exist is ignored.
#[derive(Clone, Debug, Default)]
pub(crate) struct AsWritten {
    /// By table id and key; the key of a default entry is `None`.
    pub(crate) entries: BTreeMap<(u32, Option<EntryKey>), EntryNotes>,
    /// Multicast groups as written.
    pub(crate) groups: BTreeMap<u32, v1::MulticastGroupEntry>,
    /// Clone sessions as written.
    pub(crate) sessions: BTreeMap<u32, v1::CloneSessionEntry>,
}

/// The parts of a table entry that only its client uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EntryNotes {
    /// The deprecated cookie.
    pub(crate) controller_metadata: u64,
    /// The default entry's metadata.
    pub(crate) metadata: Vec<u8>,
    /// The timeout, if it exceeds the switch's maximum; otherwise 0.
    pub(crate) long_timeout_ns: i64,
    /// The `action_selection_mode` of a one-shot action set.
    pub(crate) selection_mode: i32,
    /// The `size_semantics` of a one-shot action set.
    pub(crate) size_semantics: i32,
}

impl AsWritten {
    /// Returns the client data of an entry.
    pub(crate) fn notes(&self, table: u32, key: Option<&EntryKey>) -> EntryNotes {
        if self.entries.is_empty() {
            return EntryNotes::default();
        }
        self.entries.get(&(table, key.cloned())).cloned().unwrap_or_default()
    }

    /// Sets the client data of an entry; removes it if it is the default.
    pub(crate) fn set_notes(&mut self, table: u32, key: Option<&EntryKey>, notes: EntryNotes) {
        let at = (table, key.cloned());
        if notes == EntryNotes::default() {
            self.entries.remove(&at);
        } else {
            self.entries.insert(at, notes);
        }
    }
}
