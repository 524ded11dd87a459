//! Guilt by intervention: how much of a victim's excess delay disappears without an actor.
//!
//! An actor can be guilty although the delay stays when it alone is removed: two bursts may each suffice. It can be
//! guilty although nothing remains of the delay when it alone stays: one sender of an incast overloads no port. Each
//! actor is therefore removed in several contexts: from the full run, after all other accused, and after some of them.
//! Its part is the largest difference. These are the marginal contributions of which the Shapley value is the mean: all
//! of them for few accused, otherwise those at both ends and in the middle. Those that seem innocent by the latter are
//! examined once more, each after all others that seem innocent: senders of which any one suffices, beside others that are
//! all needed, take each other's place in every context at the ends and in the middle. Those that still seem innocent are
//! examined in a smallest set that explains the delay: of two flows of one sender, the other one takes the place of the
//! one that is removed, in every context that does not remove both. If several verdicts explain a delay together, those of
//! one that seem innocent are examined after the accused of the others.

use std::collections::{BTreeMap, BTreeSet};

use super::actor::Actor;

/// A run that can be repeated without some actors.
pub trait Experiment {
    /// The reason why a run is not possible.
    type Error;

    /// Returns the victim's excess delay in nanoseconds in a run without these actors.
    ///
    /// # Errors
    /// A run that is not possible.
    fn excess_ns(&mut self, removed: &BTreeSet<Actor>) -> Result<u64, Self::Error>;
}

/// The smallest part of the excess that counts as guilt. A removed flow shifts the packets of all others by up to a
/// serialisation time each; repeated runs of innocents stay below 2 % (docs/evaluation/judge.md).
pub const NOTICEABLE: f64 = 0.05;
/// A set of actors explains a delay if at least this part of the excess disappears without it.
pub const EXPLAINS: f64 = 0.75;

/// Whether so little of an excess delay is left without some actors that they explain it.
pub fn is_explained(excess_ns: u64, left_ns: u64) -> bool {
    left_ns as f64 <= (1.0 - EXPLAINS) * excess_ns as f64
}

/// The largest number of accused actors that are examined one by one: the lightest half and the heaviest half of it.
pub const EXAMINED: usize = 12;

/// Up to this number of accused, every context is tried.
const EXHAUSTIVE: usize = 4;

/// The guilt of a set of accused actors.
#[derive(Clone, Debug, PartialEq)]
pub struct Guilt {
    /// The excess delay with all actors, in nanoseconds.
    pub excess_ns: u64,
    /// The part of it that disappears without all accused actors, 0 to 1.
    pub covered: f64,
    /// The part of each examined actor, 0 to 1.
    pub parts: BTreeMap<Actor, f64>,
    /// The least part that makes one of them guilty.
    pub noticeable: f64,
}

impl Guilt {
    /// Returns the examined actors that are innocent.
    pub fn innocent(&self) -> impl Iterator<Item = &Actor> {
        self.parts.iter().filter(|(_, part)| **part < self.noticeable).map(|(actor, _)| actor)
    }

    /// The part of the excess that a difference of two runs is.
    fn part(&self, before_ns: u64, after_ns: u64) -> f64 {
        before_ns.saturating_sub(after_ns) as f64 / self.excess_ns.max(1) as f64
    }

    /// Measures the part of `actor` after `removed`, which may contain it.
    fn part_after<E: Experiment>(
        &self,
        experiment: &mut E,
        removed: &BTreeSet<Actor>,
        actor: &Actor,
    ) -> Result<f64, E::Error> {
        let context = removed.iter().filter(|other| *other != actor).cloned().collect();
        let before_ns = experiment.excess_ns(&context)?;
        let without = context.into_iter().chain([actor.clone()]).collect();
        Ok(self.part(before_ns, experiment.excess_ns(&without)?))
    }

    /// Examines the accused that seem innocent once more, after `partners`, the actors that other verdicts about the same delay
    /// accuse, and after `all` other accused of all of them. A longer pause hides what a queue at the same port adds.
    ///
    /// # Errors
    /// A run that is not possible.
    pub fn beside<E: Experiment>(
        &mut self,
        experiment: &mut E,
        partners: &BTreeSet<Actor>,
        all: &BTreeSet<Actor>,
    ) -> Result<(), E::Error> {
        let seem_innocent: Vec<Actor> = self.innocent().cloned().collect();
        for actor in &seem_innocent {
            self.examine(experiment, partners, actor)?;
            if self.parts[actor] < self.noticeable {
                self.examine(experiment, all, actor)?;
            }
        }
        Ok(())
    }

    /// Bounds the guilt of the accused by `part`.
    fn limit(&mut self, part: f64) {
        self.covered = self.covered.min(part);
        for of_actor in self.parts.values_mut() {
            *of_actor = of_actor.min(part);
        }
    }

