//! Intervals of a switch, and the intervals of all switches that belong together.
//!
//! Switches are read one after the other. Pauses cross a network in microseconds, readings are milliseconds to minutes
//! apart, so intervals with about the same times show the same congestion. The switch with the fewest intervals sets
//! the pace; the intervals of the others are added up in its steps.

use std::collections::{BTreeMap, BTreeSet};

use model::units::counted;

use super::change::{Falls, Peak, PortChange};
use crate::reading::{PollIntervals, PortReading, Reading};
use crate::thresholds::WATERMARK_LAG_NS;

/// The time of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Its beginning in nanoseconds since 1970.
    pub(crate) from_ns: u64,
    /// Its end.
    pub(crate) to_ns: u64,
    /// Whether both are times of the switch, so that rates can be computed.
    pub(crate) is_timed: bool,
    /// Whether it began when the switch booted, or its counters were cleared: a single reading.
    pub(crate) is_total: bool,
}

impl Span {
    /// Its duration, if it is known.
    pub(crate) fn duration_ns(self) -> Option<u64> {
        (self.is_timed && !self.is_total).then(|| self.to_ns - self.from_ns).filter(|ns| *ns > 0)
    }

    fn hull(self, other: Span) -> Span {
        Span {
            from_ns: self.from_ns.min(other.from_ns),
            to_ns: self.to_ns.max(other.to_ns),
            is_timed: self.is_timed && other.is_timed,
            is_total: self.is_total || other.is_total,
        }
    }
}

/// What the counters of a switch grew by in a window.
#[derive(Clone, Debug)]
pub(crate) struct SwitchChange {
    pub(crate) span: Span,
    /// Whether counters fell, so that their growth is unknown: it may be larger than what they show.
    pub(crate) is_cleared: bool,
    /// How old its counters may be.
    pub(crate) polled: PollIntervals,
    pub(crate) ports: BTreeMap<String, PortChange>,
}

/// The intervals of all switches that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) span: Span,
    /// By the switch's name.
    pub(crate) switches: BTreeMap<String, SwitchChange>,
}

/// Returns the windows in order of time. Says in `problems` what the readings lack.
pub(crate) fn windows(readings: &[&Reading], problems: &mut Vec<String>) -> Vec<Window> {
    let mut by_switch: BTreeMap<&str, Vec<&Reading>> = BTreeMap::new();
    for reading in readings {
        by_switch.entry(&reading.switch).or_default().push(reading);
    }
    let mut intervals: BTreeMap<&str, Vec<SwitchChange>> = BTreeMap::new();
    let mut single = Vec::new();
    for (switch, mut own) in by_switch {
        own.sort_by_key(|reading| reading.time_ns);
        let changes = changes_of(switch, &own, problems);
        if changes.iter().any(|change| change.span.is_total) {
            single.push(switch);
        }
        intervals.insert(switch, changes);
    }
    if !single.is_empty() {
        let (names, total) = (listed(&single), single.len() < intervals.len());
        let mixed = if total { ", beside the growth of the others" } else { "" };
        problems.push(format!(
            "{names}: one reading only, so the totals since the switch booted or its counters were cleared are \
             used{mixed}; a second reading some seconds later shows the present"
        ));
    }
    let pace = intervals.values().filter(|changes| !changes.is_empty()).min_by_key(|changes| changes.len());
    let Some(pace) = pace.map(|changes| changes.iter().map(|change| change.span).collect::<Vec<Span>>())
    else {
        return Vec::new();
    };
    let mut windows: Vec<Window> =
        pace.iter().map(|span| Window { span: *span, switches: BTreeMap::new() }).collect();
    for (switch, changes) in intervals {
        for change in changes {
            let window = &mut windows[nearest(&pace, change.span)];
            window.span = window.span.hull(change.span);
            match window.switches.get_mut(switch) {
                Some(known) => {
                    known.span = known.span.hull(change.span);
                    known.is_cleared |= change.is_cleared;
                    for (name, port) in change.ports {
                        known.ports.entry(name).and_modify(|total| total.extend(&port)).or_insert(port);
                    }
                }
                None => drop(window.switches.insert(switch.to_string(), change)),
            }
        }
    }
    if windows.len() > 1 {
        add_late_peaks(&mut windows);
    }
    windows
}

