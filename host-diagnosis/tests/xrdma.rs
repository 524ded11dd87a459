//! The acceptance examples of X-RDMA: request times, poll gaps, windows, probes, runbook and settings.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use host_diagnosis::xrdma::{
    Endpoint, Keepalive, KeepaliveAction, RUNBOOK, SettingError, Settings, request_time_ns, runbook,
};
use host_diagnosis::{CheckResult, Fabric, FabricState, HostDiagnosis, HostPart, diagnose};
use model::host::polls::{MessageWindow, PollGap, RequestTrace, SilentConnection, SlowSegment};
use model::host::{HostPolls, HostProbes};
use model::{Cause, HostReport};
use proptest::prelude::*;

/// XR-1: T1 = 100 us, T2 = 160 us, Toff = 40 us: 20 us.
#[test]
fn the_request_time_excludes_the_clock_offset() {
    let check = |sent_us: u64, received_us: u64, offset_us: Option<i64>, expected: Option<i64>| {
        let request = RequestTrace {
            receiver: "h2".into(),
            sent_ns: sent_us * 1000,
            received_ns: received_us * 1000,
            clock_offset_ns: offset_us.map(|offset| offset * 1000),
        };
        assert_eq!(request_time_ns(&request), expected.map(|time| time * 1000));
    };
    check(100, 160, Some(40), Some(20));
    check(160, 100, Some(-80), Some(20));
    check(100, 160, Some(70), Some(-10));
    check(100, 160, None, None);
}

fn gap(thread: &str, start_us: u64, duration_us: u64) -> PollGap {
    PollGap { thread: thread.into(), start_ns: start_us * 1000, duration_ns: duration_us * 1000 }
}

fn diagnose_polls(polls: HostPolls, fabric: &Fabric) -> HostDiagnosis {
    let report = HostReport { polls: Some(polls), ..HostReport::new("h1", 1_000_000_000) };
    diagnose(&report, fabric)
}

fn result(diagnosis: &HostDiagnosis, detector: &str) -> CheckResult {
    diagnosis.checks.iter().find(|check| check.detector == detector).unwrap().result
}

/// XR-2: long gaps of two threads at the same time, on a clean fabric.
#[test]
fn simultaneous_gaps_are_a_lock_of_the_application() {
    let gaps = vec![gap("w1", 1000, 900), gap("w2", 1100, 800), gap("w1", 9000, 700), gap("w2", 9050, 700)];
    let segment = |thread: &str, start_us: u64| SlowSegment {
        thread: thread.into(),
        location: "allocator.c:214".into(),
        start_ns: start_us * 1000,
        duration_ns: 650_000,
    };
    let request = RequestTrace {
        receiver: "h2".into(),
        sent_ns: 100_000,
        received_ns: 160_000,
        clock_offset_ns: Some(40_000),
    };
    let polls = HostPolls {
        polling_threads: Some(4),
        long_gap_ns: Some(100_000),
        gaps,
        slow_segments: vec![segment("w1", 1010), segment("w2", 9060), segment("w3", 500_000)],
        requests: vec![request],
        windows: Vec::new(),
        silent_connections: Vec::new(),
    };
    let diagnosis = diagnose_polls(polls.clone(), &Fabric::clean());
    let finding = &diagnosis.findings[0];
    assert_eq!((finding.detector.as_str(), finding.cause), ("poll_gap", Cause::PollGap));
    assert_eq!(finding.part, HostPart::Application("allocator.c:214".into()));
    assert!(finding.summary.contains("application lock, not the network"), "{}", finding.summary);
    assert_eq!(finding.confidence, 0.9);
    let claims: Vec<&str> = finding.evidence.iter().map(|claim| claim.claim.as_str()).collect();
    assert_eq!(
        claims,
        [
            "w1, w2: 4 gaps between polls at the same time, the longest 900 us",
            "`allocator.c:214` was slow in these gaps",
            "requests were in the network for at most 20.0 us (T2 - T1 - Toff)",
        ]
    );
    assert_eq!(finding.evidence[1].records, ["/polls/slow_segments/0", "/polls/slow_segments/1"]);
    // A fabric that explains the delay withholds it, and an unknown one makes it a suspicion.
    let congested = diagnose_polls(polls.clone(), &Fabric::new(FabricState::Congested));
    assert_eq!((congested.findings.len(), result(&congested, "poll_gap")), (0, CheckResult::FabricExplains));
    assert!(diagnose_polls(polls, &Fabric::default()).findings[0].confidence < 0.6);
}

