//! NetFlow version 9: datagrams of pmacctd (`fixtures/sampling`), options, times, sequence numbers and limits.

use counters::FlowSample;
use proptest::prelude::*;

use crate::sampling::{
    AGENT, FIRST, PMACCTD_NETFLOW9, PMACCTD_NETFLOW9_SAMPLED, SECOND, TIME_NS, V6, check, check_news,
    check_problems, collector, datagrams, leaf1, words,
};

#[test]
fn netflow_of_pmacctd_is_read() {
    let expected = [(FIRST, (1, 1_200, 1_262_400)), (SECOND, (1, 600, 631_200)), (V6, (1, 200, 112_000))];
    let samples = check(PMACCTD_NETFLOW9, &expected);
    assert_eq!((samples[0].duration_ns, samples[0].dscp), (1_995_000_000, Some(26)));
    assert_eq!((samples[2].duration_ns, samples[2].sampling_rate), (1_990_000_000, 1));
}

#[test]
fn the_interval_of_a_sampler_is_that_of_its_options_record() {
    // Of 2,000 packets 34 were sampled: `FLOW_SAMPLER_RANDOM_INTERVAL` of sampler 1 is 50.
    let expected = [
        (FIRST, (1, 23 * 50, 24_196 * 50)),
        (SECOND, (1, 8 * 50, 8_416 * 50)),
        (V6, (1, 3 * 50, 1_680 * 50)),
    ];
    let samples = check(PMACCTD_NETFLOW9_SAMPLED, &expected);
    assert!(samples.iter().all(|sample| sample.sampling_rate == 50), "{samples:?}");
}

/// The exporter booted so many milliseconds before its datagrams.
const UP_MS: u32 = 90_000;

/// A datagram with these FlowSets: id and body.
fn netflow(sequence: u32, source: u32, sets: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0, 9, 0, sets.len() as u8];
    bytes.extend(words(&[UP_MS, 1_795_686_355, sequence, source]));
    for (id, body) in sets {
        let padding = body.len().next_multiple_of(4) - body.len();
        bytes.extend(id.to_be_bytes());
        bytes.extend((4 + body.len() as u16 + padding as u16).to_be_bytes());
        bytes.extend(body);
        bytes.resize(bytes.len() + padding, 0);
    }
    bytes
}

