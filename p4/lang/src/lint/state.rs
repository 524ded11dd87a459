//! The data-flow state at a point of the program.

use std::collections::BTreeSet;

use super::storage::Loc;

/// Whether a header is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Validity {
    No,
    Maybe,
    Yes,
}

/// What holds on all paths to a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Scalars that are unwritten on some path.
    unwritten: BTreeSet<Loc>,
    /// Headers that are invalid on some path; all others are valid.
    invalid: BTreeSet<Loc>,
    /// The headers in `invalid` that are valid on some path.
    sometimes_valid: BTreeSet<Loc>,
    /// Headers whose validity the program has checked: accesses are not reported until the block ends.
    pub(super) checked: BTreeSet<Loc>,
    /// No path leads here.
    pub(super) dead: bool,
}

impl State {
    /// The state before any path has reached the point.
    pub(super) fn dead() -> State {
        State { dead: true, ..State::default() }
    }

    pub(super) fn set_written(&mut self, scalar: Loc, written: bool) {
        if written {
            self.unwritten.remove(&scalar);
        } else {
            self.unwritten.insert(scalar);
        }
    }

    pub(super) fn may_be_unwritten(&self, scalar: Loc) -> bool {
        self.unwritten.contains(&scalar)
    }

    pub(super) fn set_validity(&mut self, header: Loc, validity: Validity) {
        self.checked.remove(&header);
        self.invalid.remove(&header);
        self.sometimes_valid.remove(&header);
        if validity != Validity::Yes {
            self.invalid.insert(header);
        }
        if validity == Validity::Maybe {
            self.sometimes_valid.insert(header);
        }
    }

    pub(super) fn validity(&self, header: Loc) -> Validity {
        if self.checked.contains(&header) || !self.invalid.contains(&header) {
            Validity::Yes
        } else if self.sometimes_valid.contains(&header) {
            Validity::Maybe
        } else {
            Validity::No
        }
    }

    /// Returns the validity of an access that may refer to any of several headers.
    pub(super) fn validity_of_any(&self, headers: &[Loc]) -> Validity {
        let mut found = Validity::No;
        for header in headers {
            match self.validity(*header) {
                Validity::Yes => return Validity::Yes,
                Validity::Maybe => found = Validity::Maybe,
                Validity::No => {}
            }
        }
        if headers.is_empty() { Validity::Yes } else { found }
    }

    /// Joins the states of two paths.
    pub(super) fn join(self, other: State) -> State {
        if self.dead {
            return other;
        }
        if other.dead {
            return self;
        }
        let mut sometimes_valid: BTreeSet<Loc> =
            self.sometimes_valid.union(&other.sometimes_valid).copied().collect();
        sometimes_valid.extend(self.invalid.symmetric_difference(&other.invalid));
        State {
            unwritten: self.unwritten.union(&other.unwritten).copied().collect(),
            invalid: self.invalid.union(&other.invalid).copied().collect(),
            sometimes_valid,
            checked: self.checked.intersection(&other.checked).copied().collect(),
            dead: false,
        }
    }
}