/// Gives intervals the peaks that the watermarks of their switch show later: SONiC reads them from the ASIC once a minute.
/// A watermark that rises may be about any interval since it was last read.
fn add_late_peaks(windows: &mut [Window]) {
    let mut later: BTreeMap<(String, String, usize, bool), (Peak, u64)> = BTreeMap::new();
    for window in windows.iter_mut().rev() {
        for (switch, change) in &mut window.switches {
            let from_ns = change.span.from_ns;
            let lag_ns = change.polled.watermarks_ms.map_or(WATERMARK_LAG_NS, |ms| u64::from(ms) * 1_000_000);
            for (name, port) in &mut change.ports {
                for (priority, of) in port.priorities.iter_mut().enumerate() {
                    for (is_queue, own) in [(true, &mut of.queue_peak), (false, &mut of.headroom_peak)] {
                        let Some(peak) = *own else { continue };
                        let key = || (switch.clone(), name.clone(), priority, is_queue);
                        if peak.is_new {
                            later.insert(key(), (peak, from_ns));
                        } else if let Some((late, seen_ns)) = later.get(&key())
                            && seen_ns.saturating_sub(from_ns) <= lag_ns
                        {
                            *own = Some(Peak { is_late: true, ..*late });
                        }
                    }
                }
            }
        }
    }
}

/// The step whose middle is nearest to the middle of a span.
fn nearest(pace: &[Span], span: Span) -> usize {
    let middle = |span: Span| span.from_ns / 2 + span.to_ns / 2;
    let at = |step: &Span| middle(*step).abs_diff(middle(span));
    (0..pace.len()).min_by_key(|number| at(&pace[*number])).unwrap_or(0)
}

fn changes_of(switch: &str, readings: &[&Reading], problems: &mut Vec<String>) -> Vec<SwitchChange> {
    let mut distinct: Vec<&Reading> = Vec::new();
    for reading in readings {
        match distinct.last() {
            Some(last) if last.time_ns == reading.time_ns && last.ports == reading.ports => {}
            Some(last) if last.time_ns == reading.time_ns => problems
                .push(format!("{switch}: two different readings of the same time; the first one is used")),
            _ => distinct.push(reading),
        }
    }
    if let [only] = distinct.as_slice() {
        let ports = only.ports.iter().map(|(name, port)| (name.clone(), PortChange::total(port))).collect();
        let span = Span { from_ns: only.time_ns, to_ns: only.time_ns, is_timed: false, is_total: true };
        return vec![SwitchChange { span, is_cleared: false, polled: only.polled, ports }];
    }
    let mut falls = Falls::default();
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    let mut changes = Vec::new();
    for pair in distinct.windows(2) {
        let [before, after] = pair else { continue };
        let mut ports = BTreeMap::new();
        let mut common = 0;
        let cleared_before = falls.cleared;
        for (name, port, earlier) in after.ports_with(before) {
            match earlier {
                Some(earlier) => {
                    common += 1;
                    let earlier = match before.lacks_watchdog {
                        true => &with_watchdog_of(earlier, port),
                        false => earlier,
                    };
                    ports.insert(name.clone(), PortChange::between(earlier, port, &mut falls));
                }
                None => drop(missing.insert(name)),
            }
        }
        if common < before.ports.len() {
            let gone = before.ports.keys().filter(|name| !after.ports.contains_key(*name));
            missing.extend(gone.map(String::as_str));
        }
        let span = Span {
            from_ns: before.time_ns,
            to_ns: after.time_ns,
            is_timed: !before.time_is_assumed && !after.time_is_assumed,
            is_total: false,
        };
        let is_cleared = falls.cleared > cleared_before;
        changes.push(SwitchChange { span, is_cleared, polled: after.polled, ports });
    }
    if falls.cleared > 0 {
        problems.push(format!(
            "{switch}: {} fell between two readings: cleared, or the switch booted, or the times of the readings are \
             swapped; what was counted before is unknown",
            counted(falls.cleared, "counter")
        ));
    }
    if falls.wrapped > 0 {
        problems
            .push(format!("{switch}: {} wrapped between two readings", counted(falls.wrapped, "counter")));
    }
    let has_watchdog = |reading: &Reading| {
        reading.ports.values().flat_map(|port| &port.priorities).any(|priority| priority.watchdog.is_some())
    };
    if distinct.windows(2).any(|pair| pair[0].lacks_watchdog && has_watchdog(pair[1])) {
        problems.push(format!(
            "{switch}: statistics of the watchdog are in the later reading only, so storms and drops that it counts may \
             be old; add `show pfcwd stats` to the first one"
        ));
    }
    if !missing.is_empty() {
        let names: Vec<&str> = missing.into_iter().collect();
        problems.push(format!("{switch}: {} not in all readings; left out in between", listed(&names)));
    }
    changes
}

/// A port whose statistics of the watchdog are those of a later reading: without earlier ones, their growth is unknown.
fn with_watchdog_of(port: &PortReading, later: &PortReading) -> PortReading {
    let mut port = port.clone();
    for (priority, later) in port.priorities.iter_mut().zip(&later.priorities) {
        priority.watchdog = later.watchdog;
    }
    port
}

/// Names, as many as fit a line.
fn listed(names: &[&str]) -> String {
    const MOST: usize = crate::thresholds::MOST_LISTED;
    let shown = names.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown} and {} more", names.len() - MOST) } else { shown }
}
