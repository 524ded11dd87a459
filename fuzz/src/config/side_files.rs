//! Files that accompany configurations: lookup table, hosts, suppressions, baseline.

use buffer_config::baseline::{Baseline, FindingFilter, Suppressions};
use buffer_config::finding::Finding;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, input, resolve};

/// A switch that violates several rules.
const SWITCH: &str = r#"{"DEVICE_METADATA": {"localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "hostname": "a"}},
"PORT": {"Ethernet0": {"lanes": "1", "speed": "40000", "mtu": "9100", "admin_status": "up"}},
"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "9000000", "xoff": "1000000"}},
"BUFFER_PROFILE": {"p": {"pool": "ingress_lossless_pool", "size": " 0", "dynamic_th": "9", "xoff": "9"}},
"BUFFER_PG": {"Ethernet0|3": {"profile": "p"}}, "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}}"#;

fn findings(table: Option<&buffer_config::lookup::Lookup>) -> Vec<Finding> {
    let source = SourceText { name: "tor-1/config_db.json", text: SWITCH };
    rules::check_file(source, table, &Options::default()).findings
}

fn texts(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|t| t.as_bytes().to_vec()).collect()
}

pub(crate) fn lookup_seeds() -> Vec<Vec<u8>> {
    texts(&["# speed cable size xon xoff threshold\n100000 5m 1248 2288 60000 -2 2288\n40000 40m 1 2 3 -4\n"])
}

/// Checks a lookup table with a switch that uses it.
pub(crate) fn lookup(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let table = buffer_config::lookup::parse(text);
    let spans = table.rows.iter().map(|r| r.span).chain(table.problems.iter().map(|p| p.span));
    for span in spans {
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{span:?} is outside the text");
    }
    findings(Some(&table));
}

pub(crate) fn hosts_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "[[host]]\nname = \"h\"\nswitch = \"a\"\nport = \"Ethernet0\"\nnic = \"cx5\"\npfc_priorities = [3]\ndscp = 26\nrdma_mtu = 1024\n\
cnp_min_interval_us = 50\ncnp_coalescing_window_us = 0\nrate_limit = \"burst\"\nwatchdog = true\n[[host]]\nname = \"i\"\nswitch = \"a\"\nport = \"E\"\ngeneration = 1\ndcqcn = { rp_ai_rate = 5, rp_dce_tcp_g = 1019 }\n",
    ])
}

/// Checks hosts that are attached to the switch.
pub(crate) fn hosts(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match buffer_config::hosts::parse(text) {
        Ok(hosts) => {
            let switch = resolve(&input::load(SWITCH), ResolveOptions::default());
            for finding in buffer_config::hosts::check(&hosts, "a.json", &switch) {
                assert!(finding.message.starts_with("host "), "{finding:?} names no host");
            }
        }
        Err(reason) => assert!(!reason.is_empty()),
    }
}

pub(crate) fn suppressions_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "[[suppress]]\ncode = \"BUF001\"\nfile = \"tor-*/config_db.json\"\npointer = \"/BUFFER_POOL\"\nreason = \"r\"\nuntil = \"2026-06-30\"\n",
    ])
}

/// Checks suppressions: suppressed and remaining findings add up to all findings.
pub(crate) fn suppressions(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Suppressions::parse(text) {
        Ok(all) => hold(all, Baseline::default()),
        Err(reason) => assert!(!reason.is_empty()),
    }
}

pub(crate) fn baseline_seeds() -> Vec<Vec<u8>> {
    let mut baseline = Baseline::default();
    baseline.add(&findings(None));
    vec![serde_json::to_vec(&baseline).unwrap_or_default()]
}

/// Checks a baseline, and that serialising it does not change it.
pub(crate) fn baseline(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Baseline::parse(text) {
        Ok(baseline) => {
            let again = serde_json::to_string(&baseline).map(|text| Baseline::parse(&text));
            let same = matches!(again, Ok(Ok(again)) if again == baseline);
            assert!(same, "{baseline:?} changes when it is serialised");
            hold(Suppressions::default(), baseline);
        }
        Err(reason) => assert!(!reason.is_empty()),
    }
}

fn hold(suppressions: Suppressions, baseline: Baseline) {
    let mut left = findings(None);
    let all = left.len();
    let mut holder = FindingFilter::new(suppressions, baseline, "2026-01-01");
    holder.apply(&mut left);
    // Of several findings about one defect, one is reported.
    assert!(holder.suppressed + left.len() <= all);
    holder.remarks("side.toml");
}
