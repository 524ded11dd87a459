//! From what was read of a switch, now and before, to its part of a snapshot.

use std::collections::{BTreeMap, BTreeSet};

use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use model::{Gap, PortRef, SwitchTelemetry};

use crate::layout::{PauseLog, TelemetryLayout};

use super::event::Part;
use super::switch::Switch;

/// A switch's part of a snapshot, and what is missing from it.
pub(super) struct Merged {
    pub(super) telemetry: SwitchTelemetry,
    pub(super) missing: Vec<Gap>,
}

/// Which epochs belong to a freeze.
struct Window<'s> {
    layout: &'s TelemetryLayout,
    frozen_ns: u64,
    /// Oldest epoch of the ring.
    oldest: u64,
    /// Egress ports that were paused at the freeze since an earlier epoch: what was counted at them last tells what
    /// they wait for, however long ago that was.
    stuck: BTreeMap<u16, u64>,
}

impl Window<'_> {
    fn holds(&self, egress_port: u16, epoch: u64) -> bool {
        let oldest = self.stuck.get(&egress_port).copied().unwrap_or(self.oldest).min(self.oldest);
        oldest <= epoch && epoch <= self.frozen_ns >> self.layout.epoch_shift
    }

    fn start_ns(&self) -> u64 {
        self.oldest << self.layout.epoch_shift
    }
}

/// Puts together what `switch` had counted when it was frozen for `part`: the frozen bank, other banks whose epochs
/// were still in the ring, and exported slots. A row's own generation says whether it was written before the freeze:
/// a bank that could not be read in its time brings its rows later.
pub(super) fn merge(name: &str, switch: &Switch, part: &Part) -> Option<Merged> {
    let bank = switch.bank(part.generation)?;
    let layout = &switch.layout;
    let epochs = layout.epochs;
    let newest = part.frozen_ns >> layout.epoch_shift;
    let mut window = Window {
        layout,
        frozen_ns: part.frozen_ns,
        oldest: newest.saturating_sub(epochs - 1),
        stuck: BTreeMap::new(),
    };
    for log in &bank.pauses {
        if let Some(open) = open_at_freeze(log, part.frozen_ns) {
            let oldest = (open.start_ns >> layout.epoch_shift).saturating_sub(epochs - 1);
            let known = window.stuck.entry(log.port).or_insert(oldest);
            *known = oldest.min(*known);
        }
    }

    let mut bytes = 0;
    let flows = merge_flows(switch, part, &window, &mut bytes);
    let ports = merge_ports(switch, part, &window, &mut bytes);
    let meters = merge_meters(switch, part, &window, &mut bytes);
    let mut missing = missing_banks(name, switch, part, &window);
    let logs = with_earlier(switch, part, &bank.pauses);
    let pauses = cut_pauses(name, &logs, &window, &mut bytes, &mut missing);
    let lost = switch.exports_lost(window.start_ns(), part.evictions);
    if lost > 0 {
        missing.push(Gap::EvictionsLost { switch: name.to_string(), slots: lost });
    }
    if let Some((event, asked_ns)) = part.frozen_for {
        missing.push(Gap::FrozenBefore {
            switch: name.to_string(),
            event,
            frozen_ns: part.frozen_ns,
            asked_ns,
        });
    }
    if part.report_lost {
        missing.push(Gap::ReportLost { switch: name.to_string() });
    }

    let seen: BTreeSet<u64> = flows
        .iter()
        .map(|f| f.epoch)
        .chain(ports.iter().map(|p| p.epoch))
        .chain(meters.iter().map(|m| m.epoch))
        .collect();
    let telemetry = SwitchTelemetry {
        switch: name.to_string(),
        frozen_ns: part.frozen_ns,
        polled_from: part.polled_from.iter().copied().collect(),
        on_victim_path: part.on_victim_path,
        back_port: part.back_port,
        epochs: seen.into_iter().map(|id| epoch_info(layout, id, part.frozen_ns)).collect(),
        flows,
        ports,
        meters,
        pauses,
        bytes,
    };
    Some(Merged { telemetry, missing })
}

fn epoch_info(layout: &TelemetryLayout, id: u64, frozen_ns: u64) -> EpochInfo {
    let start_ns = id << layout.epoch_shift;
    EpochInfo { id, start_ns, end_ns: (start_ns + layout.epoch_ns()).min(frozen_ns) }
}

/// Bytes of an element as the register holds it.
fn element(register: &crate::layout::Register) -> u64 {
    register.word.bytes() as u64
}

