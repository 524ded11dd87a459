//! Merges the collected rows of a switch into its part of a snapshot.

use std::collections::{BTreeMap, BTreeSet};

use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use model::{MissingData, PortRef, SwitchTelemetry};

use crate::layout::{LoggedPause, TelemetryLayout};

use super::open_event::Part;
use super::settings::CollectSettings;
use super::switch::Switch;

/// A switch's part of a snapshot, and its missing data.
pub(super) struct Merged {
    pub(super) telemetry: SwitchTelemetry,
    pub(super) missing: Vec<MissingData>,
}

/// The epochs that belong to a freeze.
struct Window<'s> {
    layout: &'s TelemetryLayout,
    frozen_ns: u64,
    /// Oldest epoch of the ring.
    oldest: u64,
    /// Egress ports that were paused at the freeze, with the oldest epoch that counts. The last traffic before a pause
    /// shows which flows are paused, however long ago it was.
    paused_since: BTreeMap<u16, u64>,
}

impl<'s> Window<'s> {
    fn new(layout: &'s TelemetryLayout, frozen_ns: u64, logs: &[KnownPauses]) -> Window<'s> {
        let oldest = (frozen_ns >> layout.epoch_shift).saturating_sub(layout.epochs - 1);
        let mut paused_since: BTreeMap<u16, u64> = BTreeMap::new();
        for log in logs {
            if let Some(open) = log.open_at(frozen_ns) {
                let oldest = (open.start_ns >> layout.epoch_shift).saturating_sub(layout.epochs - 1);
                let known = paused_since.entry(log.port).or_insert(oldest);
                *known = oldest.min(*known);
            }
        }
        Window { layout, frozen_ns, oldest, paused_since }
    }

    fn holds(&self, egress_port: u16, epoch: u64) -> bool {
        let oldest = self.paused_since.get(&egress_port).copied().unwrap_or(self.oldest).min(self.oldest);
        oldest <= epoch && epoch <= self.frozen_ns >> self.layout.epoch_shift
    }

    /// The epochs of the ring.
    fn ring(&self) -> std::ops::RangeInclusive<u64> {
        self.oldest..=self.frozen_ns >> self.layout.epoch_shift
    }

    fn start_ns(&self) -> u64 {
        self.oldest << self.layout.epoch_shift
    }
}

/// Merges the rows that `switch` had written when it was frozen for `part`: the frozen bank, other banks with epochs of
/// the ring, and evicted slots. The generation of a row shows whether it was written before the freeze; the rows of a
/// bank that could not be read at first are part of a later read.
pub(super) fn merge(name: &str, switch: &Switch, part: &Part, settings: &CollectSettings) -> Option<Merged> {
    switch.bank(part.generation)?;
    let layout = &switch.layout;
    let logs = known_pauses(switch, part);
    let window = Window::new(layout, part.frozen_ns, &logs);

    let mut flows = merge_flows(switch, part, &window);
    let mut ports = merge_ports(switch, part, &window);
    let mut meters = merge_meters(switch, part, &window);
    let mut bytes = 0;
    let mut missing = missing_rows(name, switch, part, &window);
    let pauses = cut_pauses(name, &logs, &window, &mut bytes, &mut missing);
    if !settings.idle_history {
        let relevant = relevant_ports(part, &ports, &pauses);
        let key = |f: &FlowRecord| (f.flow, f.egress_port, f.ingress_port, f.priority);
        keep_newest(&mut flows, |f| relevant.contains(&f.egress_port), key, |f| f.epoch);
        keep_newest(&mut ports, |p| relevant.contains(&p.port), |p| p.port, |p| p.epoch);
        // Meters show what feeds a queue. A port without a queue needs none.
        meters.retain(|meter| relevant.contains(&meter.record.egress_port));
    }
    let flows = records(flows, &mut bytes);
    let ports = records(ports, &mut bytes);
    let meters = records(meters, &mut bytes);

    // The records cover the whole ring: without a row of an epoch, there was nothing to count.
    let epochs: BTreeSet<u64> = window
        .ring()
        .chain(flows.iter().map(|f| f.epoch))
        .chain(ports.iter().map(|p| p.epoch))
        .chain(meters.iter().map(|m| m.epoch))
        .collect();
    let telemetry = SwitchTelemetry {
        switch: name.to_string(),
        frozen_ns: part.frozen_ns,
        clock_error_ns: None,
        polled_from: part.polled_from.iter().copied().collect(),
        on_victim_path: part.on_victim_path,
        back_port: part.back_port,
        epochs: epochs.into_iter().map(|id| epoch_info(layout, id, part.frozen_ns)).collect(),
        flows,
        ports,
        meters,
        pauses,
        bytes,
    };
    Some(Merged { telemetry, missing })
}

/// Banks, evictions and reports that are missing from a switch's part.
fn missing_rows(name: &str, switch: &Switch, part: &Part, window: &Window<'_>) -> Vec<MissingData> {
    let mut missing = missing_banks(name, switch, part, window);
    let lost = switch.exports_lost(window.start_ns(), part.evictions);
    if lost > 0 {
        missing.push(MissingData::EvictionsLost { switch: name.to_string(), slots: lost });
    }
    if let Some(event) = part.frozen_for {
        missing.push(MissingData::FrozenBefore {
            switch: name.to_string(),
            event,
            victim: None,
            frozen_ns: part.frozen_ns,
            asked_ns: part.asked_ns,
        });
    }
    if part.report_lost {
        missing.push(MissingData::ReportLost { switch: name.to_string() });
    }
    missing
}

fn epoch_info(layout: &TelemetryLayout, id: u64, frozen_ns: u64) -> EpochInfo {
    let start_ns = id << layout.epoch_shift;
    EpochInfo { id, start_ns, end_ns: (start_ns + layout.epoch_ns()).min(frozen_ns) }
}

/// Size of a register element in bytes.
fn element(register: &crate::layout::Register) -> u64 {
    register.word.bytes() as u64
}

/// A record and the total size of the register elements that it was merged from.
struct Counted<T> {
    record: T,
    bytes: u64,
}

fn records<T>(counted: Vec<Counted<T>>, bytes: &mut u64) -> Vec<T> {
    *bytes += counted.iter().map(|counted| counted.bytes).sum::<u64>();
    counted.into_iter().map(|counted| counted.record).collect()
}

/// The ports whose earlier epochs matter to a diagnosis: ports with queueing or pauses, and the egress ports of the
/// victim and of its ACKs.
fn relevant_ports(part: &Part, ports: &[Counted<PortRecord>], pauses: &[PauseInterval]) -> BTreeSet<u16> {
    let queued = ports.iter().map(|port| &port.record).filter(|p| p.depth_sum > 0 || p.paused_packets > 0);
    let queued = queued.map(|p| p.port);
    let paused = pauses.iter().map(|pause| pause.port);
    queued.chain(paused).chain(part.victim_port).chain(part.back_port).collect()
}

/// Removes the earlier epochs of ports that are not relevant. Only the newest record for each key remains, which shows
/// where the port's traffic goes.
fn keep_newest<T, K: Ord>(
    counted: &mut Vec<Counted<T>>,
    is_relevant: impl Fn(&T) -> bool,
    key: impl Fn(&T) -> K,
    epoch: impl Fn(&T) -> u64,
) {
    let mut newest: BTreeMap<K, u64> = BTreeMap::new();
    for counted in counted.iter() {
        let newest = newest.entry(key(&counted.record)).or_default();
        *newest = epoch(&counted.record).max(*newest);
    }
    counted.retain(|counted| {
        let record = &counted.record;
        is_relevant(record) || newest.get(&key(record)) == Some(&epoch(record))
    });
}

fn merge_flows(switch: &Switch, part: &Part, window: &Window<'_>) -> Vec<Counted<FlowRecord>> {
    let fields = &switch.layout.flows[0];
    let size = element(&fields.ids) + element(&fields.counts) + element(&fields.marks);
    let slots = switch.history.iter().flat_map(|bank| &bank.flows).map(|row| (row, false));
    let exports = switch.evictions.iter().map(|eviction| (&eviction.row, true));

    let mut merged: BTreeMap<_, Counted<FlowRecord>> = BTreeMap::new();
    for (row, evicted) in slots.chain(exports).filter(|(row, _)| part.includes(row.generation)) {
        let record = &row.record;
        if !window.holds(record.egress_port, record.epoch) {
            continue;
        }
        let place = (record.egress_port, record.ingress_port, record.priority);
        let key = (record.epoch, record.flow, place, row.generation, evicted);
        merged
            .entry(key)
            .and_modify(|sum| {
                add_flow(&mut sum.record, record);
                sum.bytes += size;
            })
            .or_insert_with(|| Counted { record: FlowRecord { evicted, ..record.clone() }, bytes: size });
    }
    merged.into_values().collect()
}

/// Adds a record of the same flow and generation: the flow was evicted more than once.
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

fn merge_ports(switch: &Switch, part: &Part, window: &Window<'_>) -> Vec<Counted<PortRecord>> {
    let size = element(&switch.layout.port_slots[0].register);
    let mut merged: BTreeMap<(u64, u16), Counted<PortRecord>> = BTreeMap::new();
    let rows = switch.history.iter().flat_map(|bank| &bank.ports);
    for record in rows.filter(|row| part.includes(row.generation)).map(|row| &row.record) {
        if !window.holds(record.port, record.epoch) {
            continue;
        }
        merged
            .entry((record.epoch, record.port))
            .and_modify(|Counted { record: sum, bytes }| {
                sum.packets = sum.packets.zip(record.packets).map(|(a, b)| a + b);
                sum.depth_sum += record.depth_sum;
                sum.paused_packets += record.paused_packets;
                *bytes += size;
            })
            .or_insert_with(|| Counted { record: record.clone(), bytes: size });
    }
    merged.into_values().collect()
}

fn merge_meters(switch: &Switch, part: &Part, window: &Window<'_>) -> Vec<Counted<MeterRecord>> {
    let size = element(&switch.layout.meters[0].register);
    let mut merged: BTreeMap<(u64, u16, u16), Counted<MeterRecord>> = BTreeMap::new();
    let rows = switch.history.iter().flat_map(|bank| &bank.meters);
    for record in rows.filter(|row| part.includes(row.generation)).map(|row| &row.record) {
        if !window.holds(record.egress_port, record.epoch) {
            continue;
        }
        merged
            .entry((record.epoch, record.ingress_port, record.egress_port))
            .and_modify(|Counted { record: sum, bytes }| {
                sum.packets = sum.packets.zip(record.packets).map(|(a, b)| a + b);
                sum.bytes += record.bytes;
                *bytes += size;
            })
            .or_insert_with(|| Counted { record: record.clone(), bytes: size });
    }
    merged.into_values().collect()
}

fn missing_banks(name: &str, switch: &Switch, part: &Part, window: &Window<'_>) -> Vec<MissingData> {
    switch
        .lost
        .iter()
        .filter(|lost| lost.is_missing_from(part.generation) && lost.frozen_ns >= window.start_ns())
        .map(|lost| MissingData::CountsLost {
            switch: name.to_string(),
            before_ns: lost.frozen_ns,
            why: lost.why.clone(),
        })
        .collect()
}

/// The collected pauses of a port.
#[derive(Debug, Default)]
struct KnownPauses {
    port: u16,
    /// By start.
    intervals: Vec<PauseInterval>,
    /// Priority and start of the intervals before which others were overwritten in the log without being collected.
    after_gaps: Vec<(u8, u64)>,
}

impl KnownPauses {
    /// Merges logged intervals in any order; `wrapped`: number 0 is not necessarily the first interval.
    fn new(port: u16, mut logged: Vec<&LoggedPause>, open: &[PauseInterval], wrapped: bool) -> KnownPauses {
        let by_start = |interval: &PauseInterval| (interval.start_ns, interval.priority);
        logged.sort_by_key(|pause| by_start(&pause.interval));
        logged.dedup_by_key(|pause| by_start(&pause.interval));
        let numbered = in_order(&logged);
        let mut after_gaps = Vec::new();
        let mut expected = (!wrapped).then_some(0);
        for (at, (number, _)) in numbered.iter().enumerate() {
            if expected != Some(*number) {
                after_gaps.extend(first_by_priority(numbered[at..].iter().map(|(_, pause)| &pause.interval)));
            }
            expected = Some(number + 1);
        }
        let mut intervals: Vec<PauseInterval> = logged.iter().map(|pause| pause.interval.clone()).collect();
        intervals.extend(open.iter().cloned());
        intervals.sort_by_key(by_start);
        after_gaps.sort_unstable();
        after_gaps.dedup();
        KnownPauses { port, intervals, after_gaps }
    }

