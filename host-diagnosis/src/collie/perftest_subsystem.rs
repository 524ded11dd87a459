//! A NIC on which perftest runs workloads with a peer.
//!
//! The NIC under test receives: it pauses its switch port if it cannot keep up. So it is the requester of a READ, and the
//! target of a WRITE or SEND that the peer sends (`--reversed`). perftest posts from one thread with one scatter-gather
//! element, one memory region and one size of messages; these dimensions are fixed ([`FIXED`]). It reproduces 4 of the 18
//! published anomalies (Collie, section 7.1).

use std::collections::BTreeMap;

use model::host::counters::NicCounters;
use model::host::descriptor::{Factor, NicFamily, NicPerformance, Opcode, ServerTraits, Transport, Workload};

use super::space::Point;
use super::subsystem::{Measurement, Subsystem, SubsystemError};
use crate::perftest::{Buffer, Length, Program, TestCommand, bandwidth};

/// What perftest cannot vary: all messages have one size, and the other factors keep the level of the reference workload.
pub const FIXED: &[Factor] =
    &[Factor::Memory, Factor::Loopback, Factor::MemoryRegions, Factor::SgePerWqe, Factor::SmallestMessage];
/// Limits of perftest 4.5 (`MAX_QP_NUM` and `MAX_TX` in `perftest_parameters.h`).
const MAX_QUEUE_PAIRS: u32 = 16_384;
const MAX_DEPTH: u32 = 15_000;
/// TCP ports of tests, one after the other, from perftest's default on: a server that has not ended yet holds its own.
const FIRST_PORT: u16 = 18_515;
const PORTS: usize = 100;
/// Workloads in a row that could not be run, after which something else than the workload is the cause. A choice.
const MAX_REFUSED: usize = 20;
/// Size of the messages that show how many packets a second perftest posts.
const SMALL_BYTES: u64 = 128;
/// Intervals with less than this share of the traffic of the fastest one are before or after the messages of a test.
const TRAFFIC_SHARE: f64 = 0.1;

/// What a test has shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// The output of the program on the side of the NIC under test.
    pub output: String,
    /// Counters of the NIC while the program ran: intervals in a row, with their lengths in ns.
    pub intervals: Vec<(u64, NicCounters)>,
}

/// Runs tests with a peer.
pub trait Bench {
    /// Runs the client here and the server at the peer.
    ///
    /// # Errors
    /// [`SubsystemError::NotRunnable`] if this test failed, [`SubsystemError::Failed`] if every other one would as well.
    fn run(&mut self, test: &TestCommand) -> Result<Observed, SubsystemError>;
}

/// The NIC under test.
#[derive(Clone, Debug)]
pub struct TestedNic {
    /// Its family.
    pub family: NicFamily,
    /// What is known of its server.
    pub server: ServerTraits,
    /// The RDMA device, for example `mlx5_0`.
    pub device: String,
    /// Its port, from 1.
    pub rdma_port: u32,
    /// Its line rate in bits per second.
    pub line_rate_bps: u64,
    /// Packets a second that it is specified for; absent: what perftest reaches with small messages, because it posts from
    /// one thread.
    pub packets_per_s: Option<f64>,
    /// Seconds of a test.
    pub seconds: u32,
}

/// A subsystem that perftest measures.
#[derive(Debug)]
pub struct PerftestSubsystem<B> {
    bench: B,
    nic: TestedNic,
    packets_per_s: f64,
    tests: usize,
    refused: usize,
}

impl<B: Bench> PerftestSubsystem<B> {
    /// Prepares the measurements. Unless the packets a second are specified, runs one test with small messages.
    ///
    /// # Errors
    /// This test failed, or the driver does not count what is needed.
    pub fn new(bench: B, nic: TestedNic) -> Result<PerftestSubsystem<B>, SubsystemError> {
        let specified = nic.packets_per_s;
        let mut subsystem =
            PerftestSubsystem { bench, nic, packets_per_s: specified.unwrap_or(1.0), tests: 0, refused: 0 };
        if specified.is_none() {
            let mut small = Point::reference().workload(subsystem.nic.family, &subsystem.nic.server);
            small.message_bytes = vec![SMALL_BYTES];
            subsystem.packets_per_s = subsystem.measure(&small)?.performance.packets_per_s.max(1.0);
        }
        Ok(subsystem)
    }

    /// The packets a second that throughput is compared with.
    pub fn packets_per_s(&self) -> f64 {
        self.packets_per_s
    }