fn merge_flows(switch: &Switch, part: &Part, window: &Window<'_>, bytes: &mut u64) -> Vec<FlowRecord> {
    let fields = &switch.layout.flows[0];
    let size = element(&fields.ids) + element(&fields.counts) + element(&fields.marks);
    let slots = switch.history.iter().flat_map(|bank| &bank.flows).map(|row| (row, false));
    let exports = switch.evictions.iter().map(|eviction| (&eviction.row, true));

    let mut merged: BTreeMap<_, FlowRecord> = BTreeMap::new();
    for (row, evicted) in slots.chain(exports).filter(|(row, _)| part.includes(row.generation)) {
        let record = &row.record;
        if !window.holds(record.egress_port, record.epoch) {
            continue;
        }
        *bytes += size;
        let key =
            (record.epoch, record.flow, record.egress_port, record.ingress_port, record.priority, evicted);
        merged
            .entry(key)
            .and_modify(|sum| add_flow(sum, record))
            .or_insert_with(|| FlowRecord { evicted, ..record.clone() });
    }
    merged.into_values().collect()
}

/// Adds a part of the same flow's count, of an earlier or a later generation.
fn add_flow(sum: &mut FlowRecord, part: &FlowRecord) {
    let sum_of = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
    let span = |a: Option<(u64, u64)>, b: Option<(u64, u64)>| match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    };
    if part.seen_ns.map(|s| s.0) < sum.seen_ns.map(|s| s.0) {
        sum.psn_first = part.psn_first;
    }
    if part.seen_ns.map(|s| s.1) > sum.seen_ns.map(|s| s.1) {
        sum.psn_last = part.psn_last;
    }
    sum.packets += part.packets;
    sum.bytes = sum_of(sum.bytes, part.bytes);
    sum.queued_packets = sum_of(sum.queued_packets, part.queued_packets);
    sum.depth_sum += part.depth_sum;
    sum.paused_packets += part.paused_packets;
    sum.seen_ns = span(sum.seen_ns, part.seen_ns);
    sum.queued_ns = span(sum.queued_ns, part.queued_ns);
}

fn merge_ports(switch: &Switch, part: &Part, window: &Window<'_>, bytes: &mut u64) -> Vec<PortRecord> {
    let size = element(&switch.layout.port_slots[0].register);
    let mut merged: BTreeMap<(u64, u16), PortRecord> = BTreeMap::new();
    let rows = switch.history.iter().flat_map(|bank| &bank.ports);
    for record in rows.filter(|row| part.includes(row.generation)).map(|row| &row.record) {
        if !window.holds(record.port, record.epoch) {
            continue;
        }
        *bytes += size;
        merged
            .entry((record.epoch, record.port))
            .and_modify(|sum| {
                sum.packets = sum.packets.zip(record.packets).map(|(a, b)| a + b);
                sum.depth_sum += record.depth_sum;
                sum.paused_packets += record.paused_packets;
            })
            .or_insert_with(|| record.clone());
    }
    merged.into_values().collect()
}

fn merge_meters(switch: &Switch, part: &Part, window: &Window<'_>, bytes: &mut u64) -> Vec<MeterRecord> {
    let size = element(&switch.layout.meters[0].register);
    let mut merged: BTreeMap<(u64, u16, u16), MeterRecord> = BTreeMap::new();
    let rows = switch.history.iter().flat_map(|bank| &bank.meters);
    for record in rows.filter(|row| part.includes(row.generation)).map(|row| &row.record) {
        if !window.holds(record.egress_port, record.epoch) {
            continue;
        }
        *bytes += size;
        merged
            .entry((record.epoch, record.ingress_port, record.egress_port))
            .and_modify(|sum| {
                sum.packets = sum.packets.zip(record.packets).map(|(a, b)| a + b);
                sum.bytes += record.bytes;
            })
            .or_insert_with(|| record.clone());
    }
    merged.into_values().collect()
}

fn missing_banks(name: &str, switch: &Switch, part: &Part, window: &Window<'_>) -> Vec<Gap> {
    switch
        .lost
        .iter()
        .filter(|lost| lost.is_missing_from(part.generation) && lost.frozen_ns >= window.start_ns())
        .map(|lost| Gap::CountsLost {
            switch: name.to_string(),
            before_ns: lost.frozen_ns,
            why: lost.why.clone(),
        })
        .collect()
}

/// What is known of a port's pauses in one class.
struct KnownPauses {
    port: u16,
    priority: u8,
    /// By start.
    intervals: Vec<PauseInterval>,
    /// Starts of the intervals before which others had to make room that no collection brought.
    after_gaps_ns: Vec<u64>,
}

/// The pause logs of a freeze, with the intervals that had to make room since an earlier collection brought them.
fn with_earlier(switch: &Switch, part: &Part, logs: &[PauseLog]) -> Vec<KnownPauses> {
    let is_earlier = |generation: u16| generation != part.generation && part.includes(generation);
    let earlier: Vec<&PauseLog> = switch
        .history
        .iter()
        .filter(|bank| is_earlier(bank.generation))
        .flat_map(|bank| &bank.pauses)
        .filter(|log| !log.closed.is_empty())
        .collect();
    logs.iter().map(|log| known_pauses(log, &earlier)).collect()
}