#[test]
fn gaps_one_at_a_time_and_short_ones_are_no_lock() {
    let apart = HostPolls {
        long_gap_ns: Some(100_000),
        gaps: vec![gap("w1", 1000, 900), gap("w2", 5000, 800)],
        ..HostPolls::default()
    };
    let diagnosis = diagnose_polls(apart, &Fabric::clean());
    assert!(diagnosis.findings[0].summary.starts_with("w1, w2 did not poll in time"), "{diagnosis:?}");
    // Both gaps of one thread are not simultaneous with themselves.
    let own = HostPolls { gaps: vec![gap("w1", 1000, 900), gap("w1", 1000, 900)], ..HostPolls::default() };
    assert!(diagnose_polls(own, &Fabric::clean()).findings[0].summary.starts_with("w1 did not poll"));
    let short = HostPolls {
        long_gap_ns: Some(1_000_000),
        gaps: vec![gap("w1", 0, 1000), gap("w2", 0, 1000)],
        ..HostPolls::default()
    };
    assert_eq!(result(&diagnose_polls(short, &Fabric::clean()), "poll_gap"), CheckResult::Clean);
    let none = diagnose(&HostReport::new("h1", 1), &Fabric::clean());
    assert_eq!(result(&none, "poll_gap"), CheckResult::MissingEvidence);
}

/// XR-3: both windows are full, so neither end may send; the NOP of one end resolves it.
#[test]
fn full_windows_in_both_directions_are_a_deadlock_that_a_nop_resolves() {
    let (mut one, mut other) = (Endpoint::new(4, 8), Endpoint::new(4, 8));
    let (from_one, from_other): (Vec<_>, Vec<_>) =
        (0..4).map(|_| (one.send().unwrap(), other.send().unwrap())).unzip();
    from_other.into_iter().for_each(|message| one.receive(message));
    from_one.into_iter().for_each(|message| other.receive(message));
    while one.process() {}
    while other.process() {}
    assert!(one.send().is_err() && other.send().is_err());
    // Acknowledgements are due after 8 messages only, twice the depth.
    assert_eq!((one.acknowledge(), other.acknowledge()), (None, None));
    let nop = one.resolve_deadlock().expect("a deadlock");
    other.receive(nop);
    let answer = other.send().expect("the window is open again");
    one.receive(answer);
    assert!(one.send().is_ok());
    assert_eq!(one.resolve_deadlock(), None);
    assert_eq!((one.receiver_not_ready(), other.receiver_not_ready()), (0, 0));
}

