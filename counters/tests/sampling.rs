//! sFlow version 5, IPFIX and NetFlow version 9: datagrams of the exporters of other projects, and what an exporter must not be
//! able to do.
//!
//! `fixtures/sampling` holds what pmacctd 1.7.7 (`sfprobe` with `sampling_rate: 50`, `nfprobe` with `nfprobe_version: 10`, and
//! with 9, once with `sampling_rate: 50`) and softflowd 1.1.0 (`-v 10`) sent for captures of 2,000 packets: 1,200 of one flow,
//! 600 of another, 200 of IPv6. The expected numbers are those that the crates flowparser-sflow 0.3.0 and netflow_parser 1.0.6
//! read from the same datagrams; those of NetFlow 9 follow from the capture, and with sampling from the records as bytes.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use counters::sampling::{Collector, MAX_SAMPLES, agents};
use counters::{FlowSample, PortReading, Reading, Source};
use model::Topology;
use proptest::prelude::*;

pub(crate) const PMACCTD_SFLOW: &str = include_str!("fixtures/sampling/pmacctd-sflow.hex");
const PMACCTD_IPFIX: &str = include_str!("fixtures/sampling/pmacctd-ipfix.hex");
const SOFTFLOWD_IPFIX: &str = include_str!("fixtures/sampling/softflowd-ipfix.hex");
pub(crate) const PMACCTD_NETFLOW9: &str = include_str!("fixtures/sampling/pmacctd-netflow9.hex");
pub(crate) const PMACCTD_NETFLOW9_SAMPLED: &str =
    include_str!("fixtures/sampling/pmacctd-netflow9-sampled.hex");

pub(crate) const AGENT: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 9));
pub(crate) const TIME_NS: u64 = 1_795_686_355_000_000_000;

/// A collector that knows `leaf1` at [`AGENT`].
pub(crate) fn collector() -> Collector {
    let mut collector = Collector::default();
    collector.set_switches(BTreeMap::from([(AGENT, "leaf1".to_string())]));
    collector
}

pub(crate) fn datagrams(hex: &str) -> Vec<Vec<u8>> {
    let byte = |line: &str, at: usize| u8::from_str_radix(&line[at..at + 2], 16).expect("hexadecimal");
    hex.lines().map(|line| (0..line.len()).step_by(2).map(|at| byte(line, at)).collect()).collect()
}

/// Samples, packets and bytes by flow.
pub(crate) fn totals(samples: &[FlowSample]) -> BTreeMap<String, (u64, u64, u64)> {
    let mut totals: BTreeMap<String, (u64, u64, u64)> = BTreeMap::new();
    for sample in samples {
        let total = totals.entry(sample.flow.to_string()).or_default();
        *total = (total.0 + 1, total.1 + sample.packets, total.2 + sample.bytes);
    }
    totals
}

/// Takes the datagrams of an exporter and compares the totals of its flows; nothing else is reported.
pub(crate) fn check(hex: &str, expected: &[(&str, (u64, u64, u64))]) -> Vec<FlowSample> {
    let mut collector = collector();
    datagrams(hex).iter().for_each(|datagram| collector.take(AGENT, datagram, TIME_NS));
    let samples = collector.samples(&[]);
    let expected = expected.iter().map(|(flow, total)| ((*flow).to_string(), *total)).collect();
    assert_eq!(totals(&samples), expected);
    assert_eq!(collector.news(), [""; 0]);
    samples
}

/// Checks the counts for programs: problem, switch, count; those that are 0 are left out.
pub(crate) fn check_problems(collector: &Collector, expected: &[(&str, Option<&str>, u64)]) {
    let found = collector.problems();
    let found: Vec<_> = found.iter().filter(|of| of.count > 0).collect();
    let found: Vec<_> = found.iter().map(|of| (of.problem, of.switch.as_deref(), of.count)).collect();
    assert_eq!(found, expected);
}

pub(crate) const FIRST: &str = "10.0.0.1:10000>10.0.3.1:4791/udp";
pub(crate) const SECOND: &str = "10.0.0.2:10001>10.0.3.1:4791/udp";
pub(crate) const V6: &str = "[fd00::1]:1234>[fd00::2]:4791/udp";