fn known_pauses(log: &PauseLog, earlier: &[&PauseLog]) -> KnownPauses {
    let first = |log: &PauseLog| log.closed.first().map(|interval| interval.start_ns);
    let (port, priority) = (log.port, log.priority);
    let mut intervals: Vec<PauseInterval> = log.closed.iter().chain(&log.open).cloned().collect();
    let mut after_gaps_ns = Vec::new();
    // Where what is known begins, as long as something before it had to make room.
    let mut known_from = first(log).filter(|_| log.forgotten);
    for older in earlier.iter().rev().filter(|older| (older.port, older.priority) == (port, priority)) {
        let Some(oldest_ns) = known_from else { break };
        let mut all = older.closed.iter().chain(&older.open);
        if !all.any(|interval| interval.start_ns >= oldest_ns) {
            after_gaps_ns.push(oldest_ns);
        }
        let before = older.closed.iter().filter(|interval| interval.start_ns < oldest_ns).cloned();
        intervals.splice(0..0, before);
        known_from = first(older).filter(|_| older.forgotten);
    }
    after_gaps_ns.extend(known_from);
    KnownPauses { port, priority, intervals, after_gaps_ns }
}

/// The interval of `log` that lasted at `frozen_ns`, if one did.
fn open_at_freeze(log: &PauseLog, frozen_ns: u64) -> Option<&PauseInterval> {
    log.closed.iter().chain(&log.open).find(|interval| {
        interval.start_ns <= frozen_ns && interval.end_ns.is_none_or(|end_ns| end_ns > frozen_ns)
    })
}

/// Pauses up to the freeze; the registers go on after it.
fn cut_pauses(
    name: &str,
    logs: &[KnownPauses],
    window: &Window<'_>,
    bytes: &mut u64,
    missing: &mut Vec<Gap>,
) -> Vec<PauseInterval> {
    let size = element(&window.layout.pauses.register);
    let mut pauses = Vec::new();
    for log in logs {
        let in_question = log.after_gaps_ns.iter().filter(|start_ns| **start_ns > window.start_ns());
        missing.extend(in_question.map(|start_ns| Gap::PausesOverwritten {
            port: PortRef::new(name, log.port),
            priority: log.priority,
            before_ns: *start_ns,
        }));
        for interval in &log.intervals {
            let in_window = interval.start_ns <= window.frozen_ns
                && interval.end_ns.is_none_or(|end_ns| end_ns >= window.start_ns());
            if in_window {
                *bytes += size;
                let end_ns = interval.end_ns.filter(|end_ns| *end_ns <= window.frozen_ns);
                pauses.push(PauseInterval { end_ns, ..interval.clone() });
            }
        }
    }
    pauses.sort_by_key(|pause| (pause.start_ns, pause.port, pause.priority));
    pauses
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of pauses of 5 ns that began at these times.
    fn log(port: u16, starts: &[u64], open: Option<u64>, forgotten: bool) -> PauseLog {
        let pause = |start_ns: u64, end_ns| PauseInterval { port, priority: 3, start_ns, end_ns, frames: 1 };
        PauseLog {
            port,
            priority: 3,
            closed: starts.iter().map(|start_ns| pause(*start_ns, Some(start_ns + 5))).collect(),
            open: open.map(|start_ns| pause(start_ns, None)),
            forgotten,
        }
    }

    /// What is known of port 1 begins pauses at these times, and lacks those before these.
    #[track_caller]
    fn check(last: &PauseLog, earlier: &[PauseLog], starts: &[u64], after_gaps_ns: &[u64]) {
        let known = known_pauses(last, &earlier.iter().collect::<Vec<_>>());
        let found: Vec<u64> = known.intervals.iter().map(|interval| interval.start_ns).collect();
        assert_eq!((found.as_slice(), known.after_gaps_ns.as_slice()), (starts, after_gaps_ns));
    }

    #[test]
    fn earlier_collections_fill_what_made_room() {
        let last = log(1, &[40, 50], Some(60), true);
        // The pause that lasted at the first collection is the oldest of the last one: nothing lies between.
        check(&last, &[log(1, &[10, 20], Some(40), false)], &[10, 20, 40, 50, 60], &[]);
        check(&last, &[log(1, &[20, 40], None, false)], &[20, 40, 50, 60], &[]);
        // Nobody knows whether others lie between 20 and 40.
        check(&last, &[log(1, &[10, 20], None, false)], &[10, 20, 40, 50, 60], &[40]);
        // The first collection had forgotten some itself.
        check(&last, &[log(1, &[20, 40], None, true)], &[20, 40, 50, 60], &[20]);
        let three = [log(1, &[5, 10], None, false), log(1, &[10, 30], None, true)];
        check(&last, &three, &[5, 10, 30, 40, 50, 60], &[40]);
        // Other ports say nothing of this one.
        check(&last, &[log(2, &[10, 40], None, false)], &[40, 50, 60], &[40]);
    }

    #[test]
    fn a_log_that_had_room_needs_no_other() {
        let earlier = [log(1, &[10, 20], None, true)];
        check(&log(1, &[20, 40], None, false), &earlier, &[20, 40], &[]);
    }
}
