//! Which findings about the configuration explain a verdict.

use model::ConfigFinding;
use model::config_finding::{Deviation, Setting};
use model::diagnosis::{Evidence, Record};

use crate::case::Case;
use crate::pressure::Pressure;
use crate::wiring::PortId;

/// What a verdict is about, for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// Pauses because of a congested port.
    Congestion,
    /// Pauses of a host.
    Host,
    /// Packets lost in a lossless priority.
    Loss,
    /// A loop of paused ports.
    Deadlock,
}

/// How a finding is related to a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// It can cause what the verdict is about.
    Explains,
    /// It makes it worse, or hides it.
    Worsens,
}

fn relation(about: About, finding: &ConfigFinding) -> Option<Relation> {
    match (about, finding.setting, finding.deviation) {
        // A lower threshold pauses upstream switches before the buffer is in use.
        (About::Congestion, Setting::Alpha, Deviation::Less | Deviation::Different) => {
            Some(Relation::Explains)
        }
        (About::Host, Setting::Alpha, Deviation::Less | Deviation::Different) => Some(Relation::Worsens),
        // Packets that arrive after the pause find no room; or the priority is not lossless at one end.
        (About::Loss, Setting::Headroom | Setting::Lossless | Setting::Dscp, _) => Some(Relation::Explains),
        (About::Deadlock, Setting::Route, _) => Some(Relation::Explains),
        // Without marks senders do not slow down before pauses begin.
        (About::Congestion, Setting::Ecn | Setting::XonOffset | Setting::Route, _) => Some(Relation::Worsens),
        (About::Congestion | About::Host, Setting::Lossless | Setting::Dscp, _) => Some(Relation::Worsens),
        _ => None,
    }
}

/// Whether the counters of a port show what a setting leads to: a finding without an effect explains nothing.
fn has_effect(about: About, setting: Setting, row: &Pressure) -> bool {
    let is_pausing = row.sent() > 0;
    match (about, setting) {
        (About::Loss, Setting::Headroom) => row.change.group_drops > Some(0),
        (_, Setting::Lossless | Setting::Dscp) | (About::Loss, _) => row.drops() > 0,
        (_, Setting::Ecn) => {
            let has_marks = row.change.ecn_marked > Some(0);
            !has_marks && (is_pausing || row.queue_peak().is_some())
        }
        (_, Setting::Alpha | Setting::XonOffset) => is_pausing,
        _ => is_pausing || row.is_paused(),
    }
}

/// The findings that can explain a verdict about these ports, and whose effect the counters show, with a claim for each.
pub(super) fn related(
    case: &Case<'_>,
    ports: &[PortId],
    about: About,
) -> Vec<(Relation, Evidence, ConfigFinding)> {
    let is_at = |finding: &ConfigFinding, port: PortId| {
        let at = &case.wiring.ports[port].at;
        finding.switch == at.switch && finding.port.is_none_or(|number| number == at.port)
    };
    let has_effect = |finding: &ConfigFinding, port: PortId| {
        case.rows_at(port).iter().any(|row| has_effect(about, finding.setting, row))
    };
    let is_related = |finding: &&ConfigFinding| {
        ports.iter().any(|port| is_at(finding, *port) && has_effect(finding, *port))
    };
    let own = case.network.findings.iter().filter(is_related);
    let related = own.filter_map(|finding| {
        let relation = relation(about, finding)?;
        let verb = match relation {
            Relation::Explains => "may explain this",
            Relation::Worsens => "may make this worse",
        };
        let evidence = Evidence {
            // The message begins with the switch.
            claim: format!("{}, which {verb}", finding.message),
            template: None,
            switch: Some(finding.switch.clone()),
            port: finding.port.map(|port| model::PortRef::new(&finding.switch, port)),
            epoch: None,
            records: vec![Record::Configuration(finding.clone())],
        };
        Some((relation, evidence, finding.clone()))
    });
    related.collect()
}
