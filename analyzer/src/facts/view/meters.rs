//! Traffic through a switch: its meter rows by ingress port, and then by egress port.
//!
//! A large network has a million rows. A linear search would spend most of its time on irrelevant rows, so the ports
//! are kept in separate arrays.

use std::ops::Range;

use model::telemetry::MeterRecord;

use super::{SwitchView, View};

/// The rows of one ingress port.
pub(super) struct Input {
    port: u16,
    rows: Range<usize>,
}

impl<'a> View<'a> {
    /// Adds the rows of a switch; returns the range of its ingress ports.
    pub(super) fn add_meters(&mut self, rows: impl Iterator<Item = &'a MeterRecord>) -> Range<usize> {
        let (mut from, inputs) = (self.meters.len(), self.inputs.len());
        self.meters.extend(rows);
        let added = &mut self.meters[from..];
        added.sort_by_key(|m| (m.ingress_port, m.egress_port, m.epoch, m.bytes, m.packets));
        self.egress_ports.extend(added.iter().map(|m| m.egress_port));
        for rows in added.chunk_by(|a, b| a.ingress_port == b.ingress_port) {
            let Some(first) = rows.first() else { continue };
            self.inputs.push(Input { port: first.ingress_port, rows: from..from + rows.len() });
            from += rows.len();
        }
        inputs..self.inputs.len()
    }

    /// All rows of a switch, by ingress and egress port.
    pub(crate) fn meters(&self, switch: &SwitchView<'_>) -> &[&'a MeterRecord] {
        let inputs = &self.inputs[switch.inputs.clone()];
        match (inputs.first(), inputs.last()) {
            (Some(first), Some(last)) => &self.meters[first.rows.start..last.rows.end],
            _ => &[],
        }
    }

    /// The egress ports of the traffic of one ingress port, ascending, each with its rows by epoch.
    pub(crate) fn traffic_of(
        &self,
        switch: &SwitchView<'_>,
        ingress: u16,
    ) -> impl Iterator<Item = (u16, &[&'a MeterRecord])> {
        let range = self.rows_from(switch, ingress);
        let mut from = range.start;
        let by_egress = self.egress_ports[range].chunk_by(|a, b| a == b);
        by_egress.filter_map(move |same| {
            let rows = &self.meters[from..from + same.len()];
            from += same.len();
            Some((*same.first()?, rows))
        })
    }

    /// The rows from one ingress port to one egress port, by epoch.
    pub(crate) fn meters_between(
        &self,
        switch: &SwitchView<'_>,
        ingress: u16,
        egress: u16,
    ) -> &[&'a MeterRecord] {
        let range = self.rows_from(switch, ingress);
        let ports = &self.egress_ports[range.clone()];
        let from = ports.partition_point(|port| *port < egress);
        let to = ports.partition_point(|port| *port <= egress);
        &self.meters[range][from..to]
    }

    fn rows_from(&self, switch: &SwitchView<'_>, ingress: u16) -> Range<usize> {
        let inputs = &self.inputs[switch.inputs.clone()];
        inputs.binary_search_by_key(&ingress, |input| input.port).map_or(0..0, |at| inputs[at].rows.clone())
    }
}
