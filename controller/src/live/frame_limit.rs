//! Limit of the frames that a session passes on: a host that floods its switch with LLDP must not delay the digests.

/// Frames of a switch in a second; further ones are dropped. An interval of announcements on 64 ports needs 64.
const FRAMES_PER_SECOND: u32 = 512;
const SECOND_NS: u64 = 1_000_000_000;

/// Counts the frames of the present second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameLimit {
    since_ns: u64,
    passed: u32,
}

impl FrameLimit {
    /// Whether a frame that arrives at `now_ns` may pass.
    pub(super) fn may_pass(&mut self, now_ns: u64) -> bool {
        if now_ns.abs_diff(self.since_ns) >= SECOND_NS {
            *self = FrameLimit { since_ns: now_ns, passed: 0 };
        }
        self.passed = self.passed.saturating_add(1);
        self.passed <= FRAMES_PER_SECOND
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_beyond_the_limit_pass_in_the_next_second() {
        let mut limit = FrameLimit::default();
        let passed = |limit: &mut FrameLimit, now_ns| (0..1_000).filter(|_| limit.may_pass(now_ns)).count();
        assert_eq!(passed(&mut limit, 5 * SECOND_NS), FRAMES_PER_SECOND as usize);
        assert!(!limit.may_pass(6 * SECOND_NS - 1));
        assert_eq!(passed(&mut limit, 6 * SECOND_NS), FRAMES_PER_SECOND as usize);
    }
}
