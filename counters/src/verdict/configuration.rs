//! Which findings about the configuration explain a verdict.

use model::ConfigFinding;
use model::config_finding::{Deviation, Setting};
use model::diagnosis::{Evidence, Record};

use crate::Network;
use crate::wiring::{PortId, Wiring};

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
    /// It causes what the verdict is about.
    Causes,
    /// It makes it worse, or hides it.
    Worsens,
}

fn relation(about: About, finding: &ConfigFinding) -> Option<Relation> {
    match (about, finding.setting, finding.deviation) {
        // A lower threshold pauses upstream switches before the buffer is in use.
        (About::Congestion, Setting::Alpha, Deviation::Less | Deviation::Different) => Some(Relation::Causes),
        (About::Host, Setting::Alpha, Deviation::Less | Deviation::Different) => Some(Relation::Worsens),
        // Packets that arrive after the pause find no room; or the priority is not lossless at one end.
        (About::Loss, Setting::Headroom | Setting::Lossless | Setting::Dscp, _) => Some(Relation::Causes),
        (About::Deadlock, Setting::Route, _) => Some(Relation::Causes),
        // Without marks senders do not slow down before pauses begin.
        (About::Congestion, Setting::Ecn | Setting::XonOffset | Setting::Route, _) => Some(Relation::Worsens),
        (About::Congestion | About::Host, Setting::Lossless | Setting::Dscp, _) => Some(Relation::Worsens),
        _ => None,
    }
}

/// The findings that explain a verdict about these ports, with a claim for each.
pub(super) fn related(
    network: &Network,
    wiring: &Wiring,
    ports: &[PortId],
    about: About,
) -> Vec<(Relation, Evidence, ConfigFinding)> {
    let is_at = |finding: &ConfigFinding, port: PortId| {
        let at = &wiring.ports[port].at;
        finding.switch == at.switch && finding.port.is_none_or(|number| number == at.port)
    };
    let own = network.findings.iter().filter(|finding| ports.iter().any(|port| is_at(finding, *port)));
    let related = own.filter_map(|finding| {
        let relation = relation(about, finding)?;
        let verb = match relation {
            Relation::Causes => "causes this",
            Relation::Worsens => "makes this worse",
        };
        let evidence = Evidence {
            // The message begins with the switch.
            claim: format!("{}, which {verb}", finding.message),
            switch: Some(finding.switch.clone()),
            port: finding.port.map(|port| model::PortRef::new(&finding.switch, port)),
            epoch: None,
            records: vec![Record::Configuration(finding.clone())],
        };
        Some((relation, evidence, finding.clone()))
    });
    related.collect()
}
