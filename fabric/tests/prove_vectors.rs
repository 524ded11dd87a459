//! Static verdicts and simulation agree on every link of SONiC's headroom vectors, with the headroom that SONiC
//! computes for it and with headroom that is just sufficient or one byte short.

#![allow(clippy::disallowed_methods, reason = "the test reads the vectors")]

use std::collections::BTreeSet;

use buffer_config::asic::{self, Asic};
use buffer_config::headroom::{Link, worst_case_bytes};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, input, resolve};
use fabric::prove::{Assumed, Outcome, prove};
use serde_json::Value;

/// A link of the vectors.
struct Case {
    asic: &'static Asic,
    link: Link,
    lanes: u64,
    small_packet_percentage: u64,
}

impl Case {
    /// One lossless port with that headroom. The group pauses early, at 1/64 of its pool.
    fn switch(&self, xoff: u64) -> String {
        let Link { speed_mbps, cable_m, port_mtu, lossless_mtu, .. } = self.link;
        let (lanes, small) = (vec!["1"; self.lanes as usize].join(","), self.small_packet_percentage);
        format!(
            r#"{{"DEVICE_METADATA": {{"localhost": {{"buffer_model": "dynamic"}}}},
            "PORT": {{"Ethernet0": {{"lanes": "{lanes}", "speed": "{speed_mbps}", "mtu": "{port_mtu}", "admin_status": "up"}}}},
            "CABLE_LENGTH": {{"AZURE": {{"Ethernet0": "{cable_m}m"}}}},
            "LOSSLESS_TRAFFIC_PATTERN": {{"AZURE": {{"mtu": "{lossless_mtu}", "small_packet_percentage": "{small}"}}}},
            "BUFFER_POOL": {{"ingress_lossless_pool": {{"type": "ingress", "mode": "dynamic", "size": "8000000", "xoff": "90000000"}},
              "egress_lossless_pool": {{"type": "egress", "mode": "static", "size": "99000000"}}}},
            "BUFFER_PROFILE": {{"p": {{"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-6", "xon": "1248", "xon_offset": "2496", "xoff": "{xoff}"}},
              "e": {{"pool": "egress_lossless_pool", "size": "0", "static_th": "99000000"}}}},
            "BUFFER_PG": {{"Ethernet0|3": {{"profile": "p"}}}}, "BUFFER_QUEUE": {{"Ethernet0|3": {{"profile": "e"}}}},
            "TC_TO_PRIORITY_GROUP_MAP": {{"A": {{"3": "3"}}}}, "TC_TO_QUEUE_MAP": {{"A": {{"3": "3"}}}},
            "PORT_QOS_MAP": {{"Ethernet0": {{"pfc_enable": "3", "tc_to_pg_map": "A", "tc_to_queue_map": "A"}}}}}}"#
        )
    }

    /// Whether the rules report too little headroom, and whether the simulated switch drops packets.
    fn judge(&self, xoff: u64) -> (bool, bool) {
        let text = self.switch(xoff);
        let db = input::load(&text);
        let options = Options { asic: Some(self.asic), ..Options::default() };
        let found = rules::check(SourceText { name: "v.json", text: &text }, &db, None, &options);
        let is_short = found.iter().any(|f| matches!(f.code, "PG005" | "PG006"));
        let switch = resolve(&db, ResolveOptions { asic: Some(self.asic), ..ResolveOptions::default() });
        let proofs =
            prove(&switch, Assumed { frame_bytes: 1024 }).expect("the switch can be simulated").proofs;
        let [proof] = proofs.as_slice() else { panic!("one port expected: {proofs:#?}") };
        let drops = match proof.outcome {
            Outcome::Fits => false,
            Outcome::Drops { .. } => true,
            Outcome::NeverPauses { .. } => panic!("it never pauses: {proof:?}"),
        };
        (is_short, drops)
    }

    #[track_caller]
    fn check(&self, xoff: u64) -> bool {
        let (is_short, drops) = self.judge(xoff);
        assert_eq!(
            is_short, drops,
            "{} {:?} headroom {xoff}: the rules say short: {is_short}, the simulation drops: {drops}",
            self.asic.name, self.link
        );
        drops
    }
}

#[test]
fn rules_and_simulation_agree_on_all_vectors() {
    let Some(path) = crate::common::shared_data("sonic/headroom_vectors.json") else { return };
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let records: Vec<Value> = serde_json::from_str(&text).expect("an array of records");
    let (mut seen, mut edges) = (BTreeSet::new(), BTreeSet::new());
    let mut dropped = 0;
    for record in &records {
        let number = |name: &str| record[name].as_u64().unwrap_or_else(|| panic!("{name} in {record}"));
        let name = record["asic"].as_str().expect("a name");
        let cable = record["cable"].as_str().expect("a length").trim_end_matches('m');
        let asic = asic::of_asic_table(name).expect("a known ASIC");
        let link = Link {
            speed_mbps: number("speed") as u32,
            cable_m: cable.parse().expect("metres"),
            port_mtu: number("port_mtu") as u32,
            lossless_mtu: number("lossless_mtu") as u32,
            cell_bytes: asic.cell_bytes,
        };
        let (lanes, small_packet_percentage) = (number("lanes"), number("small_packet_percentage"));
        let case = Case { asic, link, lanes, small_packet_percentage };
        let key = (name, link.speed_mbps, link.cable_m, link.port_mtu, link.lossless_mtu);
        if seen.insert((key, lanes, small_packet_percentage, number("xoff"))) {
            dropped += usize::from(case.check(number("xoff")));
        }
        if edges.insert(key) {
            let edge = worst_case_bytes(&link);
            assert!(!case.check(edge), "{link:?} drops at {edge}");
            assert!(case.check(edge - 1), "{link:?} does not drop below {edge}");
        }
    }
    // The headroom that SONiC computes is too small for some vectors: with lossless frames of 4 KiB at up to 50 Gb/s,
    // where whole frames are a large part of it; for Tofino 2 at 800 Gb/s; and at 1.6 Tb/s, which has no pause quanta,
    // so that the scripts allow the peer less time than at 100 Gb/s.
    eprintln!("{} distinct vectors, {dropped} of them drop; {} edges", seen.len(), edges.len());
    assert!(dropped < seen.len() / 10);
}
