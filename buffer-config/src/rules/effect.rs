//! What the finding of a rule can do to traffic: which setting it is about, so that a diagnosis can ask whether the effect
//! of a wrong one shows.
//!
//! Every rule stands here once: whoever adds one decides. What a setting does to traffic, and where that must be seen
//! before it is blamed, is the analyzer's business (`causes/misconfiguration.rs`).

use model::Setting;
use model::config_finding::Deviation;

/// The effect of a rule's findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What is set wrongly.
    pub setting: Setting,
    /// In which direction, unless the finding knows better.
    pub deviation: Deviation,
    /// Why such a finding has that effect.
    pub why: &'static str,
}

/// Rules whose findings have an effect on traffic that can be told.
const SHOWN: &[(Effect, &[&str])] = &[
    (
        effect(
            Setting::Headroom,
            Deviation::Less,
            "less room than what still arrives after a pause was sent",
        ),
        &[
            "PG004", "PG005", "PG006", "PG007", "PG008", "PG015", "PG017", "PG018", "PG019", "PG021",
            "PG024", "PG025", "PG026", "FLEET004",
        ],
    ),
    (
        effect(
            Setting::Headroom,
            Deviation::Different,
            "headroom is computed from something else than the link",
        ),
        &["PG020", "LINK001", "LINK002", "LINK005", "BUF012"],
    ),
    (
        effect(Setting::Alpha, Deviation::Less, "lossless groups pause at less than was meant"),
        &["BUF029", "BUF033", "BUF041", "BUF043"],
    ),
    (
        effect(Setting::Alpha, Deviation::Different, "lossless groups pause elsewhere than was meant"),
        &["BUF008", "BUF009", "BUF011", "BUF022", "BUF039", "BUF045", "BUF046", "FLEET001"],
    ),
    (
        effect(
            Setting::Lossless,
            Deviation::Less,
            "a class that its neighbours keep lossless is not lossless here",
        ),
        &[
            "PFC001", "PFC002", "PFC003", "PFC005", "PFC006", "PFC007", "PFC010", "PG001", "PG002", "PG003",
            "PG010", "PG011", "BUF019", "BUF025", "BUF026", "BUF047", "BUF049", "ECN008", "FLEET003",
        ],
    ),
    (
        effect(
            Setting::Lossless,
            Deviation::Different,
            "lossless and lossy traffic share what must be apart",
        ),
        &["PFC004", "PFC012"],
    ),
    (
        effect(Setting::Dscp, Deviation::Different, "code points get another class than elsewhere"),
        &["MAP001", "MAP002", "MAP004", "MAP005", "MAP008", "PFC008"],
    ),
    (
        effect(Setting::XonOffset, Deviation::Different, "a paused group resumes elsewhere than was meant"),
        &["PG012", "PG013", "PG014", "PG016"],
    ),
    (
        effect(
            Setting::Ecn,
            Deviation::Different,
            "congestion is marked elsewhere than was meant, or not at all",
        ),
        &[
            "ECN001", "ECN002", "ECN003", "ECN004", "ECN005", "ECN006", "ECN007", "ECN009", "ECN011",
            "ECN013", "ECN014", "ECN015", "ECN018", "MAP006",
        ],
    ),
];

/// Rules whose findings no verdict can rest on, and why.
const NOT_SHOWN: &[(&str, &[&str])] = &[
    (
        "of the file itself: what it breaks is found by the rule of the table that is not read",
        &[
            "SRC001", "SRC003", "SRC004", "SRC005", "SRC006", "SRC009", "SRC010", "SRC011", "SRC012",
            "SRC013", "SRC014", "MAP003", "MAP007",
        ],
    ),
    (
        "of a pool or profile as such: nothing runs with it before it is repaired, or its effect is that of no one port",
        &[
            "BUF001", "BUF002", "BUF003", "BUF004", "BUF005", "BUF006", "BUF007", "BUF010", "BUF013",
            "BUF014", "BUF015", "BUF016", "BUF017", "BUF018", "BUF020", "BUF021", "BUF027", "BUF028",
            "BUF030", "BUF034", "BUF035", "BUF037", "BUF038", "BUF040",
        ],
    ),
    (
        "memory that is promised twice takes from all classes alike: its losses name no setting",
        &["BUF023", "BUF024", "BUF032", "PG027", "PG028"],
    ),
    (
        "a figure, a note, or something that cannot be proved",
        &["BUF036", "BUF042", "BUF050", "PG009", "PG029", "PG030", "PG031", "PFC011", "PFC013"],
    ),
    (
        "a watchdog acts on a pause that something else made",
        &[
            "WD001", "WD002", "WD003", "WD004", "WD005", "WD006", "WD008", "WD009", "WD010", "WD011",
            "WD012", "WD013", "WD014", "WD015", "WD016", "WD017", "WD019", "WD021", "WD022", "WD023",
        ],
    ),
    (
        "how queues share the wire decides who waits, not that somebody does",
        &["SCHED001", "SCHED002", "SCHED003", "SCHED004"],
    ),
    (
        "the link is down, or drops what is too large for it, whatever waits",
        &["LINK003", "LINK009", "FLEET005"],
    ),
    ("it says that something differs; the rule about that says what it does", &["FLEET002"]),
    (
        "of hosts, not of a switch",
        &["HOST001", "HOST002", "HOST003", "HOST004", "HOST005", "HOST006", "HOST007", "HOST008", "HOST009"],
    ),
    (
        "of a change, not of what runs",
        &["CHG001", "CHG002", "CHG003", "CHG004", "CHG005", "CHG006", "CHG007", "CHG008"],
    ),
];

const fn effect(setting: Setting, deviation: Deviation, why: &'static str) -> Effect {
    Effect { setting, deviation, why }
}

/// The effect of findings of the rule with this code; absent where a diagnosis cannot rest on them.
pub fn of(code: &str) -> Option<Effect> {
    SHOWN.iter().find(|(_, codes)| codes.contains(&code)).map(|(effect, _)| *effect)
}

/// Why no diagnosis can rest on findings of the rule with this code; absent where one can.
pub fn why_none(code: &str) -> Option<&'static str> {
    NOT_SHOWN.iter().find(|(_, codes)| codes.contains(&code)).map(|(why, _)| *why)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{NOT_SHOWN, SHOWN};

    #[test]
    fn every_rule_stands_here_once() {
        let shown = SHOWN.iter().flat_map(|(_, codes)| *codes);
        let hidden = NOT_SHOWN.iter().flat_map(|(_, codes)| *codes);
        let mut times: BTreeMap<&str, usize> = super::super::all().map(|rule| (rule.meta.code, 0)).collect();
        for code in shown.chain(hidden) {
            *times.get_mut(code).unwrap_or_else(|| panic!("there is no rule {code}")) += 1;
        }
        times.retain(|_, count| *count != 1);
        assert!(times.is_empty(), "rules that are not there once: {times:?}");
    }
}
