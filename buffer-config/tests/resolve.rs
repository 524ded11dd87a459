//! The resolution of shipped switches and of small configurations.

use buffer_config::resolved::Threshold;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, input, lookup, resolve};

#[test]
fn shipped_switches_resolve() {
    let Some(folder) = crate::support::data("switches") else { return };
    let (mut count, mut unknown) = (0, Vec::new());
    for path in crate::support::files(&folder, ".json") {
        let text = crate::support::read(&path);
        let db = input::load(&text);
        assert!(db.problems.is_empty(), "{}: {:?}", path.display(), db.problems);
        let switch = resolve(&db, ResolveOptions::default());
        assert_eq!(switch.ports.len(), db.rows("PORT").len());
        if switch.asic.is_none() {
            unknown.push(format!(
                "{} {}",
                switch.hwsku,
                db.value("DEVICE_METADATA", "localhost", "platform").unwrap_or_default()
            ));
        }
        count += 1;
    }
    assert_eq!(count, 148);
    assert!(unknown.len() <= 1, "the ASIC of {} switches is unknown: {unknown:#?}", unknown.len());
}

#[test]
fn buffermgrd_adds_profiles_and_groups() {
    let text = r#"{
        "PORT": {"Ethernet0": {"lanes": "1,2", "speed": "100000", "admin_status": "up"}},
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
        "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000", "xoff": "5"}},
        "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}
    }"#;
    let table = lookup::parse("# speed cable size xon xoff threshold\n100000 40m 1248 2288 177632 -2 2496\n");
    assert_eq!(table.problems, []);
    let db = input::load(text);
    let switch = resolve(&db, ResolveOptions { lookup: Some(&table), ..ResolveOptions::default() });
    let [profile] = switch.profiles.as_slice() else { panic!("{:?}", switch.profiles) };
    assert_eq!(profile.name, "pg_lossless_100000_40m_profile");
    assert_eq!(profile.headroom_bytes, Some(177_632));
    assert_eq!(profile.threshold, Some(Threshold::Dynamic { exponent: -2 }));
    assert!(profile.is_generated);
    let none = None;
    assert_eq!(switch.ports[0].priority_groups, [none, none, none, Some(0), Some(0), none, none, none]);
}

/// A line card of a chassis with virtual output queues: entries of other line cards are not checked.
#[test]
fn queues_of_other_line_cards_are_read_but_not_checked() {
    let card = |queues: &str, buffers: &str| {
        let name = "\"hostname\": \"s1\", \"asic_name\": \"asic0\", \"switch_type\": \"voq\"";
        crate::support::switch::switch(
            crate::support::switch::TD2,
            &[
                ("\"hostname\": \"s1\"", name),
                ("\"QUEUE\": {\n", &format!("\"QUEUE\": {{{queues}\n")),
                ("\"BUFFER_QUEUE\": {\n", &format!("\"BUFFER_QUEUE\": {{{buffers}\n")),
                (
                    " \"PFC_WD\"",
                    "\"SYSTEM_PORT\": {\"lc2|asic1|Ethernet96\": {}, \"s1|asic1|Ethernet0\": {}, \"s1|asic0|Ethernet0\": {},\n \"lc2|asic0|Ethernet0\": {}},\n \"PFC_WD\"",
                ),
            ],
        )
    };
    let findings = |text: &str| -> Vec<String> {
        let source = SourceText { name: "lc1.json", text };
        let found = rules::check_file(source, None, &Options::default()).findings;
        found.iter().map(|f| format!("{} {}", f.code, f.message)).collect()
    };
    let alone = findings(&card("", ""));
    let check = |queues: &str, buffers: &str, new: &[&str]| {
        let mut found = findings(&card(queues, buffers));
        found.retain(|f| !alone.contains(f));
        let codes: Vec<&str> = found.iter().filter_map(|f| f.split(' ').next()).collect();
        assert_eq!(codes, new, "{found:#?}");
    };
    // A missing port, another chip of the same host, and another host's port with a local name, in both tables.
    for owner in
        ["lc2|asic1|Ethernet96", "s1|asic1|Ethernet0", "lc2|asic0|Ethernet0", "lc2|Asic1|PortChannel1"]
    {
        let queue = format!("\"{owner}|3-4\": {{\"scheduler\": \"s1\"}},");
        let buffer = format!("\"{owner}|3-4\": {{\"profile\": \"egress_lossless_profile\"}},");
        check(&queue, &buffer, &[]);
    }
    // Invalid entries of other line cards, and local entries.
    check("\"lc2|asic1|Ethernet96|4-3\": {\"scheduler\": \"s1\"},", "", &["MAP007"]);
    check("\"lc2|asic1|Ethernet96|3\": {\"scheduler\": \"none\"},", "", &["MAP006"]);
    check("\"s1|asic0|Ethernet96|3\": {\"scheduler\": \"s1\"},", "", &["BUF017"]);
    // A chip that the chassis does not have.
    check("", "\"lc2|asic7|Ethernet96|3\": {\"profile\": \"egress_lossless_profile\"},", &["BUF017"]);
    // Local entries apply: queue 3 gets another profile.
    let text = card("", "").replace("\"Ethernet0|3-4\": {\"profile\": \"egress_lossless_profile\"}, ", "")
        .replace("\"Ethernet0|3-4\": {\"profile\": \"egress_lossless_profile\"}", "\"s1|asic0|Ethernet0|3\": {\"profile\": \"egress_lossy_profile\"}, \"lc2|asic0|Ethernet0|4\": {\"profile\": \"egress_lossy_profile\"}");
    let switch = resolve(&input::load(&text), ResolveOptions::default());
    let name = |queue: usize| switch.ports[0].queues[queue].map(|p| switch.profiles[p].name.as_str());
    assert_eq!((name(3), name(4)), (Some("egress_lossy_profile"), None));
}
