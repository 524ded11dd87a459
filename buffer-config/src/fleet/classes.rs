//! Lossless classes of both ends of the links: one finding for each switch that has to change.

use super::ends::{End, What};
use super::kept::{Kept, LOSSY, UNKNOWN};
use super::priorities::{Reported, by_wrong_end};
use super::{Finding, Fleet};
use crate::device::Repair;
use crate::finding::Severity;

/// The number of DSCPs that a message names.
const NAMED_DSCPS: usize = 4;

/// The DSCPs that are lossless at one end, and lossy or in another priority at the other end.
struct Differing {
    /// A DSCP, and its mark at both ends.
    dscps: Vec<(usize, char, char)>,
}

impl Fleet {
    /// Reports the differences. SONiC switches of one role are compared with each other instead.
    pub(super) fn classes(
        &self,
        links: &[(End<'_>, End<'_>)],
        priorities: &Reported,
        found: &mut Vec<Finding>,
    ) {
        let has_other_system = |one: &Kept, other: &Kept| one.system.is_some() || other.system.is_some();
        let differ = links.iter().copied().filter(|(one, other)| {
            (has_other_system(one.0, other.0) || one.0.role != other.0.role)
                && !self.differing(*one, *other).dscps.is_empty()
        });
        let differ: Vec<(End<'_>, End<'_>)> = differ.collect();
        // At a tie, the end of the other system, because its repair is a command.
        let rank = |_: End<'_>, _: End<'_>| 0;
        for group in by_wrong_end(&differ, rank, |(_, own), (_, peer)| (own.classes, peer.classes)) {
            let Some((end, peer)) = group.first().copied() else { continue };
            let Differing { dscps } = self.differing(end, peer);
            let Some((dscp, own, expected)) = dscps.first().copied() else { continue };
            let at = |count: usize| if count > 1 { "their neighbours".to_string() } else { self.end(peer) };
            let ports: Vec<&str> = group.iter().map(|((_, link), _)| self.names.of(link.port)).collect();
            let who = match ports.as_slice() {
                [_] => self.end(end),
                _ => format!("{} of {}", crate::rules::names(&ports), self.name_of(end.0)),
            };
            let message = format!(
                "{}: {} at {who}, {} at {}",
                list(&dscps),
                text(own),
                text(expected),
                at(ports.len())
            );
            let base = self.at(end, ("FLEET009", Severity::Error, What::Classes), message);
            let lacks = |end: End<'_>, own: char, other: char| {
                let priority = other.to_digit(10);
                own == LOSSY && priority.zip(end.1.pfc).is_some_and(|(p, mask)| mask >> p & 1 == 0)
            };
            // A DSCP is lossy at an end that does not enable PFC for the priority of the other end.
            let is_explained = dscps.iter().all(|(_, p, q)| lacks(end, *p, *q) || lacks(peer, *q, *p));
            let causes = match is_explained {
                true => group.iter().filter_map(|(one, other)| priorities.cause_at(*one, *other)).collect(),
                false => Vec::new(),
            };
            let base = Finding { causes, ports: ports.iter().map(ToString::to_string).collect(), ..base };
            let class = expected.to_digit(10).map(|class| class as u8);
            found.push(match class {
                Some(class) => self.repaired(base, end, Repair::MapDscp { dscp: dscp as u8, class }),
                None => base,
            });
        }
    }

    fn differing(&self, one: End<'_>, other: End<'_>) -> Differing {
        let [x, y] = [one.1.classes, other.1.classes].map(|n| self.names.of(n));
        let pairs = x.chars().zip(y.chars()).enumerate();
        let differ = pairs.filter(|(_, (p, q))| p != q && *p != UNKNOWN && *q != UNKNOWN);
        Differing { dscps: differ.map(|(dscp, (p, q))| (dscp, p, q)).collect() }
    }
}

fn text(mark: char) -> String {
    if mark == LOSSY { "lossy".to_string() } else { format!("priority {mark}") }
}

fn list(dscps: &[(usize, char, char)]) -> String {
    let named: Vec<String> = dscps.iter().take(NAMED_DSCPS).map(|(dscp, ..)| dscp.to_string()).collect();
    let more = match dscps.len().saturating_sub(NAMED_DSCPS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("DSCP {}{more}", named.join(", "))
}