#[test]
fn sflow_of_pmacctd_is_read() {
    let expected =
        [(FIRST, (18, 900, 19_260 * 50)), (SECOND, (16, 800, 17_120 * 50)), (V6, (2, 100, 1_156 * 50))];
    let samples = check(PMACCTD_SFLOW, &expected);
    let sample = &samples[0];
    assert_eq!((sample.switch.as_str(), sample.time_ns, sample.duration_ns), ("leaf1", TIME_NS, 0));
    assert_eq!((sample.sampling_rate, sample.dscp), (50, Some(26)));
    assert_eq!((&sample.ingress, &sample.egress), (&None, &None), "pmacctd states no interfaces");
}

#[test]
fn ipfix_of_pmacctd_and_softflowd_is_read() {
    let expected = [(FIRST, (1, 1_200, 1_262_400)), (SECOND, (1, 600, 631_200)), (V6, (1, 200, 112_000))];
    let samples = check(PMACCTD_IPFIX, &expected);
    assert_eq!((samples[0].duration_ns, samples[0].dscp), (1_994_000_000, Some(26)));
    assert_eq!((samples[2].duration_ns, samples[2].sampling_rate), (1_990_000_000, 1));
    check(SOFTFLOWD_IPFIX, &expected);
}

/// Big-endian words.
pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A datagram with these samples: format and body.
fn sflow(sequence: u32, samples: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = words(&[5, 1, 0x0a00_0009, 0, sequence, 1_000, samples.len() as u32]);
    for (format, body) in samples {
        bytes.extend(words(&[*format, body.len() as u32]));
        bytes.extend(body);
    }
    bytes
}

/// A flow sample with a record of sampled IPv4 from 10.0.0.1 to 10.0.3.1, 1,000 bytes.
fn flow_sample(sequence: u32, drops: u32, output: u32) -> (u32, Vec<u8>) {
    let packet = [1_000, 17, 0x0a00_0001, 0x0a00_0301, 10_000, 4_791, 0, 104];
    let header = [sequence, 7, 2_000, 9, drops, 7, output, 1, 3, 32];
    (1, words(&[&header[..], &packet[..]].concat()))
}

/// A counters sample that names an interface.
fn port_name(index: u32, name: &str) -> (u32, Vec<u8>) {
    let padded = name.len().next_multiple_of(4);
    let mut body = words(&[1, index, 1, 1005, 4 + padded as u32, name.len() as u32]);
    body.extend(name.as_bytes());
    body.resize(body.len() + padded - name.len(), 0);
    (2, body)
}

/// A reading of `leaf1` whose port `Ethernet8` has the alias `etp3`.
pub(crate) fn leaf1() -> Reading {
    let port = PortReading { alias: Some("etp3".into()), ..PortReading::default() };
    Reading {
        switch: "leaf1".into(),
        time_ns: TIME_NS,
        time_is_assumed: false,
        source: Source::SonicDatabase,
        lacks_watchdog: false,
        polled: Default::default(),
        ports: BTreeMap::from([("Ethernet8".to_string(), port)]),
        neighbours: Vec::new(),
        addresses: vec![AGENT],
    }
}

#[test]
fn interfaces_are_known_by_the_names_that_the_agent_announces() {
    let mut collector = collector();
    collector.take(AGENT, &sflow(1, &[flow_sample(1, 0, 9)]), TIME_NS);
    assert_eq!(collector.samples(&[leaf1()])[0].egress, None);
    assert!(collector.news()[0].contains("has not announced"), "said once the samples are used");
    for name in ["Ethernet8", "etp3"] {
        collector.take(AGENT, &sflow(2, &[port_name(9, name), port_name(7, "Ethernet0")]), TIME_NS);
        let samples = collector.samples(&[leaf1()]);
        assert_eq!(samples[0].egress.as_deref(), Some("Ethernet8"), "{name}");
        assert_eq!(samples[0].ingress.as_deref(), Some("Ethernet0"));
        assert_eq!((samples[0].bytes, samples[0].packets), (2_000_000, 2_000));
    }
}

#[test]
fn packets_that_the_switch_dropped_left_by_no_port() {
    let mut collector = collector();
    collector.take(AGENT, &sflow(1, &[flow_sample(1, 0, 1 << 30 | 256)]), TIME_NS);
    assert_eq!(collector.samples(&[]), []);
}

