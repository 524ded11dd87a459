//! Who is the primary controller of a switch (P4Runtime specification, "Arbitration of controllers").
//!
//! A controller first bids a low election id, which never takes the role from another one. While there is a primary it
//! stands by. When there is none, because the primary's stream has ended, it bids the present time: higher than every
//! earlier bid, so that of several controllers the last one wins and the others stand by.

use p4runtime::client::Arbitrated;

/// Number of low election ids.
const LOW: u128 = 1 << 32;

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
    let above = arbitrated.highest.unwrap_or(0).saturating_add(1);
    Role::Bid(above.max(u128::from(now_ns)).max(LOW + 1))
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
        assert!((0..1_000).all(|seed| (1..=LOW).contains(&low_bid(seed * 7_919))));
    }
}
