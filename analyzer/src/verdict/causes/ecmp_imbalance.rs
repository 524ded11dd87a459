//! ECMP imbalance: of the flows that could use several equal-cost links, too many take the same one.
//!
//! The null hypothesis is fair hashing: each of the `n` flows that could use any of the `m` links of the group takes each
//! of them with probability 1/m. With `k` flows on the root port, the probability of `k` or more is the upper tail of the
//! binomial distribution B(n, 1/m). The root port was selected because it is congested, out of the `m` links of each of
//! the `g` groups that the switches of the snapshot have, so the tail is multiplied by `m * g` (Bonferroni). Below
//! [`SIGNIFICANCE`] the hypothesis is rejected: a switch that hashes like the switches before it (hash polarisation) puts
//! its flows on one link every time. Otherwise the flows met by chance.

use std::collections::{BTreeMap, BTreeSet};

use model::{Cause, FlowKey};

use super::{Case, Judged};
use crate::facts::topology_index::TopologyIndex;
use crate::facts::view::{SwitchView, View};
use crate::findings::contention::Contention;
use crate::thresholds as t;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
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
    let mean = group.iter().map(load).sum::<f64>() / group.len() as f64;
    let own = load(&view.number(contention.port));
    if mean <= 0.0 || own < case.context.settings.value(&t::IMBALANCE_RATIO) * mean {
        return None;
    }
    let active = |number: &u16| -> usize {
        view.find(switch, *number).map_or(0, |port| {
            let records = view.flows(port).iter();
            let active = records.filter(|f| f.packets > 0 && view.flow_in(port, f, contention.when));
            let flows: BTreeSet<FlowKey> = active.map(|f| f.flow).collect();
            flows.into_iter().filter(|flow| could_use(view.index, switch, *flow, &group)).count()
        })
    };
    let total: usize = group.iter().map(active).sum();
    let crowd = active(&view.number(contention.port));
    let chance = chance(total, crowd, group.len(), groups(view));
    if chance > case.context.settings.value(&t::SIGNIFICANCE) {
        return None;
    }
    let root = view.port_ref(contention.port);
    let ports: Vec<String> = group.iter().map(|number| format!("{}:{number}", switch.name)).collect();
    Some(Judged {
        cause: Cause::EcmpImbalance,
        factor: 1.0,
        because: format!(
            "{crowd} of the {total} flows that could use {} equal-cost links ({}) share {root}, which carries {:.1} times the mean of its equal-cost links; fair hashing would do that with a probability of {:.1} %",
            group.len(),
            ports.join(", "),
            own / mean,
            100.0 * chance
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

/// The probability that fair hashing of `flows` over `links` puts `crowd` of them or more on some link of some of
/// `groups` such groups, at most 1.
fn chance(flows: usize, crowd: usize, links: usize, groups: usize) -> f64 {
    let comparisons = (links.max(1) * groups.max(1)) as f64;
    (upper_tail(flows, crowd, 1.0 / links.max(1) as f64) * comparisons).min(1.0)
}

/// The probability that at least `least` of `n` independent events with probability `p` happen.
fn upper_tail(n: usize, least: usize, p: f64) -> f64 {
    if least == 0 || p >= 1.0 {
        return 1.0;
    }
    // Terms of the distribution one after the other, as logarithms so that large `n` do not underflow.
    let mut log_term = n as f64 * (1.0 - p).ln();
    let odds = (p / (1.0 - p)).ln();
    let mut sum = 0.0;
    for k in 0..=n {
        if k >= least {
            sum += log_term.exp();
        }
        log_term += ((n - k) as f64 / (k + 1) as f64).ln() + odds;
    }
    sum.min(1.0)
}

/// Whether a switch could send a flow over every link of a group.
fn could_use(index: &TopologyIndex<'_>, switch: &SwitchView<'_>, flow: FlowKey, group: &[u16]) -> bool {
    let hops = index.host_of(flow.dst).map(|host| index.next_hops(switch.name, host));
    hops.is_some_and(|hops| group.iter().all(|port| hops.contains(port)))
}

/// The number of equal-cost groups of the switches in the snapshot that hash two flows or more, at least 1.
fn groups(view: &View<'_>) -> usize {
    let mut groups: BTreeMap<(&str, &[u16]), BTreeSet<FlowKey>> = BTreeMap::new();
    for port in view.ports() {
        let name = view.switch_of(port).name;
        for record in view.flows(port) {
            let hops = view.index.host_of(record.flow.dst).map(|host| view.index.next_hops(name, host));
            if let Some(hops) = hops.filter(|hops| hops.len() > 1) {
                groups.entry((name, hops)).or_default().insert(record.flow);
            }
        }
    }
    groups.values().filter(|flows| flows.len() > 1).count().max(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(flows: usize, crowd: usize, links: usize, groups: usize, percent: f64) {
        let found = 100.0 * chance(flows, crowd, links, groups);
        assert!((found - percent).abs() < 0.05, "{crowd} of {flows} on one of {links} links: {found:.2} %");
    }

    #[test]
    fn the_chance_is_the_binomial_tail_times_links_and_groups() {
        check(8, 6, 2, 1, 28.9);
        check(8, 8, 2, 1, 0.8);
        check(8, 8, 2, 5, 3.9);
        check(4, 4, 2, 1, 12.5);
        check(6, 6, 4, 1, 0.1);
        check(3, 0, 2, 1, 100.0);
        check(2_000, 1_200, 2, 1, 0.0);
    }

    #[test]
    fn six_of_eight_flows_on_one_of_two_links_are_no_imbalance() {
        assert!(chance(8, 6, 2, 1) > t::SIGNIFICANCE.value);
        assert!(chance(8, 8, 2, 1) <= t::SIGNIFICANCE.value);
    }
}
