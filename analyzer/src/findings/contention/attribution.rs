//! Attribution: which flows a queue is attributed to, given the excess of each.
//!
//! A queue is attributed to the smallest set of flows that accounts for it: the heaviest flows until they have
//! [`t::COVERED_SHARE`] of the excess. The flow asked about (the *victim*) is a suspect like any
//! other: the queue is its own if the other flows together have only a small part, and it is named with them if they
//! alone do not account for the queue.

use crate::settings::Tuning;
use crate::thresholds as t;

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
    /// By suspect. The victim contributes if the others alone do not account for the queue.
    pub(super) contributes: Vec<bool>,
    /// Whether the victim alone made the queue; then no flow is listed in `contributes`.
    pub(super) self_made: bool,
    /// Whether any flow exceeds its entitlement, and flows are named by their excess; if not, by their packets.
    pub(super) changed: bool,
    /// Whether the excess accounts for the queue itself, if not for the packets that wait upstream.
    pub(super) has_grown: bool,
}

/// The limits of an attribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'t> {
    /// The thresholds.
    pub(super) settings: &'t Tuning,
    /// Whether flows that were paused upstream may be named if no rate changed and no other flow is left: not if the
    /// epoch ring shows that they are long-running, nor if flow records are lost, because then an unrecorded flow may
    /// have built the queue.
    pub(super) may_name_paused: bool,
    /// Whether the flow records account for the packets of the port.
    pub(super) is_complete: bool,
    /// Mean depth of the queue, in packets that arrived as long as those of the suspects.
    pub(super) depth: f64,
    /// Packets that wait upstream for the queue, as far as they are known and count.
    pub(super) waiting: f64,
    /// Whether the victim's packets can arrive faster than the port sends. If not, its queue has as many packets as the port
    /// sent of other flows since it was empty, whatever flows are in it.
    pub(super) may_be_own: bool,
}

/// Attributes a queue.
pub(super) fn attribute(suspects: &[Suspect], limits: Limits<'_>) -> Attribution {
    let found = to_all(suspects, limits);
    let of_others = if found.self_made && !limits.may_be_own { to_others(suspects, limits) } else { None };
    of_others.unwrap_or(found)
}

/// Attributes the queue of a victim that cannot have made it to the other flows, if they sent as many packets as it has.
fn to_others(suspects: &[Suspect], limits: Limits<'_>) -> Option<Attribution> {
    let others = Named::of(suspects, limits, |s| match s.role {
        Role::Victim => 0.0,
        Role::PausedUpstream { .. } | Role::Free => s.packets,
    });
    let is_enough = others.of_others > 0.0 && accounts(others.of_others, limits.depth, limits);
    is_enough.then(|| others.attribution(false))
}

fn to_all(suspects: &[Suspect], limits: Limits<'_>) -> Attribution {
    let packets: f64 = suspects.iter().map(|s| s.packets).sum();
    let by_excess = Named::of(suspects, limits, |s| match s.role {
        Role::PausedUpstream { only_spreads: true } => 0.0,
        _ => s.excess,
    });
    let has_grown = by_excess.total > 0.0
        && by_excess.total >= packets * limits.settings.value(&t::CHANGED_SHARE)
        && accounts(by_excess.total, limits.depth, limits);
    let is_own = by_excess.is_small(limits) && limits.settings.applies("attribution.self_made");
    if has_grown && by_excess.of_others > 0.0 && !is_own {
        if accounts(by_excess.total, limits.depth + limits.waiting, limits) {
            return by_excess.attribution(true);
        }
        // They account for the queue alone, and not with the packets that pauses hold upstream: the largest senders are named.
        return Attribution { has_grown, ..Named::of(suspects, limits, |s| s.packets).attribution(false) };
    }
    // Flows with a steady rate have no excess, but without their packets the port would drain faster than the victim fills it.
    let own = limits.settings.value(match limits.settings.applies("attribution.own_packets") {
        true => &t::ENOUGH_SHARE,
        false => &t::OWN_SHARE,
    });
    if has_grown && is_own && own_packets(suspects) >= packets * own {
        let contributes = vec![false; suspects.len()];
        return Attribution { contributes, self_made: true, changed: true, has_grown };
    }
    by_packets(suspects, limits)
}

/// Whether this excess can have built the queue: without it the queue would be shorter by as many packets at most. A queue
/// that stood before consists of the packets of those who keep it full, whose rates did not change.
fn accounts(excess: f64, depth: f64, limits: Limits<'_>) -> bool {
    !limits.settings.applies("attribution.accounts")
        || excess >= depth * limits.settings.value(&t::ENOUGH_SHARE)
}