    /// Examines an actor once more, after `removed`.
    fn examine<E: Experiment>(
        &mut self,
        experiment: &mut E,
        removed: &BTreeSet<Actor>,
        actor: &Actor,
    ) -> Result<(), E::Error> {
        let part = self.part_after(experiment, removed, actor)?;
        let known = self.parts.entry(actor.clone()).or_default();
        *known = known.max(part);
        Ok(())
    }

    /// Whether the accused actors explain the delay.
    pub fn explains(&self) -> bool {
        self.covered >= EXPLAINS
    }
}

/// Measures the guilt of `accused`, ordered by the number of bytes that they sent.
///
/// # Errors
/// A run that is not possible.
pub fn guilt<E: Experiment>(experiment: &mut E, accused: &[Actor]) -> Result<Guilt, E::Error> {
    let all: BTreeSet<Actor> = accused.iter().cloned().collect();
    let excess_ns = experiment.excess_ns(&BTreeSet::new())?;
    let left_ns = experiment.excess_ns(&all)?;
    let noticeable = NOTICEABLE.min(0.5 / all.len().max(1) as f64);
    let mut guilt = Guilt { excess_ns, covered: 0.0, parts: BTreeMap::new(), noticeable };
    guilt.covered = guilt.part(excess_ns, left_ns);
    if all.len() == 1 {
        guilt.parts.insert(accused[0].clone(), guilt.covered);
        return Ok(guilt);
    }
    for (index, actor) in examined(accused) {
        let mut largest: f64 = 0.0;
        for context in contexts(accused, index) {
            largest = largest.max(guilt.part_after(experiment, &context, actor)?);
            if largest >= noticeable {
                break;
            }
        }
        guilt.parts.insert(actor.clone(), largest);
    }
    if all.len() > EXHAUSTIVE {
        let seem_innocent: BTreeSet<Actor> = guilt.innocent().cloned().collect();
        for actor in &seem_innocent {
            guilt.examine(experiment, &seem_innocent, actor)?;
        }
    }
    if (EXHAUSTIVE + 1..=EXAMINED).contains(&all.len()) && guilt.explains() {
        let seem_innocent: Vec<Actor> = guilt.innocent().cloned().collect();
        for actor in &seem_innocent {
            let set = smallest_set(experiment, accused, actor, excess_ns)?;
            guilt.examine(experiment, &set, actor)?;
        }
    }
    Ok(guilt)
}

/// Measures the guilt of a victim that alone is accused: the smaller one of the part of the excess that disappears if it has one
/// packet outstanding, and the part `stays` that it has without all others. With one packet outstanding it also escapes from
/// a queue that others make, in which its packets would only wait for each other.
///
/// # Errors
/// A run that is not possible.
pub fn own_guilt<E: Experiment>(experiment: &mut E, others: &BTreeSet<Actor>) -> Result<Guilt, E::Error> {
    let mut guilt = guilt(experiment, &[Actor::Victim])?;
    let alone_ns = experiment.excess_ns(others)?;
    guilt.limit((alone_ns as f64 / guilt.excess_ns.max(1) as f64).min(1.0));
    Ok(guilt)
}

/// Returns a set of accused actors with `actor` that explains the delay, and of which no other actor can be left out. Those
/// that most likely take the place of `actor` are left out last: flows of the same sender.
fn smallest_set<E: Experiment>(
    experiment: &mut E,
    accused: &[Actor],
    actor: &Actor,
    excess_ns: u64,
) -> Result<BTreeSet<Actor>, E::Error> {
    let mut set: BTreeSet<Actor> = accused.iter().cloned().collect();
    let mut others: Vec<&Actor> = accused.iter().filter(|other| *other != actor).collect();
    others.sort_by_key(|other| other.sender().is_some() && other.sender() == actor.sender());
    for other in others {
        set.remove(other);
        if !is_explained(excess_ns, experiment.excess_ns(&set)?) {
            set.insert(other.clone());
        }
    }
    Ok(set)
}

/// The sets of other accused actors that are removed before the one at `index`: none and all first, as they are shared.
fn contexts(accused: &[Actor], index: usize) -> Vec<BTreeSet<Actor>> {
    let others: Vec<&Actor> =
        accused.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, a)| a).collect();
    let chosen = |is_in: &dyn Fn(usize) -> bool| -> BTreeSet<Actor> {
        others.iter().enumerate().filter(|(at, _)| is_in(*at)).map(|(_, actor)| (*actor).clone()).collect()
    };
    let mut contexts = vec![BTreeSet::new(), chosen(&|_| true)];
    if accused.len() <= EXHAUSTIVE {
        contexts.extend((1..(1_usize << others.len()) - 1).map(|subset| chosen(&|at| subset >> at & 1 == 1)));
    } else {
        contexts.push(chosen(&|at| at % 2 == 0));
        contexts.push(chosen(&|at| at % 2 == 1));
    }
    contexts
}

