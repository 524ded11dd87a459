//! Attribution: which flows a queue is attributed to, given the excess of each.
//!
//! The flow asked about (the *victim*) is a suspect like any other. The queue is its own if the other flows together
//! have only a small part of the excess: without them, the queue would have been as long. Otherwise the other flows
//! with a substantial excess contribute.

/// If all excess together is less than this share of the packets, no rate changed.
const CHANGED_SHARE: f64 = 0.1;
/// Other flows that together have less than this share of the excess did not make a queue that the victim shares:
/// without them, three quarters of it remain.
const OTHERS_SHARE: f64 = 0.25;
/// Minimum share of the victim in the packets of a queue of its own.
const OWN_SHARE: f64 = 0.5;

/// How a flow is related to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The flow asked about.
    Victim,
    /// Paused upstream; `only_spreads` if no record shows that it changed and other flows explain the queue.
    PausedUpstream { only_spreads: bool },
    /// Any other flow.
    Free,
}

/// A flow in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspect {
    pub(super) role: Role,
    /// Packets in the episode.
    pub(super) packets: f64,
    /// Packets above its entitlement.
    pub(super) excess: f64,
}

/// Which flows contribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attribution {
    /// By suspect. The victim is never listed: see `self_made`.
    pub(super) contributes: Vec<bool>,
    /// Whether the victim alone made the queue.
    pub(super) self_made: bool,
    /// Whether any flow exceeds its entitlement; if not, flows are named by their packets.
    pub(super) changed: bool,
}

/// The limits of an attribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Minimum excess of a contributor, relative to the largest one.
    pub(super) contributor_share: f64,
    /// Whether flows that were paused upstream may be named if no rate changed and no other flow is left: not if the
    /// epoch ring shows that they are long-running, nor if flow records are lost, because then an unrecorded flow may
    /// have built the queue.
    pub(super) may_name_paused: bool,
}

/// Attributes a queue.
pub(super) fn attribute(suspects: &[Suspect], limits: Limits) -> Attribution {
    let packets: f64 = suspects.iter().map(|s| s.packets).sum();
    let by_excess = named(suspects, limits, |s| match s.role {
        Role::PausedUpstream { only_spreads: true } => 0.0,
        _ => s.excess,
    });
    let changed = by_excess.total > 0.0 && by_excess.total >= packets * CHANGED_SHARE;
    if changed && by_excess.of_others > 0.0 && !by_excess.is_small() {
        return by_excess.attribution(true);
    }
    if changed && by_excess.is_small() && own_packets(suspects) >= packets * OWN_SHARE {
        return Attribution { contributes: vec![false; suspects.len()], self_made: true, changed };
    }
    by_packets(suspects, limits)
}

/// No rate changed: the largest senders are named. If these are only the victim, the queue is its own.
fn by_packets(suspects: &[Suspect], limits: Limits) -> Attribution {
    let packets: f64 = suspects.iter().map(|s| s.packets).sum();
    if own_packets(suspects) > packets * (1.0 - OTHERS_SHARE) {
        return Attribution { contributes: vec![false; suspects.len()], self_made: true, changed: false };
    }
    let free = named(suspects, limits, |s| if s.role == Role::Free { s.packets } else { 0.0 });
    if free.of_others > 0.0 || !limits.may_name_paused {
        return free.attribution(false);
    }
    named(suspects, limits, |s| if s.role == Role::Victim { 0.0 } else { s.packets }).attribution(false)
}

/// Flows named by one measure.
struct Named {
    contributes: Vec<bool>,
    /// Sum over the named flows.
    of_others: f64,
    /// The same with the victim.
    total: f64,
}

impl Named {
    fn is_small(&self) -> bool {
        self.of_others < self.total * OTHERS_SHARE
    }

    fn attribution(self, changed: bool) -> Attribution {
        Attribution { contributes: self.contributes, self_made: false, changed }
    }
}

/// Returns the flows, apart from the victim, with at least the share of the largest of them by `measure`.
fn named(suspects: &[Suspect], limits: Limits, measure: impl Fn(&Suspect) -> f64) -> Named {
    let others = || suspects.iter().filter(|s| s.role != Role::Victim);
    let largest = others().map(&measure).fold(0.0, f64::max);
    let contributes: Vec<bool> = suspects
        .iter()
        .map(|s| {
            let part = measure(s);
            s.role != Role::Victim && part > 0.0 && part >= largest * limits.contributor_share
        })
        .collect();
    let of_others: f64 =
        suspects.iter().zip(&contributes).filter(|(_, named)| **named).map(|(s, _)| measure(s)).sum();
    let own: f64 = suspects.iter().filter(|s| s.role == Role::Victim).map(&measure).sum();
    Named { contributes, of_others, total: of_others + own }
}

fn own_packets(suspects: &[Suspect]) -> f64 {
    suspects.iter().filter(|s| s.role == Role::Victim).map(|s| s.packets).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { contributor_share: 0.1, may_name_paused: true };

    fn flow(role: Role, packets: f64, excess: f64) -> Suspect {
        Suspect { role, packets, excess }
    }

    /// Checks which of the suspects contribute.
    fn check(suspects: &[Suspect], contributes: &[bool], self_made: bool, changed: bool) {
        let expected = Attribution { contributes: contributes.to_vec(), self_made, changed };
        assert_eq!(attribute(suspects, LIMITS), expected, "{suspects:?}");
    }

    #[test]
    fn a_victim_whose_excess_dwarfs_the_others_made_the_queue_itself() {
        check(&[flow(Role::Victim, 900.0, 900.0), flow(Role::Free, 20.0, 20.0)], &[false, false], true, true);
    }

    #[test]
    fn others_with_a_substantial_excess_contribute_though_the_victim_has_more() {
        check(
            &[flow(Role::Victim, 700.0, 700.0), flow(Role::Free, 300.0, 300.0)],
            &[false, true],
            false,
            true,
        );
    }

    #[test]
    fn a_heavy_victim_at_its_previous_rate_is_not_the_cause() {
        check(&[flow(Role::Victim, 900.0, 0.0), flow(Role::Free, 200.0, 200.0)], &[false, true], false, true);
    }

    #[test]
    fn a_thin_new_victim_did_not_make_the_standing_queue_of_others() {
        check(
            &[flow(Role::Victim, 120.0, 120.0), flow(Role::Free, 500.0, 0.0), flow(Role::Free, 380.0, 0.0)],
            &[false, true, true],
            false,
            false,
        );
    }

    #[test]
    fn a_standing_queue_of_the_victim_is_its_own() {
        check(&[flow(Role::Victim, 900.0, 0.0), flow(Role::Free, 100.0, 0.0)], &[false, false], true, false);
    }

    #[test]
    fn a_small_part_of_the_largest_excess_is_no_contribution() {
        check(&[flow(Role::Free, 900.0, 900.0), flow(Role::Free, 50.0, 50.0)], &[true, false], false, true);
    }

    #[test]
    fn many_equal_senders_contribute_all() {
        let incast = vec![flow(Role::Free, 10.0, 10.0); 100];
        check(&incast, &[true; 100], false, true);
    }

    #[test]
    fn a_flow_that_only_spreads_is_not_named_while_others_explain_the_queue() {
        let spreader = Role::PausedUpstream { only_spreads: true };
        check(&[flow(spreader, 300.0, 300.0), flow(Role::Free, 300.0, 300.0)], &[false, true], false, true);
    }
}