/// XR-3: a million random steps of both ends; no message meets a receiver that is not ready, and nothing stops forever.
#[test]
fn a_million_random_sends_never_meet_a_receiver_that_is_not_ready() {
    let mut seed = 7u64;
    let mut random = || {
        // xorshift64, Marsaglia 2003.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut ends = [Endpoint::new(16, 40), Endpoint::new(16, 8)];
    let mut wires: [std::collections::VecDeque<_>; 2] = Default::default();
    let (mut sends, mut nops) = (0u32, 0u32);
    while sends < 1_000_000 {
        let at = (random() % 2) as usize;
        match random() % 5 {
            0 | 1 => {
                if let Ok(message) = ends[at].send() {
                    sends += 1;
                    wires[at].push_back(message);
                }
            }
            2 => {
                if let Some(message) = wires[1 - at].pop_front() {
                    ends[at].receive(message);
                }
            }
            3 => drop(ends[at].process()),
            _ => {
                wires[at].extend(ends[at].acknowledge());
                if let Some(nop) = ends[at].resolve_deadlock() {
                    nops += 1;
                    wires[at].push_back(nop);
                }
            }
        }
        assert!(ends[at].in_flight() <= 16);
    }
    assert_eq!((ends[0].receiver_not_ready(), ends[1].receiver_not_ready()), (0, 0));
    assert!(nops > 0, "the walk meets deadlocks, because one end acknowledges after 40 messages");
    // Without the window, the same receiver is not ready.
    let mut receiver = Endpoint::new(16, 8);
    let mut senders: Vec<Endpoint> = (0..2).map(|_| Endpoint::new(16, 8)).collect();
    for sender in &mut senders {
        (0..16).for_each(|_| receiver.receive(sender.send().unwrap()));
    }
    assert_eq!(receiver.receiver_not_ready(), 16);
}

#[test]
fn idle_connections_with_full_windows_are_reported() {
    let window = |sent, received, idle_ms: u64| MessageWindow {
        connection: "h1:7>h2:9".into(),
        depth: 64,
        sent,
        received,
        idle_ns: idle_ms * 1_000_000,
    };
    let check = |window: MessageWindow, expected| {
        let diagnosis =
            diagnose_polls(HostPolls { windows: vec![window], ..HostPolls::default() }, &Fabric::clean());
        assert_eq!(result(&diagnosis, "window_deadlock"), expected);
    };
    check(window(64, 64, 10), CheckResult::Found);
    check(window(64, 64, 9), CheckResult::Clean);
    check(window(64, 63, 900), CheckResult::Clean);
    check(window(63, 64, 900), CheckResult::Clean);
}

/// Probes between all pairs of hosts; those of `dead` have no reply.
fn probes(hosts: &[&str], dead: impl Fn(&str, &str) -> bool) -> HostProbes {
    let mut text = Vec::new();
    for from in hosts {
        for to in hosts.iter().filter(|to| *to != from) {
            let result = if dead(from, to) { r#""error":"retry exceeded""# } else { r#""rtt_ns":4000"# };
            text.push(format!(r#"{{"from":"{from}","to":"{to}","scope":"tor",{result}}}"#));
        }
    }
    serde_json::from_str(&format!(r#"{{"results":[{}]}}"#, text.join(","))).unwrap()
}

/// The summaries of a matrix of four hosts.
fn summaries(dead: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let probes = probes(&["h1", "h2", "h3", "h4"], dead);
    let report = HostReport { probes: Some(probes), ..HostReport::new("h1", 1_000_000_000) };
    diagnose(&report, &Fabric::clean()).findings.into_iter().map(|finding| finding.summary).collect()
}

/// XR-5: one dead pair is that pair, a dead row is the host.
#[test]
fn a_dead_pair_is_the_pair_and_a_dead_row_the_host() {
    assert_eq!(summaries(|_, _| false), [""; 0]);
    assert_eq!(
        summaries(|from, to| (from, to) == ("h2", "h3")),
        ["h3 does not answer h2, and both answer others: the path between them"]
    );
    let host = ["h3 answers none of its 3 peers: the host, its NIC or its link"];
    assert_eq!(summaries(|from, to| from == "h3" || to == "h3"), host);
    assert_eq!(summaries(|from, _| from == "h3"), host);
    // A dead host does not hide a dead pair of others.
    let both = summaries(|from, to| from == "h3" || to == "h3" || (from, to) == ("h1", "h4"));
    assert_eq!(both.len(), 2);
    assert_eq!(both[1], "h4 does not answer h1, and both answer others: the path between them");
}

#[test]
fn two_hosts_are_a_pair_and_not_two_dead_hosts() {
    let report = HostReport { probes: Some(probes(&["h1", "h2"], |_, _| true)), ..HostReport::new("h1", 1) };
    let found = diagnose(&report, &Fabric::clean()).findings;
    assert!(found.iter().all(|finding| matches!(finding.part, HostPart::Connection(_))), "{found:?}");
}

/// XR-6: six kinds of problems, the rows of Table II.
#[test]
fn the_runbook_has_the_rows_of_the_table() {
    let check = |problem, methods: &[&str]| {
        assert_eq!(runbook(problem).map(|row| row.methods), Some(methods), "{problem}")
    };
    check("heavy incast", &["tracing", "XR-Stat"]);
    check("Broken Network", &["keepAlive", "XR-Ping"]);
    check("jitter", &["tracing", "XR-Perf"]);
    check("long tail", &["tracing", "XR-Perf"]);
    check("bugs hard to reproduce", &["filter"]);
    check("memory leak or crash", &["isolated memory cache"]);
    assert_eq!((RUNBOOK.len(), runbook("sunspots")), (6, None));
}

/// XR-6: online settings change while the library runs, offline ones are refused and keep their value.
#[test]
fn online_settings_change_live_and_offline_ones_do_not() {
    let mut settings = Settings::default();
    settings.set("small_msg_size", 4096).unwrap();
    settings.set("polling_warn_cycle", 100).unwrap();
    settings.start();
    for setting in Settings::all() {
        let before = settings.get(setting.name);
        let changed = settings.set(setting.name, 77);
        if setting.is_online {
            assert_eq!((changed, settings.get(setting.name)), (Ok(before), Some(77)));
        } else {
            assert_eq!(changed, Err(SettingError::Offline { name: setting.name.into() }));
            assert_eq!(settings.get(setting.name), before);
        }
    }
    assert_eq!(Settings::all().iter().filter(|setting| setting.is_online).count(), 4);
    let error = settings.set("polling", 1).unwrap_err().to_string();
    assert!(error.starts_with("no setting `polling`; expected one of keepalive_intv_ms"), "{error}");
}

proptest! {
    /// Whatever both ends do, a message never meets a receiver that is not ready, and a NOP always lets both continue.
    #[test]
    fn windows_of_any_depth_are_safe_and_live(depths in (1u32..20, 1u32..40), steps in proptest::collection::vec((0usize..2, 0u8..4), 1..400)) {
        let (depth, after) = depths;
        let mut ends = [Endpoint::new(depth, after), Endpoint::new(depth, after)];
        let mut wires: [std::collections::VecDeque<_>; 2] = Default::default();
        for (at, step) in steps {
            match step {
                0 => wires[at].extend(ends[at].send()),
                1 => if let Some(message) = wires[1 - at].pop_front() { ends[at].receive(message) },
                2 => drop(ends[at].process()),
                _ => wires[at].extend(ends[at].acknowledge()),
            }
        }
        // All messages arrive and are processed; then timers and acknowledgements open the windows.
        for _ in 0..2 {
            for at in 0..2 {
                while let Some(message) = wires[1 - at].pop_front() { ends[at].receive(message) }
                while ends[at].process() {}
                wires[at].extend(ends[at].acknowledge());
                wires[at].extend(ends[at].resolve_deadlock());
            }
        }
        for at in 0..2 {
            while let Some(message) = wires[1 - at].pop_front() { ends[at].receive(message) }
        }
        prop_assert_eq!(ends[0].receiver_not_ready() + ends[1].receiver_not_ready(), 0);
        prop_assert!(ends[0].send().is_ok() || ends[1].send().is_ok());
    }
}

/// Section V-A: a probe after 10 ms of silence; its error releases the connection, and its completion does not.
#[test]
fn a_connection_is_released_when_its_probe_fails() {
    use KeepaliveAction::{AwaitCompletion, Probe, Release, WaitUntil};
    let ms = |ms: u64| ms * 1_000_000;
    let mut end = Keepalive::new(0, ms(10));
    assert_eq!(end.next(ms(3)), WaitUntil(ms(10)));
    end.received(ms(4));
    assert_eq!(end.next(ms(13)), WaitUntil(ms(14)));
    assert_eq!([end.next(ms(14)), end.next(ms(15))], [Probe, AwaitCompletion]);
    end.completed(ms(16), true);
    assert_eq!(end.next(ms(17)), WaitUntil(ms(26)));
    assert_eq!(end.next(ms(26)), Probe);
    // A message that was under way does not bring the queue pair back.
    end.received(ms(30));
    end.completed(ms(40), false);
    end.received(ms(41));
    assert_eq!(end.next(ms(50)), Release);
}

proptest! {
    /// A peer that exists is never released, whatever is sent and when; one that is gone is, after one interval and its probe.
    #[test]
    fn only_a_connection_whose_peer_is_gone_is_released(
        steps in prop::collection::vec((0..30_u64, any::<bool>()), 0..100), interval in 1..20_u64,
    ) {
        let mut end = Keepalive::new(0, interval);
        let mut now = 0;
        for (wait, sends) in steps {
            now += wait;
            if sends {
                end.received(now);
            }
            match end.next(now) {
                KeepaliveAction::Probe => end.completed(now, true),
                action => prop_assert!(matches!(action, KeepaliveAction::WaitUntil(_)), "{action:?}"),
            }
        }
        now += interval;
        prop_assert_eq!(end.next(now), KeepaliveAction::Probe);
        end.completed(now, false);
        prop_assert_eq!(end.next(now), KeepaliveAction::Release);
    }
}

/// A connection from which nothing has arrived for this long; its last probe was acknowledged or not.
#[track_caller]
fn check_silent(
    silent_s: u64,
    keepalive_ns: Option<u64>,
    is_acknowledged: Option<bool>,
    expected: CheckResult,
) -> HostDiagnosis {
    let silent = SilentConnection {
        connection: "h1 -> h2".into(),
        silent_ns: silent_s * 1_000_000_000,
        keepalive_ns,
        is_acknowledged,
        held_bytes: Some(4 << 20),
    };
    let polls = HostPolls { silent_connections: vec![silent], ..HostPolls::default() };
    let report = HostReport { polls: Some(polls), ..HostReport::new("h1", 1_000_000_000) };
    let found = diagnose(&report, &Fabric::new(FabricState::Congested));
    let of_detector = found.checks.iter().find(|check| check.detector == "dead_connection").unwrap();
    assert_eq!(of_detector.result, expected, "{of_detector:?}");
    found
}

#[test]
fn a_connection_whose_probe_failed_holds_memory_for_a_peer_that_is_gone() {
    let every = Some(10_000_000);
    let found = check_silent(90, every, Some(false), CheckResult::Found);
    let finding = found.findings.iter().find(|finding| finding.detector == "dead_connection").unwrap();
    assert_eq!(finding.part, HostPart::Connection("h1 -> h2".to_string()));
    assert_eq!(
        finding.summary,
        "the peer of connection h1 -> h2 is gone: its queue pair and 4.2 MB of buffers are still held"
    );
    check_silent(90, every, Some(true), CheckResult::Clean);
    check_silent(90, every, None, CheckResult::Clean);
    check_silent(90, None, None, CheckResult::MissingEvidence);
    check_silent(30, None, None, CheckResult::Clean);
}