/// The accused actors that are examined, with their positions: all, or the first and the last ones.
fn examined(accused: &[Actor]) -> impl Iterator<Item = (usize, &Actor)> {
    let (first, last) = (EXAMINED / 2, accused.len().saturating_sub(EXAMINED / 2));
    let few = accused.len() <= EXAMINED;
    accused.iter().enumerate().filter(move |(index, _)| few || *index < first || *index >= last)
}

#[cfg(test)]
mod tests {
    use model::FlowKey;

    use super::*;

    fn actor(number: u8) -> Actor {
        Actor::Host(format!("h{number}"))
    }

    /// A closed form: the excess as a function of the hosts that stay.
    struct Formula<F>(BTreeSet<u8>, F);

    impl<F: Fn(&BTreeSet<u8>) -> u64> Experiment for Formula<F> {
        type Error = std::convert::Infallible;

        fn excess_ns(&mut self, removed: &BTreeSet<Actor>) -> Result<u64, Self::Error> {
            let stay = self.0.iter().copied().filter(|number| !removed.contains(&actor(*number))).collect();
            Ok((self.1)(&stay))
        }
    }

    /// The same as a function of the removed actors.
    struct Removed<F>(F);

    impl<F: Fn(&BTreeSet<Actor>) -> u64> Experiment for Removed<F> {
        type Error = std::convert::Infallible;

        fn excess_ns(&mut self, removed: &BTreeSet<Actor>) -> Result<u64, Self::Error> {
            Ok((self.0)(removed))
        }
    }

    /// Checks which of the accused hosts are innocent and whether they explain the delay, in a network of ten hosts.
    #[track_caller]
    fn check(accused: &[u8], excess: impl Fn(&BTreeSet<u8>) -> u64, innocent: &[u8], explains: bool) {
        let mut formula = Formula((0..10).collect(), excess);
        let accused: Vec<Actor> = accused.iter().copied().map(actor).collect();
        let Ok(guilt) = guilt(&mut formula, &accused);
        let expected: Vec<Actor> = innocent.iter().copied().map(actor).collect();
        assert_eq!(guilt.innocent().cloned().collect::<Vec<_>>(), expected, "{guilt:?}");
        assert_eq!(guilt.explains(), explains, "{guilt:?}");
    }

    fn count(stay: &BTreeSet<u8>, of: std::ops::Range<u8>) -> u64 {
        of.filter(|number| stay.contains(number)).count() as u64
    }

    #[test]
    fn a_single_cause_is_guilty_and_a_bystander_is_not() {
        let one = |stay: &BTreeSet<u8>| if stay.contains(&0) { 100 } else { 0 };
        check(&[0], one, &[], true);
        check(&[0, 7], one, &[7], true);
        check(&[7], one, &[7], false);
    }

    #[test]
    fn every_sender_of_an_incast_is_guilty_although_none_overloads_the_port() {
        // Four senders, each with half of the port's rate: the queue is what exceeds the rate.
        let incast = |stay: &BTreeSet<u8>| (50 * count(stay, 0..4)).saturating_sub(100);
        check(&[0, 1, 2, 3], incast, &[], true);
        check(&[0, 1, 2, 3, 8], incast, &[8], true);
        check(&[0], incast, &[], false);
    }

    #[test]
    fn two_causes_of_which_each_suffices_are_both_guilty() {
        let either = |stay: &BTreeSet<u8>| if count(stay, 0..2) > 0 { 100 } else { 0 };
        check(&[0, 1], either, &[], true);
        check(&[0], either, &[0], false);
    }

    #[test]
    fn two_causes_that_need_each_other_are_both_guilty() {
        let both = |stay: &BTreeSet<u8>| if count(stay, 0..2) == 2 { 100 } else { 0 };
        check(&[0, 1], both, &[], true);
        check(&[0], both, &[], true);
    }

    #[test]
    fn senders_behind_a_full_buffer_are_guilty_although_one_more_or_less_changes_nothing() {
        // Eight senders; three fill the buffer, and one alone builds no queue.
        let full = |stay: &BTreeSet<u8>| (50 * count(stay, 0..8)).saturating_sub(60).min(100);
        check(&[0, 1, 2, 3, 4, 5], full, &[], false);
        check(&[0, 1, 2, 3, 4, 5, 6, 7], full, &[], true);
    }

    #[test]
    fn each_of_three_senders_is_guilty_if_any_two_of_them_suffice() {
        let two = |stay: &BTreeSet<u8>| if count(stay, 0..3) >= 2 { 100 } else { 0 };
        check(&[0, 1, 2], two, &[], true);
        check(&[0, 1, 2, 9], two, &[9], true);
    }

