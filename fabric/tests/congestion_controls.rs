//! DCTCP and TIMELY in a network: queue, throughput and shares are those that their papers state.
#![allow(clippy::print_stdout, reason = "the figures behind the assertions are for people")]

use crate::common::{check_conservation, plain_fabric};
use model::{Rate, Time};
use p4_switch::tm::Ecn;
use scenario::Notification;
use scenario::nic::ControlConfig;
use scenario::nic::DctcpConfig;
use scenario::nic::TimelyConfig;

/// Measurements of the second half of a run of flows into one port of 100 Gb/s.
#[derive(Debug)]
struct Found {
    /// Gb/s of each flow.
    gbps: Vec<f64>,
    /// Mean and largest queue, in bytes.
    mean: f64,
    most: u64,
    /// Longest RTT of all flows since the beginning.
    slowest: Time,
    pauses: usize,
}

impl Found {
    fn total(&self) -> f64 {
        self.gbps.iter().sum()
    }

    /// The lowest rate divided by the highest.
    fn fairness(&self) -> f64 {
        let least = self.gbps.iter().copied().fold(f64::MAX, f64::min);
        least / self.gbps.iter().copied().fold(0.0, f64::max)
    }
}

/// `flows` senders, a receiver, 2 us from each to the switch, and marking of everything above `marks_at` bytes.
fn run(control: ControlConfig, flows: usize, marks_at: u64, length: Time) -> Found {
    let links: String = (0..=flows)
        .map(|h| format!("[[link]]\na=\"h{h}:1\"\nb=\"s:{}\"\nrate=\"100Gbps\"\ndelay=\"2us\"\n", h + 1))
        .collect();
    let hosts: Vec<String> = (0..=flows).map(|host| format!("\"h{host}\"")).collect();
    let rows: String =
        (1..=flows).map(|h| format!("[[flow]]\nfrom=\"h{h}\"\nto=\"h0\"\nsize=\"1000GB\"\n")).collect();
    let text = format!(
        "name=\"cc\"\nstop=\"1s\"\n[topology]\nswitches=[\"s\"]\nhosts=[{}]\n{links}[switch]\nlossless=[3]\n\
         memory=\"400MB\"\nheadroom=\"1MB\"\n[host]\npayload=1000\nheaders=48\n{rows}",
        hosts.join(",")
    );
    let mut scenario = scenario::parse("cc.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    scenario.host.notification = Notification::Acknowledgements;
    scenario.host.instead_of_dcqcn = Some(control);
    let step = Ecn { kmin_bytes: marks_at, kmax_bytes: marks_at, pmax_ppm: 1_000_000 };
    scenario.switch.ecn = vec![(Rate::from_gbps(100), step)];
    let mut fabric = plain_fabric(&scenario, 1);
    let half = Time(length.0 / 2);
    fabric.run_until(half);
    let before: Vec<u64> = fabric.flows().iter().map(|flow| flow.acknowledged_bytes).collect();
    let (samples, mut sum, mut most) = (1_000, 0, 0);
    for sample in 1..=samples {
        fabric.run_until(Time(half.0 + half.0 / samples * sample));
        let tm = fabric.switch_mut("s").expect("it exists").tm_mut();
        let bytes = tm.queue(1, 3).expect("it exists").bytes;
        (sum, most) = (sum + bytes, most.max(bytes));
    }
    check_conservation(&fabric);
    let records = fabric.flows();
    let rate = |(flow, before): (&fabric::FlowRecord, &u64)| {
        (flow.acknowledged_bytes - before) as f64 * 8.0 / half.as_secs_f64() / 1e9
    };
    let found = Found {
        gbps: records.iter().zip(&before).map(rate).collect(),
        mean: sum as f64 / samples as f64,
        most,
        slowest: records.iter().map(|flow| flow.rtt.max).max().unwrap_or_default(),
        pauses: fabric.pauses().len(),
    };
    println!("{found:?}");
    found
}

/// The highest payload rate of the port.
const GOODPUT_GBPS: f64 = 100.0 * 1_000.0 / 1_048.0;

#[test]
fn dctcp_keeps_the_queue_near_the_marking_threshold_at_full_throughput_and_equal_rates() {
    // The gain of the public files. With the paper's 1/16, a rate without a window loses 3 to 6 % of the throughput.
    for (step_mbps, flows, marks_at) in [(200, 2, 100_000), (200, 8, 300_000), (50, 2, 300_000)] {
        let config = DctcpConfig {
            gain: 1.0 / 256.0,
            additive_increase: Rate(step_mbps * 1_000_000),
            min_rate: Rate(100_000_000),
        };
        let found = run(ControlConfig::Dctcp(config), flows, marks_at, Time::from_ms(40));
        assert!(found.total() > 0.97 * GOODPUT_GBPS, "{found:?}");
        assert!(found.fairness() > 0.95, "{found:?}");
        // Alizadeh et al., section 3.3: the queue oscillates below the marking threshold and exceeds it by what arrives
        // in the RTT until a mark takes effect.
        assert!(found.mean < marks_at as f64, "{found:?}");
        assert!((marks_at..marks_at * 3 / 2).contains(&found.most), "{found:?}");
        assert_eq!(found.pauses, 0);
    }
}

#[test]
fn timely_keeps_rtts_below_its_threshold_without_marks() {
    let config = TimelyConfig {
        additive_increase: Rate(50_000_000),
        hyper_increase: Rate(100_000_000),
        ..TimelyConfig::default()
    };
    let found = run(ControlConfig::Timely(config), 2, u64::from(u32::MAX), Time::from_ms(40));
    assert!(found.total() > 0.9 * GOODPUT_GBPS, "{found:?}");
    // All RTTs stay far below 500 us, above which every RTT lowers the rate.
    assert!(found.slowest < Time::from_us(250), "{found:?}");
    assert!(found.fairness() > 0.9, "{found:?}");
    assert_eq!(found.pauses, 0);
}
