//! The pauses that RNICs sent, with their place in the report.

use model::HostReport;
use model::host::counters::{NicCounters, PriorityPauses};

use crate::Claim;
use crate::pause_ratio::{self, Step};

/// The receive pipeline of an RNIC that has been stopped for this time does not recover: the default of the NIC watchdog
/// (Guo et al., SIGCOMM 2016, section 4.3).
pub(crate) const STOPPED_NS: u64 = 100_000_000;

/// Whether the receive pipeline of an RNIC has stopped; `None` if no counter shows it.
pub(crate) fn is_stopped(nic: &NicCounters) -> Option<bool> {
    match (nic.receive_stopped_ns, nic.wire) {
        (Some(stopped), _) => Some(stopped >= STOPPED_NS),
        (None, Some(wire)) => Some(wire.received_packets == 0),
        (None, None) => None,
    }
}

/// The pauses of one RNIC and priority.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentPauses<'r> {
    pub(crate) nic: &'r NicCounters,
    pub(crate) pauses: PriorityPauses,
    interval_ns: u64,
    at: (usize, usize),
}

/// Returns the pauses that each RNIC sent, by priority.
pub(crate) fn sent(report: &HostReport) -> impl Iterator<Item = SentPauses<'_>> {
    let nics = report.counters.iter().flat_map(|counters| &counters.nics).enumerate();
    nics.flat_map(move |(at, nic)| {
        nic.sent_pauses.iter().enumerate().map(move |(row, pauses)| SentPauses {
            nic,
            pauses: *pauses,
            interval_ns: report.interval_ns,
            at: (at, row),
        })
    })
}

impl SentPauses<'_> {
    /// The pause duration ratio; `None` if the hardware counts frames only.
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.pauses.paused_ns.map(|paused| pause_ratio::ratio(paused, self.interval_ns))
    }

    /// The longest continuous pause: the recorded one, or the longest run of samples without a resume. In an interval
    /// that was paused throughout, it is the interval.
    pub(crate) fn longest_ns(&self) -> u64 {
        let whole = self.pauses.paused_ns.filter(|paused| *paused >= self.interval_ns).unwrap_or(0);
        let recorded = self.pauses.longest_ns.unwrap_or(0);
        recorded.max(whole).max(longest_run_ns(self.nic, self.pauses.priority))
    }

    /// The step of the ladder; `None` if the hardware counts frames only and nothing shows a continuous pause.
    pub(crate) fn step(&self) -> Option<Step> {
        let longest = self.longest_ns();
        match self.ratio() {
            Some(ratio) => Some(pause_ratio::step(ratio, longest)),
            None if longest >= pause_ratio::STORM_NS => Some(Step::Storm),
            None => None,
        }
    }

    /// Whether the receive buffer was full behind the pauses, for more than half of their time; `None` if no counter shows
    /// it. A receiver pauses because its buffer has filled and resumes when it has drained.
    pub(crate) fn has_full_buffer(&self) -> Option<bool> {
        self.covers(self.nic.receive_full_ns?)
    }

    /// Whether the PCIe link held writes of the RNIC back for more than half of the time in which it paused; `None` if no
    /// counter shows it. What makes a buffer overflow is slow while the buffer is full.
    pub(crate) fn has_stalled_writes(&self) -> Option<bool> {
        self.covers(self.nic.stalled_writes_ns?)
    }

    /// Whether the receive pipeline waited for contexts or translations for more than half of the time in which the RNIC
    /// paused; `None` if no counter shows it.
    pub(crate) fn has_waited_reads(&self) -> Option<bool> {
        self.covers(self.nic.waited_reads_ns?)
    }

    /// Whether a time is more than half of the time in the paused state. Choice: the least majority, because both counters
    /// begin and end with the pauses and differ by single frames.
    fn covers(&self, time_ns: u64) -> Option<bool> {
        let paused = self.pauses.paused_ns.filter(|paused| *paused > 0)?;
        Some(time_ns > paused / 2)
    }

    /// The JSON Pointer of the row.
    pub(crate) fn pointer(&self) -> String {
        format!("/counters/nics/{}/sent_pauses/{}", self.at.0, self.at.1)
    }

    /// The JSON Pointer of the RNIC.
    pub(crate) fn nic_pointer(&self) -> String {
        format!("/counters/nics/{}", self.at.0)
    }

    /// The ratio in one sentence.
    pub(crate) fn text(&self) -> String {
        let (nic, priority) = (&self.nic.nic, self.pauses.priority);
        match self.ratio() {
            Some(ratio) => {
                format!("{nic} pauses priority {priority} of its switch {:.2} % of the time", ratio * 100.0)
            }
            None => format!("{nic} sent {} pauses of priority {priority}", self.pauses.frames),
        }
    }
}

/// For how long the PCIe link of the RNIC with this JSON Pointer held writes back, if it did.
pub(crate) fn stalled_writes(nic: &NicCounters, pointer: &str, interval_ns: u64) -> Option<Claim> {
    let stalled_ns = nic.stalled_writes_ns.filter(|time| *time > 0)?;
    let mut records = vec![format!("{pointer}/stalled_writes_ns")];
    let capacity = nic.pcie.map(|pcie| {
        records.push(format!("{pointer}/pcie"));
        format!(", which carries {:.1} Gb/s at most,", pcie.capacity_bps as f64 / 1e9)
    });
    let claim = format!(
        "the PCIe link of {}{} holds writes to the host back {:.2} % of the time",
        nic.nic,
        capacity.unwrap_or_default(),
        pause_ratio::ratio(stalled_ns, interval_ns) * 100.0
    );
    Some(Claim::new(claim, records))
}

/// The longest run of samples that adjoin each other and are paused throughout.
fn longest_run_ns(nic: &NicCounters, priority: u8) -> u64 {
    let mut longest = 0;
    let (mut run, mut end) = (0u64, None);
    for sample in nic.pause_samples.iter().filter(|sample| sample.priority == priority) {
        let is_full = sample.interval_ns > 0 && sample.paused_ns >= sample.interval_ns;
        let adjoins = end == Some(sample.start_ns);
        run = match (is_full, adjoins) {
            (true, true) => run.saturating_add(sample.interval_ns),
            (true, false) => sample.interval_ns,
            (false, _) => 0,
        };
        end = Some(sample.start_ns.saturating_add(sample.interval_ns));
        longest = longest.max(run);
    }
    longest
}
