//! Who is the primary controller of a switch (P4Runtime specification, "Arbitration of controllers").
//!
//! A controller first bids a low election id, which never takes the role from another one. While there is a primary it
//! stands by. When there is none, because the primary's stream has ended, it bids the present time: higher than every
//! earlier bid, so that of several controllers the last one wins and the others stand by.
//!
//! The role is one of each switch, but an event is collected well only by a controller that has all of them. After a cut
//! between one controller and one switch, two controllers have a part each. A [`Claim`] ends that: the one that can reach
//! all of its switches takes the rest.

use p4runtime::client::Arbitrated;

use super::entities::fingerprint;

/// Number of low election ids.
const LOW: u128 = 1 << 32;
/// Shortest time for which a controller has a part of the switches before it claims the rest: longer than a takeover of
/// all switches takes, which happens switch by switch.
const CLAIM_NS: u64 = 1_000_000_000;
/// A random time below this is added, so that of two controllers that may claim one is first.
const CLAIM_JITTER_NS: u64 = 1_000_000_000;

/// What a controller does after an arbitration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is primary.
    Primary,
    /// Another controller is primary.
    StandBy,
    /// There is no primary: bid this election id.
    Bid(u128),
}

/// Returns a low election id; `seed` makes it unlikely that two controllers have the same one.
pub(super) fn low_bid(seed: u64) -> u128 {
    u128::from(seed) % LOW + 1
}

/// Returns what to do after an arbitration at the wall clock `now_ns`; the last bid was `bid`. A role that a low bid has
/// won is kept with a high one, so that the low bid of another controller does not take it.
pub(super) fn role(arbitrated: Arbitrated, bid: u128, now_ns: u64) -> Role {
    if arbitrated.is_primary && bid > LOW {
        return Role::Primary;
    }
    if arbitrated.has_primary && !arbitrated.is_primary {
        return Role::StandBy;
    }
    Role::Bid(high_bid(arbitrated, now_ns))
}

/// Returns an election id above all earlier ones of a switch.
pub(super) fn high_bid(arbitrated: Arbitrated, now_ns: u64) -> u128 {
    let above = arbitrated.highest.unwrap_or(0).saturating_add(1);
    above.max(u128::from(now_ns)).max(LOW + 1)
}

/// What a controller has of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// No session.
    Nothing,
    /// A session; another controller is primary.
    StandBy,
    /// It is primary.
    Primary,
}

/// Decides when a controller takes switches from another one: when it has had a session with each of its switches for
/// some time, and is primary of some of them and not of others.
///
/// A controller that lacks a session claims nothing, so that two controllers of which none reaches all switches keep
/// what they have. One that has lost its last role claims nothing either, so that the claims come to an end.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    seed: u64,
    claims: u64,
    due_ns: Option<u64>,
}

impl Claim {
    /// `seed` differs between controllers.
    pub(super) fn new(seed: u64) -> Claim {
        Claim { seed, claims: 0, due_ns: None }
    }

    /// Whether the controller claims the switches at which it stands by, now.
    pub(super) fn is_due(&mut self, now_ns: u64, holds: impl Iterator<Item = Hold> + Clone) -> bool {
        let mut all = holds.clone();
        let has = |hold: Hold| holds.clone().any(|one| one == hold);
        if !has(Hold::Primary) || !has(Hold::StandBy) || all.any(|hold| hold == Hold::Nothing) {
            self.due_ns = None;
            return false;
        }
        let wait_ns = CLAIM_NS + fingerprint(&self.claims.to_be_bytes(), self.seed) % CLAIM_JITTER_NS;
        let due_ns = *self.due_ns.get_or_insert(now_ns.saturating_add(wait_ns));
        if now_ns < due_ns {
            return false;
        }
        self.claims += 1;
        self.due_ns = None;
        true
    }

    /// When [`Claim::is_due`] must be called next, if nothing changes before.
    pub(super) fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_vacant_role_is_bid_for() {
        let check = |is_primary, has_primary, highest, bid, expected| {
            assert_eq!(role(Arbitrated { is_primary, has_primary, highest }, bid, 1 << 60), expected);
        };
        check(true, true, Some(1 << 60), 1 << 60, Role::Primary);
        check(true, true, Some(5), 5, Role::Bid(1 << 60));
        check(false, true, Some(5), 3, Role::StandBy);
        check(false, false, Some(5), 3, Role::Bid(1 << 60));
        check(false, false, Some(1 << 70), 3, Role::Bid((1 << 70) + 1));
        check(false, false, None, 3, Role::Bid(1 << 60));
        assert_eq!(
            high_bid(Arbitrated { is_primary: false, has_primary: true, highest: Some(9) }, 4),
            LOW + 1
        );
        assert!((0..1_000).all(|seed| (1..=LOW).contains(&low_bid(seed * 7_919))));
    }
    #[test]
    fn a_controller_that_reaches_all_switches_claims_the_rest() {
        use Hold::{Nothing, Primary, StandBy};
        let check = |holds: &[Hold], expected| {
            let mut claim = Claim::new(7);
            let mut is_due = |now_ns| claim.is_due(now_ns, holds.iter().copied());
            assert!(!is_due(0), "{holds:?}");
            assert_eq!(is_due(CLAIM_NS + CLAIM_JITTER_NS), expected, "{holds:?}");
        };
        check(&[Primary, StandBy], true);
        check(&[StandBy, Primary, StandBy], true);
        check(&[Primary, Primary], false);
        check(&[StandBy, StandBy], false);
        check(&[Primary, StandBy, Nothing], false);
        check(&[Primary, Nothing], false);
        check(&[], false);
    }

    #[test]
    fn a_claim_waits_again_after_a_change() {
        use Hold::{Nothing, Primary, StandBy};
        let mut claim = Claim::new(1);
        let split = [Primary, StandBy];
        assert!(!claim.is_due(0, split.into_iter()));
        let due_ns = claim.due_ns().expect("it waits");
        assert!((CLAIM_NS..CLAIM_NS + CLAIM_JITTER_NS).contains(&due_ns));
        assert!(!claim.is_due(due_ns - 1, [Primary, Nothing].into_iter()));
        assert_eq!(claim.due_ns(), None);
        assert!(!claim.is_due(due_ns, split.into_iter()), "the time begins anew");
        assert!(claim.is_due(2 * (CLAIM_NS + CLAIM_JITTER_NS), split.into_iter()));
    }

    /// Two controllers with a part each, both of which reach all switches. A claim takes effect after `delay_ns`.
    #[test]
    fn two_claims_come_to_an_end() {
        for seed in 0..200 {
            let mut claims = [Claim::new(seed), Claim::new(seed + 1_000)];
            let mut primaries = [0usize, 1, 0];
            let mut pending: Option<(u64, usize)> = None;
            let end_ns = (0..60_000).map(|ms| ms * 1_000_000).find(|now_ns| {
                if let Some((_, claimer)) = pending.take_if(|(at_ns, _)| *at_ns <= *now_ns) {
                    primaries = [claimer; 3];
                }
                for (own, claim) in claims.iter_mut().enumerate() {
                    let hold = |primary: &usize| if *primary == own { Hold::Primary } else { Hold::StandBy };
                    if claim.is_due(*now_ns, primaries.iter().map(hold)) {
                        pending = Some((now_ns + 20_000_000, own));
                    }
                }
                primaries.iter().all(|primary| *primary == primaries[0])
            });
            assert!(end_ns.is_some(), "seed {seed}");
        }
    }
}