/// The body of a FlowSet: numbers of two bytes.
fn shorts(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// A template of flows: addresses, ports, protocol, bytes, packets, first and last packet, interfaces.
fn flows() -> (u16, Vec<u8>) {
    let fields = [8, 4, 12, 4, 7, 2, 11, 2, 4, 1, 1, 4, 2, 4, 22, 4, 21, 4, 10, 2, 14, 4];
    (0, shorts(&[&[300, fields.len() as u16 / 2][..], &fields].concat()))
}

/// A record of a flow of [`FIRST`] with 1,000 bytes, whose first and last packets were sent at these times since the boot.
fn flow(first_ms: u32, last_ms: u32) -> Vec<u8> {
    let mut record = words(&[0x0a00_0001, 0x0a00_0301]);
    record.extend(shorts(&[10_000, 4_791]));
    record.push(17);
    record.extend(words(&[1_000, 2, first_ms, last_ms]));
    record.extend(shorts(&[7, 0, 9]));
    record
}

/// Takes datagrams of one source and returns the samples.
fn read(datagrams: &[Vec<u8>]) -> Vec<FlowSample> {
    let mut collector = collector();
    datagrams.iter().for_each(|datagram| collector.take(AGENT, datagram, TIME_NS));
    collector.samples(&[leaf1()])
}

#[test]
fn times_count_from_the_boot_of_the_exporter() {
    let check = |first_ms: u32, last_ms: u32, age_ms: u64, duration_ms: u64| {
        let samples = read(&[netflow(1, 0, &[flows(), (300, flow(first_ms, last_ms))])]);
        let [sample] = samples.as_slice() else { panic!("{samples:?}") };
        assert_eq!(sample.flow.to_string(), FIRST);
        assert_eq!((sample.bytes, sample.packets), (1_000, 2));
        let found = ((TIME_NS - sample.time_ns) / 1_000_000, sample.duration_ns / 1_000_000);
        assert_eq!(found, (age_ms, duration_ms), "{first_ms} to {last_ms}");
    };
    check(80_000, 85_000, 5_000, 5_000);
    check(UP_MS, UP_MS, 0, 0);
    // The 32 bits have wrapped since.
    check(u32::MAX - 9_999, u32::MAX - 4_999, 95_000, 5_000);
    // A flow of the future, and one that ends before it begins: the clock was set.
    check(95_000, 97_000, 0, 2_000);
    check(85_000, 80_000, 10_000, 0);
}

#[test]
fn names_and_rates_of_options_records_are_used() {
    // The scope is the interface; the options are its name, padded with zeros, and one of 2,000 packets.
    let options = (1, shorts(&[301, 4, 8, 2, 4, 82, 12, 34, 4]));
    let mut described = words(&[9]);
    described.extend(b"Ethernet8\0\0\0");
    described.extend(words(&[2_000]));
    let samples = read(&[netflow(1, 0, &[options, (301, described), flows(), (300, flow(1, 2))])]);
    let [sample] = samples.as_slice() else { panic!("{samples:?}") };
    assert_eq!((sample.egress.as_deref(), sample.ingress.as_deref()), (Some("Ethernet8"), None));
    assert_eq!((sample.sampling_rate, sample.bytes), (2_000, 2_000_000));
}

#[test]
fn templates_are_those_of_their_source_and_protocol() {
    let flow = (300, flow(1, 2));
    let unknown = "leaf1: data sets of IPFIX or NetFlow without a template are left out: 1";
    check_news(&[netflow(1, 7, &[flows()]), netflow(1, 8, std::slice::from_ref(&flow))], &[unknown]);
    // A template of IPFIX with the same id and domain.
    let mut ipfix = vec![0, 10, 0, 28];
    ipfix.extend(words(&[0, 0, 7]));
    ipfix.extend(shorts(&[2, 12, 300, 1, 1, 4]));
    let collector = &mut check_news(&[netflow(1, 7, &[flows()]), ipfix, netflow(2, 7, &[flow])], &[]);
    assert_eq!(collector.samples(&[]).len(), 1);
}

#[test]
fn lost_datagrams_of_netflow_are_reported() {
    let of = |sequence| netflow(sequence, 0, &[flows(), (300, [flow(1, 2), flow(1, 2)].concat())]);
    check_news(&[of(1), of(2), of(3)], &[]);
    let collector =
        check_news(&[of(1), of(5)], &["leaf1: 3 datagrams of sFlow or NetFlow were lost in transit"]);
    check_problems(&collector, &[("lost_datagrams", Some("leaf1"), 3)]);
    // Some exporters count records.
    check_news(&[of(0), of(2), of(4)], &[]);
    check_news(&[of(0), of(2), of(14)], &["leaf1: 10 records of IPFIX or NetFlow were lost"]);
}

#[test]
fn malformed_templates_of_netflow_are_counted() {
    let malformed = "leaf1: 1 malformed datagrams";
    let check = |set: u16, numbers: &[u16]| {
        check_news(&[netflow(1, 0, &[(set, shorts(numbers))])], &[malformed]);
    };
    // No bytes, no fields, an id of no data, more fields than there are.
    check(0, &[300, 1, 8, 0]);
    check(0, &[300, 0]);
    check(0, &[2, 1, 8, 4]);
    check(0, &[300, 9, 8, 4]);
    // Lengths of options that are no number of fields, or too long; a FlowSet that is reserved.
    check(1, &[301, 4, 6, 1, 4, 34, 4, 0]);
    check(1, &[301, 4, 800, 1, 4, 34, 4, 0]);
    check(77, &[1, 2]);
    // A cut header, and a FlowSet that is longer than the datagram.
    check_news(&[netflow(1, 0, &[])[..19].to_vec()], &[malformed]);
    let mut long = netflow(1, 0, &[flows()]);
    long[23] = 255;
    check_news(&[long], &[malformed]);
}

#[test]
fn an_exporter_of_netflow_has_the_limits_of_one_of_ipfix() {
    let template = |id: u16| shorts(&[id, 1, 1, 4]);
    let templates = |ids: std::ops::Range<u16>| (0, ids.flat_map(template).collect::<Vec<u8>>());
    let beyond = " templates, domains, samplers, sources or interface names";
    check_news(&[netflow(1, 0, &[templates(256..512)])], &[]);
    check_news(
        &[netflow(1, 0, &[templates(256..512)]), netflow(2, 0, &[templates(512..522)])],
        &[&format!("leaf1: 10{beyond}")],
    );
    let domains: Vec<Vec<u8>> = (0..70).map(|source| netflow(1, source, &[])).collect();
    check_news(&domains, &[&format!("leaf1: 6{beyond}")]);
    let fields: Vec<u16> = (0..300).flat_map(|_| [1, 4]).collect();
    check_news(
        &[netflow(1, 0, &[(0, shorts(&[&[300, 300][..], &fields].concat()))])],
        &[&format!("leaf1: 1{beyond}")],
    );
    // Samplers: an options record for each.
    let options = (1, shorts(&[301, 4, 8, 1, 4, 48, 4, 50, 4]));
    let sampler = |id: u32| words(&[0, id, 10]);
    let samplers = |ids: std::ops::Range<u32>| (301, ids.flat_map(sampler).collect::<Vec<u8>>());
    check_news(
        &[netflow(1, 0, &[options, samplers(0..4_096)]), netflow(2, 0, &[samplers(4_000..4_100)])],
        &[&format!("leaf1: 4{beyond}")],
    );
}

proptest! {
    /// FlowSets of any content after real templates: no panic, and never more samples than bytes.
    #[test]
    fn any_flow_sets_are_no_panic(
        sets in proptest::collection::vec(
            (prop_oneof![Just(0_u16), Just(1), Just(300), Just(301), Just(1_024), any::<u16>()],
                proptest::collection::vec(any::<u8>(), 0..120)),
            0..6,
        ),
        templates in proptest::collection::vec((0_u16..2, proptest::collection::vec(0_u16..320, 2..12)), 0..4),
        length_at in 0_usize..200,
        length in any::<u8>(),
    ) {
        let mut collector = collector();
        for known in datagrams(PMACCTD_NETFLOW9_SAMPLED) {
            collector.take(AGENT, &known, TIME_NS);
        }
        let before = collector.taken();
        let templates = templates.iter().map(|(id, numbers)| {
            (*id, shorts(&[&[300 + id][..], numbers].concat()))
        });
        let all: Vec<(u16, Vec<u8>)> = templates.chain(sets).collect();
        let mut datagram = netflow(2, 0, &all);
        if let Some(byte) = datagram.get_mut(20 + length_at) {
            *byte = length;
        }
        collector.take(AGENT, &datagram, TIME_NS);
        prop_assert!(collector.taken() - before <= datagram.len() as u64);
        collector.samples(&[leaf1()]);
        collector.news();
    }
}
