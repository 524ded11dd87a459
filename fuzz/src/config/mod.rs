//! Switch configurations: any text as a configuration in any form, lookup table, host file, suppressions or baseline.
//!
//! For a configuration, all rules run, findings lie in the text, JSON pointers resolve, and all renderers accept the
//! findings. A side file is either rejected with a reason or applied.

mod side_files;

pub(crate) use side_files::{
    baseline, baseline_seeds, hosts, hosts_seeds, lookup, lookup_seeds, suppressions, suppressions_seeds,
};

use std::collections::BTreeSet;

use buffer_config::finding::Finding;
use buffer_config::report::{self, Format};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use serde_json::Value;

pub(crate) const WORDS: &[&str] = &[
    "BUFFER_POOL",
    "BUFFER_PROFILE",
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "PORT",
    "PORT_QOS_MAP",
    "PFC_WD",
    "WRED_PROFILE",
    "QUEUE",
    "CABLE_LENGTH",
    "DEVICE_METADATA",
    "localhost",
    "dynamic",
    "ingress_lossless_pool",
    "pg_lossless_100000_5m_profile",
    "Ethernet0",
    "Ethernet0|3-4",
    "dynamic_th",
    "xoff",
    "-8",
    "18446744073709551615",
    "99999999999999999999",
    "sonic-port:PORT",
    "PORT_LIST",
    "NULL",
    "OP",
    "SET",
    "\\u0000",
    "{%",
    "x86_64-mlnx_msn4700-r0",
];

/// The usual form, and the form of multi-ASIC switches.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let one = r#"{"DEVICE_METADATA":{"localhost":{"platform":"x86_64-mlnx_msn4700-r0","buffer_model":"dynamic"}},
"PORT":{"Ethernet0":{"lanes":"0,1,2,3,4,5,6,7","speed":"400000","mtu":"9100","admin_status":"up"}},
"CABLE_LENGTH":{"AZURE":{"Ethernet0":"40m"}},"LOSSLESS_TRAFFIC_PATTERN":{"AZURE":{"mtu":"1024","small_packet_percentage":"50"}},
"DEFAULT_LOSSLESS_BUFFER_PARAMETER":{"AZURE":{"default_dynamic_th":"0","over_subscribe_ratio":"2"}},
"BUFFER_POOL":{"ingress_lossless_pool":{"type":"ingress","mode":"dynamic"},"egress_lossless_pool":{"type":"egress","mode":"dynamic","size":"60817392"}},
"BUFFER_PORT_INGRESS_PROFILE_LIST":{"Ethernet0":{"profile_list@":"a,b"}},
"BUFFER_PG":{"Ethernet0|3-4":{"profile":"NULL"}},"PORT_QOS_MAP":{"Ethernet0":{"pfc_enable":"3,4","pfcwd_sw_enable":"3,4"}},
"PFC_WD":{"GLOBAL":{"POLL_INTERVAL":"200"},"Ethernet0":{"detection_time":"200"}}}"#;
    texts(&[one, &format!("{{\"localhost\": {{}}, \"asic0\": {one}}}")])
}

/// Redis dumps of CONFIG_DB and APPL_DB.
pub(crate) fn flat_seeds() -> Vec<Vec<u8>> {
    texts(&[
        r#"{"BUFFER_PG|Ethernet0|3-4":{"profile":"[BUFFER_PROFILE|p]"},"PORT|Ethernet0":{"speed":"1","lanes@":"1,2"}}"#,
        r#"{"BUFFER_PG_TABLE:Ethernet0:3-4":{"type":"hash","value":{"profile":"[BUFFER_PROFILE_TABLE:p]"}},"PORT_TABLE:E":{"NULL":"NULL"}}"#,
    ])
}

/// Arrays: swssconfig, configlets.
pub(crate) fn array_seeds() -> Vec<Vec<u8>> {
    texts(&[
        r#"[{"BUFFER_POOL_TABLE:p":{"type":"ingress"},"OP":"SET"},{"X:y":{},"OP":"DEL"}]"#,
        r#"[{"PORT":{"Ethernet63":{"mtu":"9100"}}},{"BUFFER_PROFILE":{"p":{"pool":"q","size":" 1"}}}]"#,
    ])
}

/// sonic-yang JSON.
pub(crate) fn yang_seeds() -> Vec<Vec<u8>> {
    texts(&[
        r#"{"sonic-port:sonic-port":{"sonic-port:PORT":{"PORT_LIST":[{"name":"Ethernet0","sonic-port:speed":1}]}},
"sonic-dscp-tc-map:sonic-dscp-tc-map":{"sonic-dscp-tc-map:DSCP_TO_TC_MAP":{"DSCP_TO_TC_MAP_LIST":[{"name":"A","DSCP_TO_TC_MAP":[{"dscp":"64","tc":"3"}]}]}}}"#,
    ])
}

fn texts(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|t| t.as_bytes().to_vec()).collect()
}

/// Parses a document that all readers interpret alike, because no object repeats a name.
fn document(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    // The serialised document has fewer names if an object repeated one.
    let names = |t: &str| t.matches("\":").count();
    let compact: String = text.split_whitespace().collect();
    (names(&compact) == names(&value.to_string())).then_some(value)
}

fn check(text: &str, findings: &[Finding]) {
    for finding in findings {
        assert!(finding.span.start as usize <= text.len(), "{finding:?} is outside the text");
        assert!(finding.position.line >= 1 && finding.position.column >= 1, "{finding:?} has no position");
    }
    if let Some(document) = document(text) {
        for finding in findings {
            assert!(
                document.pointer(&finding.pointer).is_some(),
                "the pointer of {finding:?} does not resolve"
            );
        }
    }
    for format in [Format::Full { is_coloured: false }, Format::Junit, Format::Github, Format::Json] {
        report::of_file(format, "fuzz.json", text, findings);
    }
}

/// Checks a configuration in any form.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let source = SourceText { name: "fuzz.json", text };
    let checked = rules::check_file(source, None, &Options::default());
    // Pointers of other systems are paths of keywords, also where the text is JSON.
    if checked.device.is_none() {
        check(text, &checked.findings);
    }
    // A second run reports the same findings.
    let codes = |all: &[Finding]| all.iter().map(|f| (f.code, f.span)).collect::<BTreeSet<_>>();
    let again = rules::check_file(source, None, &Options::default());
    assert_eq!(codes(&checked.findings), codes(&again.findings));
}
