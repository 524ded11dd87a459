//! Configuration findings: settings of a switch that deviate from what its network needs.

use serde::{Deserialize, Serialize};

use crate::PortRef;

/// A setting of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// The share of the shared buffer that a lossless priority group may use before it sends a pause (alpha, or a
    /// fixed limit).
    Alpha,
    /// Buffer for packets that still arrive after a pause was sent.
    Headroom,
    /// The priorities for which PFC is enabled.
    Lossless,
    /// The priority of a code point.
    Dscp,
    /// How far below its threshold a paused group resumes its sender.
    XonOffset,
    /// The queue depths at which packets are ECN-marked.
    Ecn,
    /// The egress ports for a host.
    Route,
}

impl Setting {
    /// All settings.
    pub const ALL: [Setting; 7] = [
        Setting::Alpha,
        Setting::Headroom,
        Setting::Lossless,
        Setting::Dscp,
        Setting::XonOffset,
        Setting::Ecn,
        Setting::Route,
    ];

    /// Returns the setting with this name.
    pub fn named(name: &str) -> Option<Setting> {
        Setting::ALL.into_iter().find(|setting| setting.name() == name)
    }

    /// The name in the ids of findings.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Alpha => "alpha",
            Setting::Headroom => "headroom",
            Setting::Lossless => "lossless",
            Setting::Dscp => "dscp",
            Setting::XonOffset => "xon_offset",
            Setting::Ecn => "ecn",
            Setting::Route => "route",
        }
    }
}

/// How the configured value differs from the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// It is smaller.
    Less,
    /// It is larger.
    More,
    /// It is different.
    Different,
}

/// A deviation of a switch's configuration from what its network needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConfigFinding {
    /// `switch/setting`, e.g. `leaf1/headroom`; for a rule of `harrier check`, `switch/CODE`, or `switch:port/CODE`
    /// for a finding about a port, e.g. `leaf1:5/PG004`. Diagnoses refer to it.
    pub id: String,
    /// The switch.
    pub switch: String,
    /// The port, for a finding about a port.
    pub port: Option<u16>,
    /// The setting.
    pub setting: Setting,
    /// The direction of the deviation.
    pub deviation: Deviation,
    /// The message: the configured value and the expected one.
    pub message: String,
    /// The fix.
    pub fix: String,
}

impl ConfigFinding {
    /// Creates a finding about `switch`, named after the switch and the setting.
    pub fn new(
        switch: &str,
        setting: Setting,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> ConfigFinding {
        ConfigFinding {
            id: format!("{switch}/{}", setting.name()),
            switch: switch.to_string(),
            port: None,
            setting,
            deviation: Deviation::Different,
            message: message.into(),
            fix: fix.into(),
        }
    }

    /// Returns the finding with the id of a rule of `harrier check`, at `port` or at the switch as a whole.
    pub fn by_rule(self, code: &str, port: Option<u16>) -> ConfigFinding {
        let at = port.map_or(self.switch.clone(), |port| PortRef::new(&self.switch, port).to_string());
        ConfigFinding { id: format!("{at}/{code}"), port, ..self }
    }

    /// Returns what the finding is about, `switch/setting`, independent of the rule that reported it.
    pub fn place(&self) -> String {
        format!("{}/{}", self.switch, self.setting.name())
    }
}
