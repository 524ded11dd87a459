//! Datagrams of sFlow, IPFIX and NetFlow: several of one exporter, so that templates of one are used by the next.
//!
//! An input is a list of datagrams, each with its length in two bytes before it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use counters::sampling::Collector;

const EXPORTER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 9));
const TIME_NS: u64 = 1_795_686_355_000_000_000;

/// What real exporters sent (`counters/tests/sampling.rs`).
const RECORDED: [&str; 5] = [
    include_str!("../../counters/tests/fixtures/sampling/pmacctd-sflow.hex"),
    include_str!("../../counters/tests/fixtures/sampling/pmacctd-ipfix.hex"),
    include_str!("../../counters/tests/fixtures/sampling/softflowd-ipfix.hex"),
    include_str!("../../counters/tests/fixtures/sampling/pmacctd-netflow9.hex"),
    include_str!("../../counters/tests/fixtures/sampling/pmacctd-netflow9-sampled.hex"),
];

pub(crate) fn run(mut bytes: &[u8]) {
    let mut collector = Collector::default();
    collector.set_switches(BTreeMap::from([(EXPORTER, "leaf1".to_string())]));
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
        let (datagram, rest) = rest.split_at(length);
        let before = collector.taken();
        collector.take(EXPORTER, datagram, TIME_NS);
        assert!(collector.taken() - before <= length as u64, "a sample takes a byte at least");
        bytes = rest;
    }
    let samples = collector.samples(&[]);
    assert!(samples.iter().all(|sample| sample.switch == "leaf1" && sample.time_ns <= TIME_NS));
    collector.news();
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    RECORDED.iter().map(|hex| hex.lines().flat_map(datagram).collect()).collect()
}

/// A datagram with its length, from hexadecimal digits.
fn datagram(line: &str) -> Vec<u8> {
    let digits = line.as_bytes().chunks_exact(2);
    let byte =
        |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Vec<u8> = digits.filter_map(byte).collect();
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    length.to_be_bytes().into_iter().chain(bytes).collect()
}
