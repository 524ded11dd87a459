//! Causes: what refines an anomaly. One file for each cause; the first one that matches is used.
//!
//! To add a cause, add a file and a line in [`JUDGES`], specific causes before general ones.

mod collective_step;
mod ecmp_imbalance;
mod elephant_collision;
mod incast;
mod low_rate_attack;
pub(crate) mod misconfiguration;
mod network;
mod nic_storm;
mod slow_receiver;
mod undetermined;

use model::{Cause, FlowKey};

use crate::context::Context;
use crate::signatures::Finding;

/// The input of every cause.
pub(crate) struct Case<'c, 's, 'a> {
    pub(crate) context: &'c Context<'s, 'a>,
    pub(crate) finding: &'c Finding,
    pub(crate) culprits: &'c [FlowKey],
}

impl Case<'_, '_, '_> {
    /// The time that the verdict refers to: the agent's trigger, else the end of the event, else the last freeze.
    pub(crate) fn time_ns(&self) -> u64 {
        match (self.context.trigger, self.finding.when) {
            (Some(trigger), _) => trigger.time_ns,
            (None, Some(when)) => when.to,
            (None, None) => {
                self.context.view.snapshot.switches.iter().map(|s| s.frozen_ns).max().unwrap_or(0)
            }
        }
    }
}

/// A cause and its text.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) cause: Cause,
    /// Factor of the confidence, 0 to 1.
    pub(crate) factor: f64,
    /// The clause that ends the summary; `that port` in it is the root port.
    pub(crate) because: String,
    /// What the operator can do.
    pub(crate) advice: Vec<String>,
    /// Identifiers of the configuration findings that explain it.
    pub(crate) config: Vec<String>,
}

type Judge = fn(&Case<'_, '_, '_>) -> Option<Judged>;

const JUDGES: [Judge; 8] = [
    misconfiguration::judge,
    low_rate_attack::judge,
    collective_step::judge,
    incast::judge,
    ecmp_imbalance::judge,
    elephant_collision::judge,
    slow_receiver::judge,
    nic_storm::judge,
];

pub(crate) fn judge(case: &Case<'_, '_, '_>) -> Judged {
    JUDGES
        .iter()
        .find_map(|j| j(case))
        .or_else(|| network::judge(case))
        .unwrap_or_else(|| undetermined::judge(case))
}

/// Lists the hosts of some addresses by name, without duplicates; an unknown address is listed as it is.
pub(crate) fn host_names(
    case: &Case<'_, '_, '_>,
    addresses: impl Iterator<Item = std::net::IpAddr>,
) -> String {
    let index = case.context.view.index;
    let mut names: Vec<String> = Vec::new();
    for address in addresses {
        let name = index.host_of(address).map_or_else(|| address.to_string(), |h| index.name(h).to_string());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    enumerate(&names)
}

pub(crate) fn enumerate(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names {
        [] => "no flow".to_string(),
        [one] => one.clone(),
        many if many.len() > SHOWN => {
            format!("{} and {} more", many[..SHOWN].join(", "), many.len() - SHOWN)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
