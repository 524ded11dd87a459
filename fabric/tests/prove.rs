//! Headroom by simulation agrees with headroom by arithmetic.

use buffer_config::headroom::{Floor, Inputs, floor_bytes, headroom};
use buffer_config::{ResolveOptions, asic, input, resolve};
use fabric::prove::{Assumed, Outcome, Proof, Report, Verdict, prove};

/// A switch with one lossless port.
fn switch(speed: u32, cable: u32, mtu: u32, xoff: u64, change: (&str, &str)) -> String {
    let text = format!(
        r#"{{"PORT": {{"Ethernet0": {{"lanes": "1", "speed": "{speed}", "mtu": "{mtu}", "admin_status": "up"}},
          "Ethernet4": {{"lanes": "2", "speed": "{speed}", "mtu": "{mtu}", "admin_status": "up"}}}},
        "CABLE_LENGTH": {{"AZURE": {{"Ethernet0": "{cable}m", "Ethernet4": "{cable}m"}}}},
        "BUFFER_POOL": {{"ingress_lossless_pool": {{"type": "ingress", "mode": "dynamic", "size": "8000000", "xoff": "90000000"}},
          "egress_lossless_pool": {{"type": "egress", "mode": "static", "size": "99000000"}}}},
        "BUFFER_PROFILE": {{"p": {{"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2", "xon": "1248", "xon_offset": "2496", "xoff": "{xoff}"}},
          "egress_lossless_profile": {{"pool": "egress_lossless_pool", "size": "0", "static_th": "99000000"}}}},
        "BUFFER_PG": {{"Ethernet0|3": {{"profile": "p"}}, "Ethernet4|3": {{"profile": "p"}}}},
        "BUFFER_QUEUE": {{"Ethernet0|3": {{"profile": "egress_lossless_profile"}}, "Ethernet4|3": {{"profile": "egress_lossless_profile"}}}},
        "TC_TO_PRIORITY_GROUP_MAP": {{"A": {{"3": "3"}}}}, "TC_TO_QUEUE_MAP": {{"A": {{"3": "3"}}}},
        "PORT_QOS_MAP": {{"Ethernet0": {{"pfc_enable": "3", "tc_to_pg_map": "A", "tc_to_queue_map": "A"}},
          "Ethernet4": {{"pfc_enable": "3", "tc_to_pg_map": "A", "tc_to_queue_map": "A"}}}}}}"#
    );
    assert!(text.contains(change.0));
    text.replace(change.0, change.1)
}

fn proof(text: &str) -> Proof {
    let found = prove(&resolve(&input::load(text), ResolveOptions::default()), Assumed { frame_bytes: 1024 });
    let proofs = found.expect("the configuration sets a switch up").proofs;
    let [proof] = proofs.as_slice() else { panic!("one kind of port expected: {proofs:#?}") };
    assert_eq!(proof.alike, ["Ethernet4"]);
    proof.clone()
}

const SPEEDS: [u32; 7] = [10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000];
const CABLES: [u32; 4] = [5, 40, 300, 2000];
const NO_CHANGE: (&str, &str) = ("PORT", "PORT");

#[test]
fn headroom_at_the_computed_floor_is_just_sufficient() {
    for speed in SPEEDS {
        for cable in CABLES {
            for mtu in [1500, 9100] {
                let floor = floor_bytes(Floor::WithPortMtu, speed, f64::from(cable), mtu, 1024);
                // One frame that is still arriving when XOFF is reached, and one for rounding to whole frames.
                let fits = proof(&switch(speed, cable, mtu, floor + 2 * 1024, NO_CHANGE));
                assert_eq!(fits.outcome, Outcome::Fits, "{speed} {cable} {mtu}: {fits:?}");
                assert!(fits.used_bytes <= fits.configured_bytes);
                let used = fits.used_bytes;
                assert!(used + 2 * 1024 >= floor, "{speed} {cable} {mtu}: {used} of {floor}");
                let short = proof(&switch(speed, cable, mtu, used - 1, NO_CHANGE));
                assert!(matches!(short.outcome, Outcome::Drops { dropped: 1, .. }), "{short:?}");
            }
        }
    }
}

#[test]
fn the_headroom_that_sonic_computes_for_spectrum_is_sufficient() {
    let spectrum = asic::by_name("spectrum-3").expect("a known ASIC");
    for speed in SPEEDS {
        for cable in CABLES {
            let inputs = Inputs {
                speed_mbps: speed,
                cable_m: f64::from(cable),
                port_mtu: 9100,
                lanes: 4,
                small_packet_percentage: 100,
                lossless_mtu: 1024,
                gearbox_delay: 0.0,
                over_subscribe_ratio: 2,
                pool_xoff: 0,
            };
            let computed = headroom(spectrum, &inputs).expect("it is computed for this ASIC").xoff;
            let found = proof(&switch(speed, cable, 9100, computed, NO_CHANGE));
            assert_eq!(found.outcome, Outcome::Fits, "{speed} {cable}: {computed} {found:?}");
        }
    }
}

