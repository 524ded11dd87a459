//! Bounds the work of a compilation, and lets another thread cancel it.
//!
//! A few bytes can describe any amount of work: a file that includes itself twice, a macro that doubles its argument.
//! The preprocessor and the checker therefore count what they do, independently of the machine and its load.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels a compilation. Clones cancel the same compilation.
///
/// ```
/// use p4_lang::{Cancel, MemoryLoader, Options, compile};
///
/// let options = Options { cancel: Cancel::default(), ..Options::default() };
/// options.cancel.cancel();
/// let loader = MemoryLoader::new().with("main.p4", "const int a = 1;");
/// assert!(compile("main.p4", &loader, &options).has_errors());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Makes the compilation end soon, with an error.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the compilation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Units of work that a phase may still do.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Cell<u64>,
    cancel: Cancel,
}

impl Budget {
    pub(crate) fn new(units: u64, cancel: &Cancel) -> Budget {
        Budget { left: Cell::new(units), cancel: cancel.clone() }
    }

    /// Takes units; returns false if they are spent or the compilation is cancelled, from then on for every call.
    #[must_use]
    pub(crate) fn spend(&self, units: usize) -> bool {
        let left = self.left.get().checked_sub(units as u64).filter(|_| !self.cancel.is_cancelled());
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns the message for the user: `otherwise`, unless the compilation was cancelled.
    pub(crate) fn reason<'t>(&self, otherwise: &'t str) -> &'t str {
        if self.is_cancelled() { "the compilation was cancelled" } else { otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_or_cancelled_budget_stays_empty() {
        let cancel = Cancel::default();
        let budget = Budget::new(10, &cancel);
        assert!(budget.spend(9));
        assert!(!budget.spend(2));
        assert!(!budget.spend(1), "a refused request empties the budget");
        let budget = Budget::new(10, &cancel);
        cancel.cancel();
        assert!(!budget.spend(1));
        assert_eq!(budget.reason("too large"), "the compilation was cancelled");
    }
}
