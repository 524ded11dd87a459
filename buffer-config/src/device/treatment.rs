//! What a policy map or an access list does with packets besides giving them a class: other DSCPs, policers, drops.

use super::access::{AccessList, Reach};
use super::lines::Word;
use super::{Placed, System};
use crate::source::Span;

/// The highest rate of a policer that drops packets, bit/s; `None` if the unit is packets or percent.
pub(crate) type Rate = Option<u64>;

/// An access list that a class map refers to, as far as the class map uses it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListUse {
    pub(crate) name: String,
    /// Where the class map refers to it.
    pub(crate) span: Span,
    pub(crate) is_empty: bool,
    /// The part of RoCEv2 that it gives the class.
    pub(crate) reach: Reach,
    /// Whether it gives every packet to the class.
    pub(crate) is_everything: bool,
    /// A deny rule that does not do what it says: its text, number and position.
    pub(crate) ignored_deny: Option<(String, Option<u32>, Span)>,
    /// Whether a rule names the port of RoCEv2, or that of iSCSI.
    pub(crate) names_roce_port: bool,
    pub(crate) is_iscsi: bool,
}

impl ListUse {
    pub(super) fn new(name: Word<'_>, list: &AccessList, system: System) -> Self {
        Self {
            name: name.text.to_string(),
            span: name.span,
            is_empty: list.rules.is_empty(),
            reach: list.reach(system),
            is_everything: list.everything(system).is_some(),
            ignored_deny: list.ignored_deny(system).map(|rule| (rule.text.clone(), rule.number, rule.span)),
            names_roce_port: list.rules.iter().any(|rule| rule.names_roce_port),
            is_iscsi: list.rules.iter().any(|rule| rule.is_iscsi),
        }
    }
}

/// What happens to the packets of one class of a policy map, or of one rule of an access list (NVUE).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Treatment {
    /// The policy map and its class, or the access list and its rule.
    pub(crate) policy: String,
    pub(crate) class: String,
    pub(crate) span: Span,
    /// Whether it concerns packets that are sent.
    pub(crate) is_output: bool,
    /// The class that the packets get, or have (output policies).
    pub(crate) number: Option<u8>,
    /// The DSCPs of its packets.
    pub(crate) dscps: Vec<u8>,
    /// Whether it takes packets by something that is not known here.
    pub(crate) by_other: bool,
    /// The part of RoCEv2 that access lists give it.
    pub(crate) roce: Reach,
    /// Whether it takes all packets that no class before it does.
    pub(crate) takes_rest: bool,
    pub(crate) lists: Vec<ListUse>,
    pub(crate) new_dscp: Option<Placed<u8>>,
    pub(crate) new_cos: Option<Placed<u8>>,
    pub(crate) policer: Option<Placed<Rate>>,
    /// The commands of the new DSCP, of the new 802.1p priority and of the policer, as written.
    pub(crate) commands: [String; 3],
}

/// A filter of a port that drops RoCEv2, or packets with some DSCPs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filter {
    pub(crate) list: String,
    /// The rule that drops the packets, as written; `None` if no rule permits them.
    pub(crate) rule: Option<String>,
    /// The DSCPs of the packets; empty for all of RoCEv2.
    pub(crate) dscps: Vec<u8>,
    pub(crate) span: Span,
}

impl Filter {
    /// The filter with an access list, if it drops RoCEv2 or some DSCPs.
    pub(crate) fn of(name: &str, list: &AccessList) -> Option<Self> {
        let (rule, dscps) = match (list.drops_dscps(), list.drops()) {
            (Some(rule), _) => (Some(rule), rule.dscps.clone()),
            (None, Some(rule)) => (rule, Vec::new()),
            (None, None) => return None,
        };
        let span = rule.map_or(list.span, |rule| rule.span);
        Some(Self { list: name.to_string(), rule: rule.map(|rule| rule.text.clone()), dscps, span })
    }
}