    /// Returns an interval that lasted at `frozen_ns`.
    fn open_at(&self, frozen_ns: u64) -> Option<&PauseInterval> {
        self.intervals.iter().find(|interval| {
            interval.start_ns <= frozen_ns && interval.end_ns.is_none_or(|end_ns| end_ns > frozen_ns)
        })
    }
}

/// Orders pauses by number and extends the 16-bit numbers beyond the wrap. A pause gets its number when it is closed,
/// so the numbers of different priorities differ in order from the starts, but only slightly.
fn in_order<'s>(logged: &[&'s LoggedPause]) -> Vec<(i64, &'s LoggedPause)> {
    let mut last = logged.first().map_or(0, |pause| i64::from(pause.number));
    let mut numbered: Vec<(i64, &LoggedPause)> = Vec::with_capacity(logged.len());
    for pause in logged {
        last += i64::from(pause.number.wrapping_sub(last as u16) as i16);
        numbered.push((last, pause));
    }
    numbered.sort_by_key(|(number, _)| *number);
    numbered
}

/// Priority and start of the first interval of each priority.
fn first_by_priority<'p>(intervals: impl Iterator<Item = &'p PauseInterval>) -> BTreeMap<u8, u64> {
    let mut first: BTreeMap<u8, u64> = BTreeMap::new();
    for interval in intervals {
        let start_ns = first.entry(interval.priority).or_insert(interval.start_ns);
        *start_ns = interval.start_ns.min(*start_ns);
    }
    first
}