/// Takes datagrams and compares what is reported.
pub(crate) fn check_news(datagrams: &[Vec<u8>], expected: &[&str]) -> Collector {
    let mut collector = collector();
    datagrams.iter().for_each(|datagram| collector.take(AGENT, datagram, TIME_NS));
    let news = collector.news();
    assert_eq!(news.len(), expected.len(), "{news:?}");
    for (line, part) in news.iter().zip(expected) {
        assert!(line.contains(part), "{line:?} lacks {part:?}");
    }
    assert_eq!(collector.news(), [""; 0], "nothing is reported twice");
    collector
}

#[test]
fn gaps_of_sequence_numbers_are_lost_samples() {
    let of = |datagram, sample, drops| sflow(datagram, &[flow_sample(sample, drops, 9)]);
    check_news(&[of(1, 1, 0), of(2, 2, 0)], &[]);
    let collector = check_news(
        &[of(1, 1, 0), of(4, 11, 3)],
        &["leaf1: 2 datagrams of sFlow", "leaf1: 9 flow samples", "dropped 3 samples"],
    );
    let leaf1 = Some("leaf1");
    check_problems(
        &collector,
        &[("dropped_by_agent", leaf1, 3), ("lost_datagrams", leaf1, 2), ("lost_samples", leaf1, 9)],
    );
    // Overtaken datagrams: one was late.
    check_news(
        &[of(1, 1, 0), of(3, 3, 0), of(2, 2, 0), of(4, 4, 0)],
        &["1 datagrams of sFlow", "1 flow samples"],
    );
    check_news(&[of(u32::MAX, u32::MAX, 0), of(0, 0, 0)], &[]);
    check_news(&[of(90_000, 90_000, 5), of(1, 1, 0)], &[]);
}

#[test]
fn a_lost_ipfix_message_is_reported() {
    let message = |sequence: u32| {
        let mut message = datagrams(PMACCTD_IPFIX)[1].clone();
        message[8..12].copy_from_slice(&sequence.to_be_bytes());
        message
    };
    let first = datagrams(PMACCTD_IPFIX)[0].clone();
    check_news(&[first.clone(), message(3), message(4)], &[]);
    check_news(&[first, message(3), message(14)], &["leaf1: 10 records of IPFIX or NetFlow were lost"]);
    check_news(&[message(3)], &["leaf1: data sets of IPFIX or NetFlow without a template are left out: 1"]);
}

#[test]
fn datagrams_of_unknown_exporters_are_left_out() {
    let mut collector = collector();
    let mut other = sflow(1, &[flow_sample(1, 0, 9)]);
    other[11] = 77;
    let source = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    collector.take(source, &other, TIME_NS);
    collector.take(source, b"GET / HTTP/1.1", TIME_NS);
    assert_eq!(collector.samples(&[]), []);
    let news = collector.news();
    assert!(news[0].contains("10.0.0.77") && news[0].contains("--exporter"), "{news:?}");
    assert!(news[1].contains("none of sFlow"), "{news:?}");
    check_problems(&collector, &[("foreign", None, 1), ("unknown_exporter", None, 1)]);
    // The agent's address counts, whatever the datagram passed through.
    collector.take(source, &sflow(1, &[flow_sample(1, 0, 9)]), TIME_NS);
    assert_eq!(collector.samples(&[]).len(), 1);
    // One that names another agent is not of the switch that passes it on.
    collector.take(AGENT, &other, TIME_NS);
    assert_eq!(collector.samples(&[]).len(), 1);
}

#[test]
fn an_address_of_several_switches_stands_for_none() {
    let leaf2 = Reading { switch: "leaf2".into(), ..leaf1() };
    let none = Topology::default();
    assert_eq!(agents(&none, &[leaf1()], &[]), BTreeMap::from([(AGENT, "leaf1".to_string())]));
    assert_eq!(agents(&none, &[leaf1(), leaf2.clone()], &[]), BTreeMap::new());
    let given = [(AGENT, "leaf2".to_string())];
    assert_eq!(agents(&none, &[leaf1(), leaf2], &given), BTreeMap::from(given));
}

