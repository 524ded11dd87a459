//! The same problems at 25 to 800 Gb/s and with links of 1 to 100 us: buffers, windows and bursts are multiples of the
//! bandwidth-delay product, and the verdicts are the same.

#![allow(clippy::disallowed_methods, reason = "tests of the binary write files")]

use crate::support::harrier;
use serde_json::Value;

/// Rates of the hosts in Gb/s. The link between the switches is eight times as fast.
const RATES_GBPS: [u64; 4] = [25, 100, 400, 800];
/// Delays of all links in microseconds.
const DELAYS_US: [u64; 3] = [1, 10, 100];

/// What happens in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// Four hosts send a burst to `r`; pauses delay a flow to its neighbour.
    Incast,
    /// The NIC of `r` pauses its port.
    Storm,
    /// The same incast in a buffer that holds it delays a flow to `r`.
    Contention,
    /// Two flows of a few round trips.
    None,
}

/// Returns the scenario: senders, the victim's host and `r` and `d` at two switches.
fn scenario(trouble: Trouble, gbps: u64, delay_us: u64) -> String {
    let rtt_us = 6 * delay_us;
    let bytes = |us: u64| gbps * us * 125;
    let product = bytes(rtt_us);
    let event_us = 300 + 10 * rtt_us;
    // A pause of 65,535 quanta of 512 bits (IEEE 802.3, annex 31D).
    let longest_us = 65_535 * 512 / gbps / 1_000;
    let lasts_us = 1_200.max(24 * rtt_us);
    let threshold = match trouble {
        Trouble::Incast | Trouble::Storm => product,
        Trouble::Contention | Trouble::None => 80 * product,
    };
    let mut text = format!(
        "name = \"scaled\"\ntitle = \"scaled\"\ndescription = \"scaled\"\nstop = \"{}us\"\n[topology]\nswitches = [\"S1\", \"S2\"]\nhosts = [\"s1\", \"s2\", \"s3\", \"s4\", \"v\", \"r\", \"d\"]\n",
        event_us + lasts_us
    );
    let mut link = |a: &str, b: &str, gbps: u64| {
        text +=
            &format!("[[link]]\na = \"{a}\"\nb = \"{b}\"\nrate = \"{gbps}Gbps\"\ndelay = \"{delay_us}us\"\n");
    };
    link("S1:1", "S2:1", 8 * gbps);
    for (port, host) in ["s1", "s2", "s3", "s4", "v"].iter().enumerate() {
        link(&format!("{host}:1"), &format!("S1:{}", port + 2), gbps);
    }
    link("S2:2", "r:1", gbps);
    link("S2:3", "d:1", gbps);
    // Headroom: what the link between the switches delivers until a pause takes effect.
    text += &format!(
        "[switch]\nlossless = [3]\nthreshold = \"{threshold}B\"\nxon_offset = \"{}B\"\nheadroom = \"{}B\"\nmemory = \"{}B\"\n",
        product / 4,
        8 * bytes(2 * delay_us) + 60_000,
        800 * product
    );
    for rate in [gbps, 8 * gbps] {
        text += &format!(
            "[[switch.ecn]]\nrate = \"{rate}Gbps\"\nkmin = \"{}B\"\nkmax = \"{}B\"\npmax = 0.2\n",
            product / 2,
            2 * product
        );
    }
    text += &format!("[host]\npayload = 4096\nwindow = \"{product}B\"\n");
    let flow = |label: &str, from: &str, to: &str, size: u64, start_us: u64| {
        format!(
            "[[flow]]\nlabel = \"{label}\"\nfrom = \"{from}\"\nto = \"{to}\"\nsize = \"{size}B\"\nstart = \"{start_us}us\"\n"
        )
    };
    let always = bytes(event_us + lasts_us);
    let bursts = |size: u64| -> String {
        let of = |sender: &str| {
            format!("[hosts.{sender}]\ncongestion_control = false\nwindow = \"none\"\n")
                + &flow(&format!("burst-{sender}"), sender, "r", size, event_us)
        };
        ["s1", "s2", "s3", "s4"].map(of).concat()
    };
    text += &match trouble {
        Trouble::Incast => flow("victim", "v", "d", always, 0) + &bursts(2 * product),
        Trouble::Contention => {
            // Longer than what congestion control tolerates, shorter than the ring of epochs.
            let queue_us = (10 * rtt_us).clamp(200, 2_400);
            flow("victim", "v", "r", always, 0) + &bursts(bytes(queue_us) / 3)
        }
        Trouble::Storm => {
            flow("victim", "v", "d", always, 0)
                + &flow("spreader", "s1", "r", always, 0)
                + &format!(
                    "[[fault]]\nkind = \"storm\"\nhost = \"r\"\npriority = 3\nstart = \"{event_us}us\"\nduration = \"{}us\"\ninterval = \"{}us\"\n",
                    lasts_us,
                    longest_us.min(50).div_ceil(2)
                )
        }
        Trouble::None => {
            flow("victim", "v", "d", 3 * product, 0) + &flow("other", "s1", "r", 2 * product, event_us / 2)
        }
    };
    text + "[agent]\nhosts = [\"v\"]\n"
}

