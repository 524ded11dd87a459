//! What a packet has accessed on the way to a point of the program.

use std::collections::BTreeMap;

use super::objects::RegisterId;
use crate::source::Span;

/// The calls that lead to an access, outermost first, then the access itself.
pub(super) type Route = Vec<Span>;

/// The registers accessed on some path to a point.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    accessed: BTreeMap<RegisterId, Route>,
    /// No path leads here.
    pub(super) dead: bool,
}

impl State {
    /// The state before any path has reached the point.
    pub(super) fn dead() -> State {
        State { dead: true, ..State::default() }
    }

    /// Adds an access; returns an earlier one to the same register.
    pub(super) fn access(&mut self, register: RegisterId, route: &Route) -> Option<Route> {
        let earlier = self.accessed.get(&register).cloned();
        if earlier.is_none() {
            self.accessed.insert(register, route.clone());
        }
        earlier
    }

    /// Joins the states of two paths.
    pub(super) fn join(mut self, other: State) -> State {
        if self.dead {
            return other;
        }
        if !other.dead {
            for (register, route) in other.accessed {
                self.accessed.entry(register).or_insert(route);
            }
        }
        self
    }
}
