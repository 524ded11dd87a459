//! The remaining budget of passes and jumps of a received packet and its copies.

use crate::config::Limits;

/// Passes and backward jumps that are left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Passes through ingress or egress ([`Limits::passes_per_packet`]).
    pub(crate) passes: u32,
    /// Backward jumps ([`Limits::jumps_per_packet`]).
    pub(crate) jumps: u32,
}

impl Budget {
    /// Returns the budget of a received packet.
    pub(crate) fn new(limits: &Limits) -> Budget {
        Budget { passes: limits.passes_per_packet, jumps: limits.jumps_per_packet }
    }

    /// Returns the budget after starting one more pass; `None` if no pass is left.
    pub(crate) fn pass(self) -> Option<Budget> {
        Some(Budget { passes: self.passes.checked_sub(1)?, ..self })
    }

    /// Divides the budget into `parts` equal shares. Returns one share, and what remains after `copies` shares were
    /// taken.
    pub(crate) fn divided(self, parts: u32, copies: u32) -> (Budget, Budget) {
        let parts = parts.max(1);
        let share = Budget { passes: self.passes / parts, jumps: self.jumps / parts };
        let left = Budget {
            passes: self.passes.saturating_sub(share.passes.saturating_mul(copies)),
            jumps: self.jumps.saturating_sub(share.jumps.saturating_mul(copies)),
        };
        (share, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_remainder_add_up_to_the_budget() {
        let budget = Budget { passes: 20, jumps: 1_000 };
        for parts in 1..40 {
            let copies = parts - 1;
            let (share, left) = budget.divided(parts, copies);
            assert!(share.passes * copies + left.passes == 20 && share.jumps * copies + left.jumps == 1_000);
        }
        assert_eq!(Budget { passes: 1, jumps: 5 }.pass(), Some(Budget { passes: 0, jumps: 5 }));
        assert_eq!(Budget { passes: 0, jumps: 5 }.pass(), None);
    }
}