#[test]
fn an_egress_limit_below_xoff_is_reported() {
    // A group pauses at a fifth of 8 MB; the queue reaches its limit before that.
    let text =
        switch(100_000, 40, 9100, 200_000, ("\"static_th\": \"99000000\"", "\"static_th\": \"1000000\""));
    let found = proof(&text).outcome;
    assert_eq!(found, Outcome::NeverPauses { reason: Some("EgressThreshold".into()) });
}

/// The report of a correct switch with these changes.
fn report(changes: &[(&str, &str)]) -> Report {
    let mut text = switch(100_000, 40, 9100, 90_000, NO_CHANGE);
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    prove(&resolve(&input::load(&text), ResolveOptions::default()), Assumed { frame_bytes: 1024 })
        .expect("it is set up")
}

const KNOWN: (&str, &str) = (
    "{\"PORT\"",
    "{\"DEVICE_METADATA\": {\"localhost\": {\"platform\": \"x86_64-dell_s6100_c2538-r0\"}}, \"PORT\"",
);

#[test]
fn a_switch_with_unproved_priorities_does_not_pass() {
    let check = |changes: &[(&str, &str)], verdict: Verdict, why: &str| {
        let found = report(changes);
        assert_eq!(found.verdict, verdict, "{changes:?}: {found:#?}");
        let reasons: Vec<&str> = found.unproved.iter().map(|u| u.why.as_str()).collect();
        assert!(
            reasons.iter().all(|s| s.contains(why)) && reasons.is_empty() == why.is_empty(),
            "{reasons:?}"
        );
    };
    check(&[KNOWN], Verdict::Holds, "");
    check(&[], Verdict::NotProvable, "");
    check(&[KNOWN, ("\"Ethernet4\": \"40m\"", "\"Ethernet4\": \"0m\"")], Verdict::NotProvable, "0 m long");
    check(&[KNOWN, (", \"Ethernet4\": \"40m\"", "")], Verdict::NotProvable, "no cable length");
    check(&[KNOWN, (", \"Ethernet4|3\": {\"profile\": \"p\"}", "")], Verdict::NotProvable, "no profile");
    check(&[KNOWN, ("\"90000\"", "\"0\"")], Verdict::NotProvable, "no headroom");
    check(&[KNOWN, ("\"pfc_enable\": \"3\"", "\"pfc_enable\": \"\"")], Verdict::NothingToProve, "");
    // A drop is a failure even if the ASIC is unknown.
    check(&[("\"90000\"", "\"20000\"")], Verdict::Fails, "");
    check(
        &[KNOWN, ("\"90000\"", "\"20000\""), (", \"Ethernet4\": \"40m\"", "")],
        Verdict::Fails,
        "no cable length",
    );
}

/// Teralynx: a pool for each class of traffic, and profiles in it that lift the limits of the other side.
#[test]
fn pools_by_class_are_simulated() {
    let by_class = [
        (
            "\"egress_lossless_profile\": {\"pool\": \"egress_lossless_pool\"",
            "\"egress_lossless_profile\": {\"pool\": \"ingress_lossless_pool\"",
        ),
        (
            "\"BUFFER_PROFILE\": {",
            "\"BUFFER_PROFILE\": {\"lossy\": {\"pool\": \"egress_lossless_pool\", \"size\": \"0\", \"dynamic_th\": \"0\"}, ",
        ),
        (
            "\"BUFFER_PG\": {",
            "\"BUFFER_PG\": {\"Ethernet0|0\": {\"profile\": \"lossy\"}, \"Ethernet4|0\": {\"profile\": \"lossy\"}, ",
        ),
    ];
    let teralynx = (
        KNOWN.0,
        "{\"DEVICE_METADATA\": {\"localhost\": {\"platform\": \"x86_64-wistron_6512_32r-r0\"}}, \"PORT\"",
    );
    let mut changes = by_class.to_vec();
    // The group pauses at a fifth of the pool, which is above this limit: the limit must not apply.
    changes.push(("\"static_th\": \"99000000\"", "\"static_th\": \"1000000\""));
    changes.push(teralynx);
    assert_eq!(report(&changes).verdict, Verdict::Holds);
    changes.push(("\"90000\"", "\"20000\""));
    assert_eq!(report(&changes).verdict, Verdict::Fails);
    // On other ASICs a profile in a pool of the other direction is rejected.
    let text = by_class
        .iter()
        .fold(switch(100_000, 40, 9100, 90_000, NO_CHANGE), |t, (from, to)| t.replace(from, to));
    let found =
        prove(&resolve(&input::load(&text), ResolveOptions::default()), Assumed { frame_bytes: 1024 });
    assert!(found.is_err_and(|e| e.to_string().contains("is used for ingress, its pool")));
}