/// Checks the verdicts at every rate and delay: anomaly, cause, host of the root cause and labels of the culprits, all at
/// the port to `r`. Without an expectation there must be none.
fn check(trouble: Trouble, expected: Option<(&str, &str, &str, &[&str])>) {
    let folder = std::env::temp_dir().join(format!("harrier-rates-{trouble:?}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for scenarios");
    for gbps in RATES_GBPS {
        for delay_us in DELAYS_US {
            let file = folder.join(format!("{gbps}-{delay_us}.toml"));
            std::fs::write(&file, scenario(trouble, gbps, delay_us)).expect("a scenario file");
            let file = file.to_str().expect("a path of text");
            let ran = harrier(&["run", file, "--seed", "1", "--json"]);
            assert_eq!(ran.status, 0, "{trouble:?} at {gbps} Gb/s, {delay_us} us: {}", ran.stderr);
            let report = ran.json();
            let found: Vec<Value> =
                report["diagnoses"].as_array().expect("a list").iter().map(claim).collect();
            let place = format!("{trouble:?} at {gbps} Gb/s, {delay_us} us: {found:#?}");
            match expected {
                None => assert!(found.is_empty(), "{place}"),
                Some((anomaly, cause, host, flows)) => {
                    let flows: Vec<String> = flows.iter().map(|flow| (*flow).to_string()).collect();
                    let host = if host.is_empty() { Value::Null } else { host.into() };
                    let wanted = serde_json::json!([anomaly, cause, "S2:2", host, flows]);
                    assert!(!found.is_empty() && found.iter().all(|verdict| *verdict == wanted), "{place}");
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder exists");
}

/// What a verdict claims.
fn claim(verdict: &Value) -> Value {
    let root = &verdict["root_cause"];
    let mut flows: Vec<&str> =
        root["flows"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    flows.sort_unstable();
    serde_json::json!([verdict["anomaly"], verdict["cause"], root["port"], root["host"], flows])
}

/// The four bursts. Hosts get the addresses 10.0.1.1, 10.0.2.1, ... in their order.
const BURSTS: [&str; 4] = [
    "10.0.1.1:10000>10.0.6.1:4791/udp",
    "10.0.2.1:10000>10.0.6.1:4791/udp",
    "10.0.3.1:10000>10.0.6.1:4791/udp",
    "10.0.4.1:10000>10.0.6.1:4791/udp",
];

#[test]
fn an_incast_that_pauses_others_is_found_at_every_rate_and_distance() {
    check(Trouble::Incast, Some(("pfc_backpressure_flow_contention", "incast", "", &BURSTS)));
}

#[test]
fn a_storm_is_found_at_every_rate_and_distance() {
    check(Trouble::Storm, Some(("pfc_storm_host_injection", "nic_storm", "r", &[])));
}

#[test]
fn contention_without_pauses_is_found_at_every_rate_and_distance() {
    check(Trouble::Contention, Some(("flow_contention", "incast", "", &BURSTS)));
}

#[test]
fn ordinary_traffic_gives_no_verdict_at_any_rate_and_distance() {
    check(Trouble::None, None);
}