/// The pauses up to a freeze, by port. The log of a bank holds intervals closed since the previous freeze; older ones
/// come from earlier collections.
fn known_pauses(switch: &Switch, part: &Part) -> Vec<KnownPauses> {
    #[derive(Default)]
    struct Logged<'s> {
        closed: Vec<&'s LoggedPause>,
        open: Vec<PauseInterval>,
        wrapped: bool,
    }
    let mut ports: BTreeMap<u16, Logged<'_>> = BTreeMap::new();
    // Registers are read after the freeze: pauses that began in between belong to a later collection.
    let is_before = |interval: &PauseInterval| interval.start_ns <= part.frozen_ns;
    for bank in switch.history.iter().filter(|bank| part.includes(bank.generation)) {
        for log in &bank.pauses {
            let port = ports.entry(log.port).or_default();
            port.closed.extend(log.closed.iter().filter(|pause| is_before(&pause.interval)));
            port.wrapped |= log.wrapped;
            // A pause that lasted at an earlier freeze has been closed since, or is open in the last log as well.
            if bank.generation == part.generation {
                port.open.extend(log.open.iter().filter(|interval| is_before(interval)).cloned());
            }
        }
    }
    let known = ports.into_iter();
    known.map(|(port, l)| KnownPauses::new(port, l.closed, &l.open, l.wrapped)).collect()
}

