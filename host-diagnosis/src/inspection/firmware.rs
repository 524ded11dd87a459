//! Firmware that affects RoCE: the vendor's published issues, as data.

/// When an issue applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueCondition {
    /// On every NIC with this firmware.
    Always,
    /// If the sender's reaction to CNPs is on for some priorities and off for others.
    UnequalReaction,
}

/// A published issue of a firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirmwareIssue {
    /// The vendor's number.
    pub reference: &'static str,
    /// First number of the firmware's version, which identifies the NIC.
    pub family: u32,
    /// The NIC.
    pub nic: &'static str,
    /// The first version in which it was seen: second and third number.
    pub since: (u32, u32),
    /// The first version without it; `None` if the vendor names none.
    pub fixed: Option<(u32, u32)>,
    /// When it applies.
    pub condition: IssueCondition,
    /// What happens.
    pub effect: &'static str,
    /// What to do.
    pub fix: &'static str,
    /// Where it is published.
    pub source: &'static str,
}

/// Congestion control is global rather than per priority.
const GLOBAL_REACTION: FirmwareIssue = FirmwareIssue {
    reference: "4394475",
    family: 22,
    nic: "ConnectX-6 Dx",
    since: (45, 1020),
    fixed: None,
    condition: IssueCondition::UnequalReaction,
    effect: "congestion control applies to all priorities alike, whatever is set for each",
    fix: "set the same value for all priorities in ecn/roce_rp/enable or ROCE_CC_PRIO_MASK_P1",
    source: "docs.nvidia.com, ConnectX-6 Dx firmware 22.46.3048, known issues",
};

/// The issues, by NIC.
pub const FIRMWARE_ISSUES: &[FirmwareIssue] = &[
    GLOBAL_REACTION,
    FirmwareIssue {
        family: 28,
        nic: "ConnectX-7",
        source: "docs.nvidia.com, ConnectX-7 firmware 28.46.3048, known issues",
        ..GLOBAL_REACTION
    },
    FirmwareIssue {
        reference: "4604969",
        family: 28,
        nic: "ConnectX-7",
        since: (47, 1026),
        fixed: None,
        condition: IssueCondition::Always,
        effect: "RTT probes of congestion control may be dropped while several of its flows are active",
        fix: "prefer DCQCN to congestion control by RTT probes with this firmware",
        source: "docs.nvidia.com, ConnectX-7 firmware 28.47.1026, known issues",
    },
    FirmwareIssue {
        reference: "3708035",
        family: 32,
        nic: "BlueField-3",
        since: (38, 1002),
        fixed: Some((40, 1000)),
        condition: IssueCondition::Always,
        effect: "with selective repeat, a retransmission may start only after the timeout instead of the NAK",
        fix: "update to 32.40.1000 or later",
        source: "docs.nvidia.com, BlueField-3 firmware 32.42.1000, bug fixes history",
    },
    FirmwareIssue {
        reference: "3729783",
        family: 32,
        nic: "BlueField-3",
        since: (39, 2048),
        fixed: Some((41, 1000)),
        condition: IssueCondition::Always,
        effect: "congestion control may malfunction",
        fix: "update to 32.41.1000 or later",
        source: "docs.nvidia.com, BlueField-3 firmware 32.42.1000, bug fixes history",
    },
];

/// Returns the numbers of a version such as `22.39.1002`; a remark in parentheses is ignored.
pub(super) fn version(text: &str) -> Option<(u32, (u32, u32))> {
    let mut numbers = text.split_whitespace().next()?.splitn(3, '.').map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, (next()?, next()?)))
}

impl FirmwareIssue {
    /// Whether a version has the issue, its condition aside.
    pub(super) fn affects(&self, version: (u32, (u32, u32))) -> bool {
        version.0 == self.family
            && version.1 >= self.since
            && self.fixed.is_none_or(|fixed| version.1 < fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_the_first_affected_to_the_fix_have_the_issue() {
        let issue = FIRMWARE_ISSUES.iter().find(|issue| issue.reference == "3708035").unwrap();
        let check = |text: &str, expected| {
            assert_eq!(version(text).map(|version| issue.affects(version)), expected, "{text}");
        };
        check("32.38.1001", Some(false));
        check("32.38.1002", Some(true));
        check("32.39.9999 (MT_0000000884)", Some(true));
        check("32.40.1000", Some(false));
        check("28.39.1002", Some(false));
        check("14.32", None);
        check("", None);
    }
}