/// No rate changed enough: the largest senders are named. If these are only the victim, the queue is its own.
fn by_packets(suspects: &[Suspect], limits: Limits<'_>) -> Attribution {
    let packets: f64 = suspects.iter().map(|s| s.packets).sum();
    if own_packets(suspects) > packets * (1.0 - limits.settings.value(&t::OTHERS_SHARE)) {
        return Attribution {
            contributes: vec![false; suspects.len()],
            self_made: true,
            changed: false,
            has_grown: false,
        };
    }
    let free = Named::of(suspects, limits, |s| match s.role {
        Role::Free | Role::Victim => s.packets,
        Role::PausedUpstream { .. } => 0.0,
    });
    // A few packets of a flow that no pause held are not the queue behind which the paused flows' packets stand.
    let is_enough = free.of_others > 0.0
        && (accounts(free.total, limits.depth, limits)
            || !limits.settings.applies("attribution.free_accounts"));
    let may_name_paused = limits.may_name_paused || limits.is_complete && free.of_others > 0.0;
    if is_enough || !may_name_paused {
        return free.attribution(false);
    }
    Named::of(suspects, limits, |s| s.packets).attribution(false)
}

/// Flows named by one measure.
struct Named {
    contributes: Vec<bool>,
    /// Sum over the flows apart from the victim.
    of_others: f64,
    /// The same with the victim.
    total: f64,
}

impl Named {
    /// Names the smallest set of flows with the covered share of the measure. The victim is one of them only if the
    /// others have less than [`t::ENOUGH_SHARE`].
    fn of(suspects: &[Suspect], limits: Limits<'_>, measure: impl Fn(&Suspect) -> f64) -> Named {
        let parts: Vec<f64> = suspects.iter().map(measure).collect();
        let is_victim = |at: usize| suspects[at].role == Role::Victim;
        let total: f64 = parts.iter().sum();
        let of_others = (0..parts.len()).filter(|at| !is_victim(*at)).map(|at| parts[at]).sum();
        let mut order: Vec<usize> = (0..parts.len()).filter(|at| parts[*at] > 0.0).collect();
        order.sort_by(|a, b| parts[*b].total_cmp(&parts[*a]));
        let mut contributes = vec![false; parts.len()];
        let all = !limits.settings.applies("attribution.smallest_set");
        let (mut covered, mut by_others, mut last) = (0.0, 0.0, f64::INFINITY);
        for at in order {
            let is_needed = covered < total * limits.settings.value(&t::ENOUGH_SHARE);
            let is_substantial = covered < total * limits.settings.value(&t::COVERED_SHARE)
                && parts[at] >= total * limits.settings.value(&t::LEAST_SHARE);
            if all || is_needed || is_substantial {
                last = parts[at];
            } else if parts[at] < last * limits.settings.value(&t::SAME_SIZE) {
                break;
            }
            contributes[at] = true;
            covered += parts[at];
            if !is_victim(at) {
                by_others += parts[at];
            }
        }
        if by_others >= total * limits.settings.value(&t::ENOUGH_SHARE) || by_others <= 0.0 {
            (0..parts.len()).filter(|at| is_victim(*at)).for_each(|at| contributes[at] = false);
        }
        Named { contributes, of_others, total }
    }

    fn is_small(&self, limits: Limits<'_>) -> bool {
        self.of_others < self.total * limits.settings.value(&t::OTHERS_SHARE)
    }

    fn attribution(self, changed: bool) -> Attribution {
        Attribution { contributes: self.contributes, self_made: false, changed, has_grown: changed }
    }
}

