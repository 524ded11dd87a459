//! Settings of a messaging library: online ones change while it runs, offline ones only before it starts (X-RDMA,
//! Table III).

use std::collections::BTreeMap;

use thiserror::Error;

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Whether it may change while the library runs.
    pub is_online: bool,
    /// What it does.
    pub meaning: &'static str,
}

const fn online(name: &'static str, meaning: &'static str) -> Setting {
    Setting { name, is_online: true, meaning }
}

const fn offline(name: &'static str, meaning: &'static str) -> Setting {
    Setting { name, is_online: false, meaning }
}

/// All settings of the table.
const SETTINGS: &[Setting] = &[
    online("keepalive_intv_ms", "time without traffic after which a connection is probed"),
    online("slow_threshold", "execution time from which a code segment is logged"),
    online("polling_warn_cycle", "time between two polls from which a gap is reported"),
    online("trace_sample_mask", "which messages are traced"),
    offline("use_srq", "shared receive queues"),
    offline("cq_size", "entries of a completion queue"),
    offline("srq_size", "entries of a shared receive queue"),
    offline("fork_safe", "support of fork"),
    offline("ibqp_alloc_type", "memory of queue pairs: huge pages, anonymous pages or malloc"),
    offline("small_msg_size", "size up to which a message is sent without asking for a buffer first"),
];

/// Why a setting was not changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// The setting does not exist.
    #[error("no setting `{name}`; expected one of {}", known())]
    Unknown {
        /// The name.
        name: String,
    },
    /// The setting is fixed once the library runs.
    #[error("`{name}` cannot change while the library runs; set it before the start")]
    Offline {
        /// The name.
        name: String,
    },
}

fn known() -> String {
    SETTINGS.iter().map(|setting| setting.name).collect::<Vec<_>>().join(", ")
}

/// The values of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<&'static str, u64>,
    is_running: bool,
}

impl Settings {
    /// All settings that exist.
    pub fn all() -> &'static [Setting] {
        SETTINGS
    }

    /// Starts the library: from now on only online settings change.
    pub fn start(&mut self) {
        self.is_running = true;
    }

    /// Changes a setting and returns its previous value, if it was set.
    ///
    /// # Errors
    /// The setting is unknown, or it is offline and the library runs. Nothing is changed then.
    pub fn set(&mut self, name: &str, value: u64) -> Result<Option<u64>, SettingError> {
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
        let setting = setting.ok_or_else(|| SettingError::Unknown { name: name.to_string() })?;
        if self.is_running && !setting.is_online {
            return Err(SettingError::Offline { name: name.to_string() });
        }
        Ok(self.values.insert(setting.name, value))
    }

    /// The value of a setting, if it is set.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.values.get(name).copied()
    }
}