#[test]
fn what_a_switch_can_make_the_collector_keep_is_limited() {
    let many = |template: u16| {
        let mut message = Vec::new();
        message.extend([0, 2, 0, 12]);
        message.extend(template.to_be_bytes());
        message.extend([0, 1, 0, 1, 0, 4]);
        message
    };
    let message = |sets: Vec<u8>| {
        let mut message = vec![0, 10];
        message.extend((16 + sets.len() as u16).to_be_bytes());
        message.extend(words(&[0, 0, 0]));
        message.extend(sets);
        message
    };
    let templates: Vec<u8> = (256..512).flat_map(many).collect();
    check_news(&[message(templates.clone())], &[]);
    let beyond = (512..522).flat_map(many).collect();
    check_news(&[message(templates), message(beyond)], &["leaf1: 10 templates"]);
    let names: Vec<(u32, Vec<u8>)> = (0..1_000).map(|index| port_name(index, "x")).collect();
    let names = |from: u32| {
        let own = names.iter().cloned().map(|(format, mut body)| {
            let index = u32::from_be_bytes([body[4], body[5], body[6], body[7]]) + from;
            body[4..8].copy_from_slice(&index.to_be_bytes());
            (format, body)
        });
        sflow(from + 1, &own.collect::<Vec<_>>())
    };
    let mut collector = collector();
    for from in 0..5 {
        collector.take(AGENT, &names(from * 1_000), TIME_NS);
    }
    assert!(collector.news().iter().any(|line| line.contains("leaf1: 904 templates, ")));
    let samples: Vec<(u32, Vec<u8>)> = (1..=900).map(|number| flow_sample(number, 0, 9)).collect();
    for sequence in 0..300 {
        collector.take(AGENT, &sflow(sequence, &samples), TIME_NS);
    }
    assert_eq!(collector.samples(&[]).len(), MAX_SAMPLES);
    assert!(collector.news().iter().any(|line| line.contains("70000 oldest are left out")));
    collector.forget_before(TIME_NS + 1);
    assert_eq!(collector.samples(&[]), []);
}

#[test]
fn a_template_without_bytes_is_malformed() {
    // Template 256 with one field of no bytes, then a set of its records, which would never end.
    let sets = [0, 2, 0, 12, 1, 0, 0, 1, 0, 8, 0, 0, 1, 0, 0, 8, 1, 2, 3, 4];
    let mut message = vec![0, 10, 0, 16 + sets.len() as u8];
    message.extend(words(&[0, 0, 0]));
    message.extend(sets);
    let mut collector = check_news(
        &[message],
        &[
            "leaf1: 1 malformed datagrams",
            "leaf1: data sets of IPFIX or NetFlow without a template are left out: 1",
        ],
    );
    assert_eq!(collector.samples(&[]), []);
}

/// The datagrams of all exporters.
fn all() -> Vec<Vec<u8>> {
    let exporters =
        [PMACCTD_SFLOW, PMACCTD_IPFIX, SOFTFLOWD_IPFIX, PMACCTD_NETFLOW9, PMACCTD_NETFLOW9_SAMPLED];
    let mut all = exporters.map(datagrams).concat();
    all.push(sflow(1, &[flow_sample(1, 0, 9), port_name(9, "Ethernet8")]));
    all
}

proptest! {
    /// Cut and changed datagrams, with counts and lengths that lie among them, are never a panic, and never more samples than
    /// a datagram has room for.
    #[test]
    fn damaged_datagrams_are_read_as_far_as_they_go(
        number in 0..all().len(),
        cut in 0_usize..2_000,
        changes in proptest::collection::vec((0_usize..2_000, any::<u8>()), 0..8),
        keeps_length in any::<bool>(),
    ) {
        let mut collector = collector();
        for template in [PMACCTD_IPFIX, SOFTFLOWD_IPFIX, PMACCTD_NETFLOW9].into_iter().flat_map(datagrams) {
            collector.take(AGENT, &template, TIME_NS);
        }
        let before = collector.taken();
        let mut datagram = all()[number].clone();
        for (at, byte) in changes {
            let at = at % datagram.len();
            datagram[at] = byte;
        }
        datagram.truncate(cut);
        if keeps_length && datagram.len() >= 4 && datagram[0] == 0 && datagram[1] == 10 {
            let length = datagram.len() as u16;
            datagram[2..4].copy_from_slice(&length.to_be_bytes());
        }
        collector.take(AGENT, &datagram, TIME_NS);
        prop_assert!(collector.taken() - before <= datagram.len() as u64);
        collector.samples(&[leaf1()]);
        collector.news();
    }

    #[test]
    fn any_bytes_are_no_panic(
        version in prop_oneof![Just(vec![0, 0, 0, 5, 0, 0, 0, 1]), Just(vec![0, 10]), Just(vec![0, 9])],
        bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut collector = collector();
        let mut datagram = version;
        datagram.extend(bytes);
        collector.take(AGENT, &datagram, TIME_NS);
        collector.samples(&[]);
    }
}
