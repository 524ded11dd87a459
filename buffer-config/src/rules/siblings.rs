//! What nearly all ports of a switch have in common: the one or the few that differ are likely mistakes.

use std::collections::BTreeMap;

use super::context::Context;
use crate::resolved::ResolvedPort;

/// The fewest ports that are compared.
const FEWEST_PORTS: usize = 4;

/// Whether some ports are nearly all: at least three quarters of four or more. Two kinds of links may have two
/// settings.
pub(crate) fn are_nearly_all(count: usize, all: usize) -> bool {
    all >= FEWEST_PORTS && count * 4 >= all * 3
}

/// The value that nearly all ports have.
pub(crate) fn usual<T: Ord>(values: impl IntoIterator<Item = T>) -> Option<T> {
    usual_by_kind(values.into_iter().map(|value| ((), value))).remove(&())
}

/// For each kind of port, the value that nearly all ports of the kind have.
pub(crate) fn usual_by_kind<K: Ord, T: Ord>(ports: impl IntoIterator<Item = (K, T)>) -> BTreeMap<K, T> {
    usual_counted(ports.into_iter().map(|(kind, value)| (kind, value, 1)))
}

/// Like [`usual_by_kind`], for numbers of equal ports: kind, value and number.
pub(crate) fn usual_counted<K: Ord, T: Ord>(
    ports: impl IntoIterator<Item = (K, T, usize)>,
) -> BTreeMap<K, T> {
    let mut kinds: BTreeMap<K, BTreeMap<T, usize>> = BTreeMap::new();
    for (kind, value, count) in ports {
        *kinds.entry(kind).or_default().entry(value).or_default() += count;
    }
    let usual = |counts: BTreeMap<T, usize>| {
        let all = counts.values().sum();
        counts.into_iter().find(|(_, count)| are_nearly_all(*count, all)).map(|(value, _)| value)
    };
    kinds.into_iter().filter_map(|(kind, counts)| Some((kind, usual(counts)?))).collect()
}

/// The mark of a DSCP whose class has no PFC.
pub(super) const LOSSY: u8 = u8::MAX;

/// The lossless class of each DSCP on a port, or [`LOSSY`].
pub(super) fn lossless_classes(port: &ResolvedPort) -> [u8; 64] {
    port.dscp_to_tc
        .0
        .map(|class| if class < 8 && port.pfc_priorities >> class & 1 == 1 { class } else { LOSSY })
}

/// For each set of priorities with PFC, the lossless class of each DSCP on nearly all ports that have it.
pub(super) fn usual_classes(cx: &Context<'_, '_>) -> BTreeMap<u8, [u8; 64]> {
    let lossless = cx.port_kinds().filter(|(port, _)| port.is_up && port.pfc_priorities != 0);
    usual_counted(lossless.map(|(port, count)| (port.pfc_priorities, lossless_classes(port), count)))
}

#[cfg(test)]
mod tests {
    use super::{usual, usual_by_kind};

    #[test]
    fn three_quarters_of_four_ports_are_nearly_all() {
        assert_eq!(usual([1, 2, 1, 1]), Some(1));
        assert_eq!(usual([1, 2, 2, 1]), None);
        assert_eq!(usual([1, 1, 1]), None, "too few");
        assert_eq!(usual(Vec::<u8>::new()), None);
    }

    #[test]
    fn kinds_of_ports_are_compared_separately() {
        let ports =
            [("a", 1), ("b", 2), ("a", 1), ("b", 2), ("a", 1), ("b", 2), ("a", 1), ("b", 3), ("c", 4)];
        assert_eq!(usual_by_kind(ports).into_iter().collect::<Vec<_>>(), [("a", 1), ("b", 2)]);
    }
}
