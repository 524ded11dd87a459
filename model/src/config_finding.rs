//! Configuration findings: settings of a switch that deviate from what its network needs.

use serde::{Deserialize, Serialize};

use crate::PortRef;

/// A setting of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// How much of the shared memory a lossless priority group may take before it pauses (alpha, or a fixed limit).
    Alpha,
    /// Memory for what still arrives after a pause was sent.
    Headroom,
    /// For which priorities PFC is on.
    Lossless,
    /// Which priority a code point has.
    Dscp,
    /// How far below its threshold a paused group resumes.
    XonOffset,
    /// Where congestion is marked.
    Ecn,
    /// Where packets for a host are sent.
    Route,
}

impl Setting {
    /// Every one.
    pub const ALL: [Setting; 7] = [
        Setting::Alpha,
        Setting::Headroom,
        Setting::Lossless,
        Setting::Dscp,
        Setting::XonOffset,
        Setting::Ecn,
        Setting::Route,
    ];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Setting> {
        Setting::ALL.into_iter().find(|setting| setting.name() == name)
    }

    /// Its name in identifiers of findings.
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

/// How what is set compares with what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// It is less.
    Less,
    /// It is more.
    More,
    /// It is another one.
    Different,
}

/// Something about a switch's configuration that is not as its network needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConfigFinding {
    /// `switch/setting`, e.g. `leaf1/headroom`; of a rule of `harrier check`, `switch/CODE`, or `switch:port/CODE` where it
    /// is about a port, e.g. `leaf1:5/PG004`. Diagnoses refer to it.
    pub id: String,
    /// The switch.
    pub switch: String,
    /// The port, where it is about one.
    pub port: Option<u16>,
    /// What is set wrongly.
    pub setting: Setting,
    /// In which direction.
    pub deviation: Deviation,
    /// What is wrong, with the value that is set and the one that was expected.
    pub message: String,
    /// What to do.
    pub fix: String,
}

impl ConfigFinding {
    /// A finding about `switch`, named after the switch and the setting.
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

    /// The same, found at `port` (or at the switch as a whole) by the rule of `harrier check` with this code.
    pub fn by_rule(self, code: &str, port: Option<u16>) -> ConfigFinding {
        let at = port.map_or(self.switch.clone(), |port| PortRef::new(&self.switch, port).to_string());
        ConfigFinding { id: format!("{at}/{code}"), port, ..self }
    }

    /// What is set wrongly where, whoever found it: `switch/setting`.
    pub fn place(&self) -> String {
        format!("{}/{}", self.switch, self.setting.name())
    }
}
