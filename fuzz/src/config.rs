//! Switch configurations: any text as configuration, as look-up table and as side file, checked by all rules.
//!
//! Places must lie in the text, and every renderer must take what was found.

use buffer_config::hold::{Baseline, Holder, Suppressions};
use buffer_config::report::{self, Format};
use buffer_config::rules::{self, Options};
use buffer_config::source::Source;
use buffer_config::{forms, hosts, lookup};

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

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        r#"{"DEVICE_METADATA":{"localhost":{"platform":"x86_64-mlnx_msn4700-r0","buffer_model":"dynamic"}},
"PORT":{"Ethernet0":{"lanes":"0,1,2,3,4,5,6,7","speed":"400000","mtu":"9100","admin_status":"up"}},
"CABLE_LENGTH":{"AZURE":{"Ethernet0":"40m"}},"LOSSLESS_TRAFFIC_PATTERN":{"AZURE":{"mtu":"1024","small_packet_percentage":"50"}},
"DEFAULT_LOSSLESS_BUFFER_PARAMETER":{"AZURE":{"default_dynamic_th":"0","over_subscribe_ratio":"2"}},
"BUFFER_POOL":{"ingress_lossless_pool":{"type":"ingress","mode":"dynamic"},"egress_lossless_pool":{"type":"egress","mode":"dynamic","size":"60817392"}},
"BUFFER_PG":{"Ethernet0|3-4":{"profile":"NULL"}},"PORT_QOS_MAP":{"Ethernet0":{"pfc_enable":"3,4","pfcwd_sw_enable":"3,4"}},
"PFC_WD":{"GLOBAL":{"POLL_INTERVAL":"200"},"Ethernet0":{"detection_time":"200"}}}"#,
        r#"{"BUFFER_PG|Ethernet0|3-4":{"profile":"[BUFFER_PROFILE|p]"},"PORT|Ethernet0":{"speed":"1"}}"#,
        r#"[{"BUFFER_POOL_TABLE:p":{"type":"ingress"},"OP":"SET"},{"X:y":{},"OP":"DEL"}]"#,
        r#"{"sonic-port:sonic-port":{"sonic-port:PORT":{"PORT_LIST":[{"name":"Ethernet0","speed":1}]}}}"#,
        "# speed cable size xon xoff threshold\n100000 5m 1248 2288 60000 -2 2288\n",
        "[[suppress]]\ncode = \"BUF001\"\nfile = \"*\"\nreason = \"r\"\n",
        "[[host]]\nname = \"h\"\nswitch = \"s\"\nport = \"Ethernet0\"\nnic = \"cx5\"\n",
    ];
    texts.iter().map(|t| t.as_bytes().to_vec()).collect()
}

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let table = lookup::parse(text);
    let db = forms::load(text);
    let source = Source { name: "fuzz.json", text };
    let (mut findings, switch) = rules::check_resolved(source, &db, Some(&table), &Options::default());
    for finding in &findings {
        assert!(finding.span.start as usize <= text.len(), "{finding:?} is outside the text");
        assert!(finding.place.line >= 1 && finding.place.column >= 1, "{finding:?} has no place");
    }
    if let Ok(hosts) = hosts::parse(text) {
        findings.extend(hosts::check(&hosts, "fuzz.json", &switch));
    }
    if let Ok(all) = Suppressions::parse(text) {
        let mut holder = Holder::new(all, Baseline::default(), "2026-01-01");
        holder.apply(&mut findings);
        findings.extend(holder.remarks("side.toml"));
    }
    for format in [Format::Full { is_coloured: false }, Format::Junit, Format::Github] {
        report::of_file(format, "fuzz.json", text, &findings);
    }
}