fn own_packets(suspects: &[Suspect]) -> f64 {
    suspects.iter().filter(|s| s.role == Role::Victim).map(|s| s.packets).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(role: Role, packets: f64, excess: f64) -> Suspect {
        Suspect { role, packets, excess }
    }

    /// Checks which of the suspects contribute.
    fn check(suspects: &[Suspect], contributes: &[bool], self_made: bool, changed: bool) {
        let contributes = contributes.to_vec();
        let expected = Attribution { contributes, self_made, changed, has_grown: changed };
        let limits = Limits {
            settings: &Tuning::default(),
            may_name_paused: true,
            is_complete: true,
            depth: 0.0,
            waiting: 0.0,
            may_be_own: true,
        };
        assert_eq!(attribute(suspects, limits), expected, "{suspects:?}");
    }

    #[test]
    fn a_victim_whose_excess_dwarfs_the_others_made_the_queue_itself() {
        check(&[flow(Role::Victim, 900.0, 900.0), flow(Role::Free, 20.0, 20.0)], &[false, false], true, true);
    }

    #[test]
    fn the_victim_contributes_if_the_others_do_not_account_for_the_queue() {
        check(
            &[flow(Role::Victim, 700.0, 700.0), flow(Role::Free, 300.0, 300.0)],
            &[true, true],
            false,
            true,
        );
    }

    #[test]
    fn a_heavy_victim_at_its_previous_rate_is_not_the_cause() {
        check(&[flow(Role::Victim, 900.0, 0.0), flow(Role::Free, 200.0, 200.0)], &[false, true], false, true);
    }

    /// Without the 390 packets of a steady flow, the port would have drained.
    #[test]
    fn a_new_victim_beside_a_steady_flow_did_not_make_the_queue_alone() {
        let beside = |steady: f64| {
            [flow(Role::Victim, 1_000.0 - steady, 1_000.0 - steady), flow(Role::Free, steady, 0.0)]
        };
        check(&beside(390.0), &[true, true], false, false);
        check(&beside(150.0), &[false, false], true, true);
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

    /// The port sent 100 packets of another flow while the victim's packets arrived at its rate.
    #[test]
    fn the_queue_of_a_victim_at_line_rate_is_that_of_the_others_if_they_sent_as_many_packets() {
        let suspects = [flow(Role::Victim, 900.0, 900.0), flow(Role::Free, 100.0, 0.0)];
        let attributed = |depth| {
            let limits = Limits {
                settings: &Tuning::default(),
                may_name_paused: true,
                is_complete: true,
                depth,
                waiting: 0.0,
                may_be_own: false,
            };
            let found = attribute(&suspects, limits);
            (found.contributes, found.self_made)
        };
        assert_eq!(attributed(60.0), (vec![false, true], false));
        assert_eq!(attributed(200.0), (vec![false, false], true));
    }

    #[test]
    fn a_small_part_of_the_largest_excess_is_no_contribution() {
        check(&[flow(Role::Free, 900.0, 900.0), flow(Role::Free, 50.0, 50.0)], &[true, false], false, true);
    }

    #[test]
    fn a_victim_among_many_senders_is_not_named() {
        let mut incast = vec![flow(Role::Free, 100.0, 100.0); 9];
        incast.push(flow(Role::Victim, 100.0, 100.0));
        let mut contributes = vec![true; 9];
        contributes.push(false);
        check(&incast, &contributes, false, true);
    }

    /// 75 packets above previous rates cannot be the 700 packets that stood in the queue.
    #[test]
    fn a_newcomer_that_cannot_have_built_the_queue_is_not_named_for_it() {
        let suspects =
            [flow(Role::Victim, 20.0, 20.0), flow(Role::Free, 55.0, 55.0), flow(Role::Free, 625.0, 0.0)];
        let attributed = |depth| {
            let limits = Limits {
                settings: &Tuning::default(),
                may_name_paused: true,
                is_complete: true,
                depth,
                waiting: 0.0,
                may_be_own: true,
            };
            attribute(&suspects, limits).contributes
        };
        assert_eq!(attributed(700.0), [false, false, true]);
        assert_eq!(attributed(90.0), [true, true, false]);
    }

    /// A newcomer can have built the queue, and not the backlog upstream. It has grown nevertheless.
    #[test]
    fn a_newcomer_is_not_named_for_the_backlog_upstream() {
        let waiting = Role::PausedUpstream { only_spreads: false };
        let suspects = [flow(waiting, 130.0, 0.0), flow(Role::Free, 10.0, 10.0), flow(Role::Free, 8.0, 8.0)];
        let attributed = |waiting| {
            let settings = &Tuning::default();
            let limits = Limits {
                settings,
                may_name_paused: false,
                is_complete: true,
                depth: 10.0,
                waiting,
                may_be_own: true,
            };
            let found = attribute(&suspects, limits);
            (found.contributes, found.changed, found.has_grown)
        };
        assert_eq!(attributed(0.0), (vec![false, true, true], true, true));
        assert_eq!(attributed(50.0), (vec![true, false, false], false, true));
    }

    /// Paused flows have 660 of the 664 packets of a queue that is 123 packets deep on average.
    #[test]
    fn four_packets_are_not_named_for_the_backlog_of_paused_flows() {
        let paused = Role::PausedUpstream { only_spreads: true };
        let suspects = [flow(paused, 500.0, 0.0), flow(paused, 160.0, 0.0), flow(Role::Free, 4.0, 0.0)];
        let settings = &Tuning::default();
        let limits = Limits {
            settings,
            may_name_paused: false,
            is_complete: true,
            depth: 123.0,
            waiting: 0.0,
            may_be_own: true,
        };
        assert_eq!(attribute(&suspects, limits).contributes, [true, true, false]);
        let lost = Limits { is_complete: false, ..limits };
        assert_eq!(attribute(&suspects, lost).contributes, [false, false, true]);
    }

    #[test]
    fn the_smallest_set_that_accounts_for_the_queue_is_named() {
        let parts = [500.0, 300.0, 120.0, 50.0, 30.0];
        let suspects = parts.map(|part| flow(Role::Free, part, part));
        check(&suspects, &[true, true, true, false, false], false, true);
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