/// Returns the pauses that overlap the window, cut at the freeze.
fn cut_pauses(
    name: &str,
    logs: &[KnownPauses],
    window: &Window<'_>,
    bytes: &mut u64,
    missing: &mut Vec<MissingData>,
) -> Vec<PauseInterval> {
    let size = element(&window.layout.pauses[0].register);
    let mut pauses = Vec::new();
    for log in logs {
        let in_question = log.after_gaps.iter().filter(|(_, start_ns)| *start_ns > window.start_ns());
        missing.extend(in_question.map(|(priority, start_ns)| MissingData::PausesOverwritten {
            port: PortRef::new(name, log.port),
            priority: *priority,
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

    /// Merges pauses with these numbers, priorities, starts and ends, and compares the starts and the gaps (priority
    /// and start of the next interval).
    #[track_caller]
    fn check(logged: &[(u16, u8, u64, u64)], wrapped: bool, starts: &[u64], after_gaps: &[(u8, u64)]) {
        let pause = |(number, priority, start_ns, end_ns): &(u16, u8, u64, u64)| LoggedPause {
            number: *number,
            interval: PauseInterval {
                port: 1,
                priority: *priority,
                start_ns: *start_ns,
                end_ns: Some(*end_ns),
                frames: 1,
            },
        };
        let logged: Vec<LoggedPause> = logged.iter().map(pause).collect();
        let known = KnownPauses::new(1, logged.iter().collect(), &[], wrapped);
        let found: Vec<u64> = known.intervals.iter().map(|interval| interval.start_ns).collect();
        assert_eq!((found.as_slice(), known.after_gaps.as_slice()), (starts, after_gaps));
    }

    #[test]
    fn numbers_reveal_missing_intervals() {
        check(&[(0, 3, 10, 15), (1, 3, 20, 25), (2, 3, 40, 45)], false, &[10, 20, 40], &[]);
        // Later collections come first, and one bank is read twice.
        let twice = [(2, 3, 40, 45), (1, 3, 20, 25), (0, 3, 10, 15), (1, 3, 20, 25)];
        check(&twice, false, &[10, 20, 40], &[]);
        let gaps = [(0, 3, 10, 15), (3, 3, 40, 45), (4, 3, 50, 55), (9, 3, 90, 95)];
        check(&gaps, false, &[10, 40, 50, 90], &[(3, 40), (3, 90)]);
        check(&[(7, 3, 40, 45), (8, 3, 50, 55)], false, &[40, 50], &[(3, 40)]);
        // Numbers wrap after the largest.
        check(&[(u16::MAX, 3, 40, 45), (0, 3, 50, 55)], true, &[40, 50], &[(3, 40)]);
        check(&[(0, 3, 50, 55), (1, 3, 60, 65)], true, &[50, 60], &[(3, 50)]);
        check(&[], false, &[], &[]);
    }

    #[test]
    fn priorities_share_the_numbers_of_a_port() {
        // The pause of priority 4 began first and ended last.
        check(&[(1, 4, 10, 60), (0, 3, 20, 30)], false, &[10, 20], &[]);
        // The pause of priority 4 expired at 25 and was closed by the next frame.
        check(&[(0, 3, 20, 30), (1, 4, 10, 25), (2, 4, 70, 80)], false, &[10, 20, 70], &[]);
        // The priority of the missing ones is unknown.
        let gap = [(0, 3, 10, 20), (1, 4, 15, 30), (4, 3, 50, 55), (5, 4, 51, 70), (6, 3, 80, 90)];
        check(&gap, false, &[10, 15, 50, 51, 80], &[(3, 50), (4, 51)]);
    }

    #[test]
    fn idle_ports_keep_only_their_newest_records() {
        let counted = |port: u16, epoch: u64, depth_sum: u64, paused_packets: u64| {
            let record = PortRecord { port, epoch, packets: Some(9), depth_sum, paused_packets };
            Counted { record, bytes: 20 }
        };
        // Port 2 had a queue, 3 was paused, 4 has a logged pause, 5 is the victim's egress port; 1 and 6 are idle.
        let ports = [
            counted(1, 5, 0, 0),
            counted(1, 6, 0, 0),
            counted(2, 5, 1, 0),
            counted(2, 6, 0, 0),
            counted(3, 5, 0, 0),
            counted(3, 6, 0, 1),
            counted(6, 4, 0, 0),
        ];
        let pauses = [PauseInterval { port: 4, priority: 3, start_ns: 1, end_ns: None, frames: 1 }];
        let part = Part { victim_port: Some(5), ..Part::default() };
        let relevant = relevant_ports(&part, &ports, &pauses);
        assert_eq!(relevant, BTreeSet::from([2, 3, 4, 5]));

        let mut past: Vec<Counted<(u16, u64)>> = [(1, 5), (1, 6), (2, 5), (2, 6), (6, 4)]
            .map(|record| Counted { record, bytes: 99 })
            .into_iter()
            .collect();
        keep_newest(&mut past, |(port, _)| relevant.contains(port), |(port, _)| *port, |(_, epoch)| *epoch);
        let mut bytes = 1;
        assert_eq!(records(past, &mut bytes), [(1, 6), (2, 5), (2, 6), (6, 4)]);
        assert_eq!(bytes, 1 + 4 * 99);
    }
}