    fn run(&mut self, workload: &Workload) -> Result<Measurement, SubsystemError> {
        let tcp_port = FIRST_PORT + (self.tests % PORTS) as u16;
        self.tests += 1;
        let observed = self.bench.run(&command(&self.nic, workload, tcp_port))?;
        let result =
            bandwidth(&observed.output).map_err(|error| SubsystemError::NotRunnable(error.to_string()))?;
        let pause_ratio = pause_ratio(&observed.intervals).ok_or_else(|| {
            SubsystemError::Failed(format!(
                "the driver of {} does not count the time of sent pauses (`ethtool -S`), which anomalies are known by",
                self.nic.device
            ))
        })?;
        let directions = if workload.bidirectional { 2.0 } else { 1.0 };
        let largest = workload.message_bytes.iter().copied().max().unwrap_or(1);
        let packets = largest.div_ceil(u64::from(workload.mtu_bytes).max(1)).max(1);
        let performance = NicPerformance {
            pause_ratio,
            bits_per_s: result.bits_per_s / directions,
            packets_per_s: result.messages_per_s / directions * packets as f64,
            specified_bits_per_s: self.nic.line_rate_bps as f64,
            specified_packets_per_s: self.packets_per_s,
            always_backlogged: Some(true),
        };
        Ok(Measurement { performance, diagnostic: diagnostic(&observed.intervals) })
    }
}

impl<B: Bench> Subsystem for PerftestSubsystem<B> {
    fn nic(&self) -> NicFamily {
        self.nic.family
    }

    fn server(&self) -> ServerTraits {
        self.nic.server.clone()
    }

    fn fixed(&self) -> &'static [Factor] {
        FIXED
    }

    fn can_run(&self, workload: &Workload) -> bool {
        workload.queue_pairs <= MAX_QUEUE_PAIRS && workload.wq_depth <= MAX_DEPTH
    }

    fn measure(&mut self, workload: &Workload) -> Result<Measurement, SubsystemError> {
        let result = self.run(workload);
        match &result {
            Err(SubsystemError::NotRunnable(why)) => {
                self.refused += 1;
                if self.refused >= MAX_REFUSED {
                    let why = format!(
                        "{MAX_REFUSED} workloads in a row could not be run, the last one because {why}"
                    );
                    return Err(SubsystemError::Failed(why));
                }
            }
            _ => self.refused = 0,
        }
        result
    }
}

/// The test of a workload.
fn command(nic: &TestedNic, workload: &Workload, tcp_port: u16) -> TestCommand {
    let program = match workload.opcode {
        Opcode::Write => Program::WriteBandwidth,
        Opcode::Read => Program::ReadBandwidth,
        Opcode::Send => Program::SendBandwidth,
    };
    let connection = match workload.transport {
        Transport::Rc => "RC",
        Transport::Uc => "UC",
        Transport::Ud => "UD",
    };
    let mut more: Vec<String> = vec!["-c".into(), connection.into()];
    let mut number = |name: &str, value: u32| more.extend([name.to_string(), value.to_string()]);
    number("-q", workload.queue_pairs);
    number("-m", workload.mtu_bytes);
    number("-t", workload.wq_depth);
    if workload.opcode == Opcode::Send {
        number("-r", workload.wq_depth);
    }
    if workload.wqe_batch > 1 {
        number("-l", workload.wqe_batch);
    }
    match (workload.bidirectional, workload.opcode) {
        (true, _) => more.push("-b".into()),
        // The responses of a READ arrive here anyway.
        (false, Opcode::Read) => {}
        (false, _) => more.push("--reversed".into()),
    }
    TestCommand {
        program,
        device: nic.device.clone(),
        rdma_port: nic.rdma_port,
        tcp_port,
        message_bytes: workload.message_bytes.iter().copied().max().unwrap_or(1),
        length: Length::Seconds(nic.seconds),
        buffer: Buffer::Host,
        more,
    }
}

/// The intervals between the first and the last one with traffic: connections are set up before. Without counters of the
/// traffic, all of them.
fn with_traffic(intervals: &[(u64, NicCounters)]) -> &[(u64, NicCounters)] {
    let rate = |(interval_ns, nic): &(u64, NicCounters)| {
        nic.wire.map_or(0.0, |wire| wire.received_bytes as f64 / (*interval_ns).max(1) as f64)
    };
    let limit = TRAFFIC_SHARE * intervals.iter().map(rate).fold(0.0, f64::max);
    let has_traffic = |interval: &(u64, NicCounters)| rate(interval) >= limit;
    let first = intervals.iter().position(has_traffic).unwrap_or(0);
    let last = intervals.iter().rposition(has_traffic).map_or(first, |last| last + 1);
    &intervals[first..last]
}

