//! ECMP imbalance: flows that could use several equal-cost links take the same one.
//!
//! The root port is one of several ports that lie on shortest paths for every culprit. With random hashing, so many
//! flows on one of the links are unlikely; a switch that hashes like the switches before it (hash polarisation) puts
//! them there every time. Two flows on one link are an elephant collision.

use model::Cause;

use super::{Case, Judged};
use crate::contention::Contention;

/// Minimum number of flows on the link, including the victim if it takes part.
const CROWD: usize = 4;
/// Minimum load of the root port, relative to the mean of the group.
const RATIO: f64 = 1.5;
/// Maximum probability that random hashing puts all these flows on one link; above it, the imbalance may be chance.
const CHANCE: f64 = 0.2;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
    let crowd = case.culprits.len() + usize::from(victim_takes_part(case, contention));
    if crowd < CROWD {
        return None;
    }
    let group = group(case, contention)?;
    let view = case.context.view;
    let switch = view.switch_of(contention.port);
    let load = |number: &u16| -> f64 {
        let Some(port) = view.find(switch, *number) else { return 0.0 };
        // For a port without a queue only the newest epoch may be known.
        match view.packets(port, contention.when) {
            0 => view.packets(port, None) as f64,
            packets => packets as f64,
        }
    };
    let loads: Vec<f64> = group.iter().map(load).collect();
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    let own = load(&view.number(contention.port));
    // All n flows on one of m links: the first takes any link, each other flow takes the same one with probability 1/m.
    let chance = (1.0 / group.len() as f64).powi(crowd as i32 - 1);
    if mean <= 0.0 || own < RATIO * mean || chance > CHANCE {
        return None;
    }
    let ports: Vec<String> = group.iter().map(|number| format!("{}:{number}", switch.name)).collect();
    Some(Judged {
        cause: Cause::EcmpImbalance,
        factor: 1.0,
        because: format!(
            "{} flows share that port although {} equal-cost links lead to their destinations ({}): it carries {:.1} times the mean of these links",
            crowd,
            group.len(),
            ports.join(", "),
            own / mean
        ),
        advice: vec![
            format!(
                "give {} an ECMP hash seed of its own, so that it does not repeat the choices of the switches before it",
                switch.name
            ),
            "spread long flows by packet or flowlet, or over several source ports".to_string(),
        ],
        config: Vec::new(),
    })
}

/// Whether the victim takes part: it sent at least half as much as the smallest contributor.
fn victim_takes_part(case: &Case<'_, '_, '_>, contention: &Contention) -> bool {
    let own = case.context.victim.and_then(|victim| contention.part(victim)).map_or(0.0, |part| part.packets);
    let least = contention.contributors().map(|part| part.packets).fold(f64::INFINITY, f64::min);
    own >= least * 0.5
}

/// Returns the equal-cost ports of the root switch that every culprit could use; at least two.
fn group(case: &Case<'_, '_, '_>, contention: &Contention) -> Option<Vec<u16>> {
    let view = case.context.view;
    let (index, name) = (view.index, view.switch_of(contention.port).name);
    let mut common: Option<Vec<u16>> = None;
    let mut destinations: Vec<_> = case.culprits.iter().map(|flow| index.host_of(flow.dst)).collect();
    destinations.sort_unstable();
    destinations.dedup();
    for host in destinations {
        let ports = index.next_hops(name, host?);
        let kept = match common {
            None => ports.to_vec(),
            Some(known) => known.into_iter().filter(|port| ports.contains(port)).collect(),
        };
        common = Some(kept);
    }
    common.filter(|ports| ports.len() > 1 && ports.contains(&view.number(contention.port)))
}
