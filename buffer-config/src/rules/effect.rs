//! How a diagnosis may use a rule's findings: which setting they concern, or why they are not used for attribution.
//!
//! How a wrong setting affects traffic, and where that must be observed before a diagnosis cites the finding, is
//! decided in the analyzer (`causes/misconfiguration.rs`).

use model::Setting;
use model::config_finding::Deviation;

/// The effect of a rule's findings on traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The setting that is wrong.
    pub setting: Setting,
    /// The direction of the deviation, unless the finding states a more precise one.
    pub deviation: Deviation,
    /// The consequence, as a phrase for the rule's page.
    pub why: &'static str,
}

/// Whether a diagnosis may name a rule's finding as root cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribution {
    /// It may, if the effect is observed.
    Observable(Effect),
    /// It never does, for this reason.
    NotUsed(&'static str),
}

impl Attribution {
    /// The effect that a diagnosis can observe; `None` if the findings are not used for attribution.
    pub fn effect(self) -> Option<Effect> {
        match self {
            Self::Observable(effect) => Some(effect),
            Self::NotUsed(_) => None,
        }
    }
}

/// The effect of findings of the rule with this code; `None` if diagnoses do not use them or the code is unknown.
pub fn of(code: &str) -> Option<Effect> {
    super::all().find(|rule| rule.meta.code == code).and_then(|rule| rule.meta.effect.effect())
}

const fn observable(setting: Setting, deviation: Deviation, why: &'static str) -> Attribution {
    Attribution::Observable(Effect { setting, deviation, why })
}

pub(super) const HEADROOM_TOO_SMALL: Attribution = observable(
    Setting::Headroom,
    Deviation::Less,
    "the headroom is smaller than what still arrives after a pause was sent",
);
pub(super) const HEADROOM_FOR_ANOTHER_LINK: Attribution =
    observable(Setting::Headroom, Deviation::Different, "the headroom is not computed for the actual link");
pub(super) const ALPHA_TOO_LOW: Attribution = observable(
    Setting::Alpha,
    Deviation::Less,
    "lossless priority groups pause at a lower buffer occupancy than intended",
);
pub(super) const ALPHA_NOT_AS_INTENDED: Attribution = observable(
    Setting::Alpha,
    Deviation::Different,
    "lossless priority groups pause at another buffer occupancy than intended",
);
pub(super) const NOT_LOSSLESS: Attribution = observable(
    Setting::Lossless,
    Deviation::Less,
    "a class that is lossless on the neighbours is not lossless on this switch",
);
pub(super) const MIXED_CLASSES: Attribution = observable(
    Setting::Lossless,
    Deviation::Different,
    "lossless and lossy traffic share a resource that must be separate",
);
pub(super) const DSCP_NOT_AS_INTENDED: Attribution = observable(
    Setting::Dscp,
    Deviation::Different,
    "code points map to another traffic class than on other switches",
);
pub(super) const XON_NOT_AS_INTENDED: Attribution = observable(
    Setting::XonOffset,
    Deviation::Different,
    "a paused priority group resumes at another buffer occupancy than intended",
);
pub(super) const ECN_NOT_AS_INTENDED: Attribution = observable(
    Setting::Ecn,
    Deviation::Different,
    "packets are marked at another queue depth than intended, or not at all",
);

pub(super) const FILE: Attribution = Attribution::NotUsed(
    "the finding concerns the file; its consequence is reported by the rule for the affected table",
);
pub(super) const NOT_PORT_SPECIFIC: Attribution =
    Attribution::NotUsed("orchagent rejects the configuration, or the effect is not specific to a port");
pub(super) const OVERSUBSCRIBED_MEMORY: Attribution = Attribution::NotUsed(
    "oversubscribed memory affects all classes equally, so drops cannot be attributed to one setting",
);
pub(super) const INFORMATIONAL: Attribution =
    Attribution::NotUsed("the finding is informational, or states that something cannot be verified");
pub(super) const WATCHDOG: Attribution =
    Attribution::NotUsed("a watchdog reacts to pauses that have another cause");
pub(super) const SCHEDULING: Attribution = Attribution::NotUsed(
    "scheduling decides which queue of a congested port is served, but does not congest the port",
);
pub(super) const LINK: Attribution =
    Attribution::NotUsed("the link is down or drops oversized frames, independently of congestion");
pub(super) const FLEET_DIFFERENCE: Attribution = Attribution::NotUsed(
    "the finding only states a difference; the rule for that setting describes its effect",
);
pub(super) const HOST: Attribution = Attribution::NotUsed("the finding concerns a host, not a switch");
pub(super) const CHANGE: Attribution =
    Attribution::NotUsed("the finding concerns a change, not the running configuration");