/// The share of time in which the NIC paused the priority that it paused most; `None` if its driver does not count that.
fn pause_ratio(intervals: &[(u64, NicCounters)]) -> Option<f64> {
    let intervals = with_traffic(intervals);
    let total_ns: u64 = intervals.iter().map(|(interval_ns, _)| interval_ns).sum();
    let mut paused_ns: BTreeMap<u8, u64> = BTreeMap::new();
    for pauses in intervals.iter().flat_map(|(_, nic)| &nic.sent_pauses) {
        *paused_ns.entry(pauses.priority).or_default() += pauses.paused_ns?;
    }
    let most_ns = paused_ns.into_values().max()?;
    Some((most_ns as f64 / total_ns.max(1) as f64).min(1.0))
}

/// Unexpected events a second. The search compares relative changes, so that no event counts as one.
fn diagnostic(intervals: &[(u64, NicCounters)]) -> BTreeMap<&'static str, f64> {
    let intervals = with_traffic(intervals);
    let seconds = intervals.iter().map(|(interval_ns, _)| interval_ns).sum::<u64>().max(1) as f64 / 1e9;
    let rate = |of: &dyn Fn(&NicCounters) -> Option<u64>| {
        let counted: Option<u64> = intervals.iter().map(|(_, nic)| of(nic)).sum();
        counted.map(|counted| 1.0 + counted as f64 / seconds)
    };
    let frames = |nic: &NicCounters| Some(nic.sent_pauses.iter().map(|pauses| pauses.frames).sum());
    let counters = [
        ("sent_pause_frames", rate(&frames)),
        ("stalled_writes_us", rate(&|nic| nic.stalled_writes_ns.map(|ns| ns / 1000))),
        ("receiver_not_ready", rate(&|nic| nic.rnr_naks)),
    ];
    counters.into_iter().filter_map(|(name, rate)| Some((name, rate?))).collect()
}

#[cfg(test)]
mod tests {
    use model::host::counters::{PriorityPauses, WireCounters};

    use super::*;
    use crate::collie::monitor::Symptom;
    use crate::collie::search::{Options, search};

    const TABLE: &str = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n";

    /// A NIC of 100 Gb/s that pauses for a tenth of the time while messages are READ with an MTU of 1 KiB, and cannot
    /// create more than 1,300 queue pairs.
    #[derive(Default)]
    struct StandIn {
        commands: Vec<String>,
    }

    fn option(test: &TestCommand, name: &str) -> Option<u64> {
        let at = test.more.iter().position(|word| word == name)?;
        test.more.get(at + 1)?.parse().ok()
    }

    fn interval(ms: u64, received_bytes: u64, paused_us: u64) -> (u64, NicCounters) {
        let pauses = PriorityPauses {
            priority: 3,
            frames: paused_us,
            paused_ns: Some(paused_us * 1000),
            longest_ns: None,
        };
        let nic = NicCounters {
            sent_pauses: vec![pauses],
            wire: Some(WireCounters { received_bytes, ..WireCounters::default() }),
            ..NicCounters::default()
        };
        (ms * 1_000_000, nic)
    }

    impl Bench for StandIn {
        fn run(&mut self, test: &TestCommand) -> Result<Observed, SubsystemError> {
            self.commands.push(test.client("192.0.2.2").join(" "));
            if option(test, "-q") > Some(1_300) {
                return Err(SubsystemError::NotRunnable("Couldn't create QP".into()));
            }
            let is_slow = test.program == Program::ReadBandwidth && option(test, "-m") == Some(1_024);
            let messages = (98e9 / (test.message_bytes as f64 * 8.0)).min(12e6);
            let directions = if test.more.iter().any(|word| word == "-b") { 2.0 } else { 1.0 };
            let gbps = messages * test.message_bytes as f64 * 8.0 / 1e9 * directions;
            let row =
                format!(" {} 5000 0.00 {gbps:.2} {:.6}\n", test.message_bytes, messages * directions / 1e6);
            // A second of connecting, in which the pauses of other traffic do not count.
            let mut intervals = vec![interval(1000, 1000, 500_000)];
            intervals.extend((0..4).map(|_| interval(500, 6_000_000_000, if is_slow { 50_000 } else { 0 })));
            Ok(Observed { output: format!("{TABLE}{row}"), intervals })
        }
    }