    #[test]
    fn senders_of_which_any_one_suffices_beside_others_that_are_all_needed_are_guilty() {
        // Three that fill a link to the congested port, and another link that any of three others keeps busy.
        let two_links = |stay: &BTreeSet<u8>| match (count(stay, 0..3), count(stay, 3..6)) {
            (3, 1..) => 100,
            _ => 0,
        };
        check(&[0, 1, 2, 3, 4, 5], two_links, &[], true);
        check(&[0, 1, 2, 3, 4, 5, 9], two_links, &[9], true);
        check(&[3, 4, 5, 6, 7, 8, 9], two_links, &[6, 7, 8, 9], true);
    }

    #[test]
    fn two_flows_of_one_sender_are_guilty_although_either_takes_the_place_of_the_other() {
        // Four senders with two flows each, and a buffer that is full as soon as three of them send anything. Without the smallest
        // set, the flows at positions 1 to 4 would be acquitted.
        let flow = |sender: u8, port: u16| {
            Actor::Flow(FlowKey::udp([10, 0, 0, sender].into(), port, [10, 0, 1, 0].into(), 4791))
        };
        let accused =
            [(1, 1), (2, 1), (1, 2), (3, 1), (4, 1), (2, 2), (3, 2), (4, 2)].map(|(s, p)| flow(s, p));
        let bystander = flow(9, 1);
        let is_busy =
            |removed: &BTreeSet<Actor>, sender| (1..3).any(|port| !removed.contains(&flow(sender, port)));
        let mut network = Removed(|removed: &BTreeSet<Actor>| {
            match (1..5).filter(|sender| is_busy(removed, *sender)).count() {
                3.. => 100,
                _ => 0,
            }
        });
        let Ok(found) = guilt(&mut network, &accused);
        assert_eq!(found.innocent().next(), None, "{found:?}");
        let with_bystander: Vec<Actor> = accused.iter().cloned().chain([bystander.clone()]).collect();
        let Ok(found) = guilt(&mut network, &with_bystander);
        assert_eq!(found.innocent().collect::<Vec<_>>(), [&bystander], "{found:?}");
    }

    #[test]
    fn the_partners_of_a_verdict_do_not_hide_what_its_accused_add() {
        // A pause that lasts longer than the queue of two senders at the same port, which both are needed for.
        let longer = |stay: &BTreeSet<u8>| match (stay.contains(&0), count(stay, 1..3)) {
            (true, _) => 100,
            (false, 2) => 60,
            (false, _) => 0,
        };
        let mut formula = Formula((0..10).collect(), longer);
        let Ok(mut guilt) = guilt(&mut formula, &[1, 2, 9].map(actor));
        assert_eq!(guilt.innocent().count(), 3, "{guilt:?}");
        let [partners, all] = [&[0][..], &[0, 1, 2, 9]].map(|of| of.iter().copied().map(actor).collect());
        let Ok(()) = guilt.beside(&mut formula, &partners, &all);
        assert_eq!(guilt.innocent().collect::<Vec<_>>(), [&actor(9)], "{guilt:?}");
    }

    /// Checks the guilt of a victim that alone is accused: its excess as a function of whether it has more than one packet
    /// outstanding, and of whether host 1 is there.
    #[track_caller]
    fn check_own(excess: impl Fn(bool, bool) -> u64, covered: f64) {
        let mut network = Removed(|removed: &BTreeSet<Actor>| {
            excess(!removed.contains(&Actor::Victim), !removed.contains(&actor(1)))
        });
        let Ok(guilt) = own_guilt(&mut network, &BTreeSet::from([actor(1)]));
        assert_eq!((guilt.covered, guilt.parts[&Actor::Victim]), (covered, covered), "{guilt:?}");
    }

    #[test]
    fn a_victim_that_alone_is_accused_has_the_delay_that_it_makes_without_others() {
        let of = |is: bool, value: u64| if is { value } else { 0 };
        // A queue of its own; others that change nothing, or lengthen it.
        check_own(|many, _| of(many, 100), 1.0);
        check_own(|many, others| of(many, 40 + of(others, 60)), 0.4);
        // Another class leaves it a share of the port that a single packet outstanding does not use.
        check_own(|many, others| of(many && others, 100), 0.0);
        // The queue of others, in which a single packet waits as long.
        check_own(|_, others| of(others, 100), 0.0);
        // A slow host, which is none of the others.
        check_own(|_, _| 100, 0.0);
        check_own(|_, _| 0, 0.0);
    }

    #[test]
    fn without_excess_no_actor_is_guilty() {
        check(&[0, 1], |_| 0, &[0, 1], false);
    }
}
