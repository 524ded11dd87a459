//! Port channels of both ends of the links.

use std::collections::BTreeMap;

use super::ends::{End, What};
use super::priorities::{Id, id};
use super::{Finding, Fleet};
use crate::finding::Severity;

/// Where the members of a port channel lead: a port channel of another switch, `None` for a port without one.
type Peer = (Id, Option<u32>);

impl Fleet {
    /// Reports ends that form no port channel with the other end: only one of them is a member, only one uses LACP, or
    /// members of one port channel lead to several port channels of one switch.
    pub(super) fn port_channels(&self, links: &[(End<'_>, End<'_>)], found: &mut Vec<Finding>) {
        let mut members: BTreeMap<(Id, u32), Vec<(End<'_>, End<'_>)>> = BTreeMap::new();
        for (one, other) in links.iter().copied() {
            for (end, peer) in [(one, other), (other, one)] {
                if let (Some(own), Some(_)) = (self.member(end), peer.1.port_channel) {
                    members.entry((id(end.0), own)).or_default().push((end, peer));
                }
            }
        }
        let mut split: Vec<(Id, u32)> = Vec::new();
        for ((switch, channel), links) in &members {
            // Members of one port channel of the peer, each in a port channel of its own here, are reported once.
            if self.splits(*channel, links, &split, found) {
                split.push((*switch, *channel));
            }
        }
        for (one, other) in links.iter().copied() {
            self.membership(one, other, found);
        }
    }

    /// The port channel that a port is a member of.
    fn member(&self, end: End<'_>) -> Option<u32> {
        end.1.port_channel.filter(|channel| !self.names.of(*channel).is_empty())
    }

    /// Only one end is a member, or uses LACP.
    fn membership(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
        // An end of which the file states nothing.
        if one.1.port_channel.is_none() || other.1.port_channel.is_none() {
            return;
        }
        let (x, y) = (self.member(one), self.member(other));
        let (with, without, channel) = match (x, y) {
            (Some(channel), None) => (one, other, channel),
            (None, Some(channel)) => (other, one, channel),
            (Some(_), Some(_)) if one.1.has_lacp != other.1.has_lacp => {
                let (with, without) = if one.1.has_lacp { (one, other) } else { (other, one) };
                let message = format!(
                    "{} uses LACP, the port channel of {} does not",
                    self.end(with),
                    self.end(without)
                );
                found.push(self.at(without, ("FLEET013", Severity::Error, What::PortChannel), message));
                return;
            }
            _ => return,
        };
        let message = format!(
            "{} is a member of {}, {} of no port channel",
            self.end(with),
            self.names.of(channel),
            self.end(without)
        );
        found.push(self.at(without, ("FLEET013", Severity::Error, What::PortChannel), message));
    }

    /// Members that lead to another port channel of the switch that most of them lead to. Members that lead to several
    /// switches may be correct: the switches may act as one (MC-LAG).
    fn splits(
        &self,
        channel: u32,
        links: &[(End<'_>, End<'_>)],
        reported: &[(Id, u32)],
        found: &mut Vec<Finding>,
    ) -> bool {
        let mut peers: BTreeMap<Peer, Vec<(End<'_>, End<'_>)>> = BTreeMap::new();
        for (end, peer) in links {
            if let Some(other) = self.member(*peer) {
                peers.entry((id(peer.0), Some(other))).or_default().push((*end, *peer));
            }
        }
        let mut has_split = false;
        let mut last: Option<(&Peer, &Vec<(End<'_>, End<'_>)>)> = None;
        for (peer, ends) in &peers {
            let is_reported = |p: &Peer| p.1.is_some_and(|other| reported.contains(&(p.0, other)));
            if let Some((before, known)) = last
                && before.0 == peer.0
                && !is_reported(before)
                && !is_reported(peer)
                && let (Some((end, one)), Some((_, other))) = (ends.first(), known.first())
            {
                let name = |end: End<'_>| self.names.of(end.1.port_channel.unwrap_or(u32::MAX)).to_string();
                let message = format!(
                    "members of {} of {} lead to {} and {} of {}",
                    self.names.of(channel),
                    self.name_of(end.0),
                    name(*other),
                    name(*one),
                    self.name_of(one.0)
                );
                found.push(self.at(*end, ("FLEET013", Severity::Error, What::PortChannel), message));
                has_split = true;
            }
            last = Some((peer, ends));
        }
        has_split
    }
}