    fn nic(packets_per_s: Option<f64>) -> TestedNic {
        TestedNic {
            family: NicFamily::Other,
            server: ServerTraits::default(),
            device: "mlx5_0".into(),
            rdma_port: 1,
            line_rate_bps: 100_000_000_000,
            packets_per_s,
            seconds: 4,
        }
    }

    #[test]
    fn the_nic_under_test_receives() {
        let mut workload = Point::reference().workload(NicFamily::Other, &ServerTraits::default());
        let check = |workload: &Workload, expected: &str| {
            let found = command(&nic(None), workload, 18_515);
            assert_eq!(format!("{} {}", found.program.name(), found.more.join(" ")), expected);
        };
        check(&workload, "ib_write_bw -c RC -q 8 -m 4096 -t 128 -l 16 --reversed");
        workload.opcode = Opcode::Read;
        workload.wqe_batch = 1;
        check(&workload, "ib_read_bw -c RC -q 8 -m 4096 -t 128");
        (workload.opcode, workload.transport, workload.bidirectional) = (Opcode::Send, Transport::Ud, true);
        check(&workload, "ib_send_bw -c UD -q 8 -m 4096 -t 128 -r 128 -b");
    }

    #[test]
    fn a_search_varies_what_perftest_varies_and_finds_the_anomaly() {
        let mut subsystem =
            PerftestSubsystem::new(StandIn::default(), nic(None)).expect("it can be calibrated");
        assert!((subsystem.packets_per_s() - 12e6).abs() < 1.0, "{}", subsystem.packets_per_s());
        let options = Options { seed: 1, tests: 600, skip_known: true };
        let report = search(&mut subsystem, options).expect("the reference is normal");
        let [found] = &report.found[..] else { panic!("{:#?}", report.found) };
        let features: Vec<(Factor, &str)> =
            found.features.iter().map(|feature| (feature.factor, feature.levels.as_str())).collect();
        assert_eq!(found.symptom, Symptom::PauseFrames);
        assert!(features.contains(&(Factor::Transport, "RC READ")), "{features:?}");
        assert!(features.contains(&(Factor::Mtu, "at most 1 KiB")), "{features:?}");
        assert!(found.features.iter().all(|feature| !FIXED.contains(&feature.factor)), "{features:?}");
        assert!(report.refused > 0, "the NIC cannot create 5,000 queue pairs");
        let commands = &subsystem.bench.commands;
        assert!(commands.iter().all(|line| !line.contains("-q 20000")), "beyond the limit of perftest");
        assert!(
            commands.iter().any(|line| line.contains("-s 256 ") || line.contains("-s 512 ")),
            "sizes are varied"
        );
    }

    #[test]
    fn a_driver_without_times_of_pauses_cannot_be_searched() {
        struct NoTimes;
        impl Bench for NoTimes {
            fn run(&mut self, test: &TestCommand) -> Result<Observed, SubsystemError> {
                let mut observed = StandIn::default().run(test)?;
                observed.intervals.iter_mut().for_each(|(_, nic)| nic.sent_pauses.clear());
                Ok(observed)
            }
        }
        let error = PerftestSubsystem::new(NoTimes, nic(None)).err().expect("nothing shows an anomaly");
        assert!(error.to_string().contains("does not count the time of sent pauses"), "{error}");
    }

    #[test]
    fn a_peer_that_has_gone_ends_the_search() {
        struct Gone;
        impl Bench for Gone {
            fn run(&mut self, _test: &TestCommand) -> Result<Observed, SubsystemError> {
                Err(SubsystemError::NotRunnable("the client cannot connect".into()))
            }
        }
        let mut subsystem = PerftestSubsystem::new(Gone, nic(Some(1e6))).expect("nothing is run");
        let workload = Point::reference().workload(NicFamily::Other, &ServerTraits::default());
        let mut last = || subsystem.measure(&workload).err().map(|error| error.to_string());
        let errors: Vec<String> = (0..MAX_REFUSED).filter_map(|_| last()).collect();
        assert!(errors[0].contains("the client cannot connect"), "{errors:?}");
        assert!(errors[MAX_REFUSED - 1].contains("20 workloads in a row could not be run"), "{errors:?}");
    }
}
