//! What is known at a point of the program.

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
    /// Scalars that some path has not written.
    unwritten: BTreeSet<Loc>,
    /// Headers that are not valid on all paths; those absent are valid.
    invalid: BTreeSet<Loc>,
    /// Headers that are valid on some path, of those in `invalid`.
    perhaps: BTreeSet<Loc>,
    /// Headers whose validity the program has asked for: nothing is said about them until the block ends.
    pub(super) asked: BTreeSet<Loc>,
    /// No path leads here.
    pub(super) dead: bool,
}

impl State {
    /// The state before any path has arrived.
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
        self.asked.remove(&header);
        self.invalid.remove(&header);
        self.perhaps.remove(&header);
        if validity != Validity::Yes {
            self.invalid.insert(header);
        }
        if validity == Validity::Maybe {
            self.perhaps.insert(header);
        }
    }

    pub(super) fn validity(&self, header: Loc) -> Validity {
        if self.asked.contains(&header) || !self.invalid.contains(&header) {
            Validity::Yes
        } else if self.perhaps.contains(&header) {
            Validity::Maybe
        } else {
            Validity::No
        }
    }

    /// Of several headers any of which may be meant.
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

    /// Where two paths meet.
    pub(super) fn join(self, other: State) -> State {
        if self.dead {
            return other;
        }
        if other.dead {
            return self;
        }
        let mut perhaps: BTreeSet<Loc> = self.perhaps.union(&other.perhaps).copied().collect();
        perhaps.extend(self.invalid.symmetric_difference(&other.invalid));
        State {
            unwritten: self.unwritten.union(&other.unwritten).copied().collect(),
            invalid: self.invalid.union(&other.invalid).copied().collect(),
            perhaps,
            asked: self.asked.intersection(&other.asked).copied().collect(),
            dead: false,
        }
    }
}
