//! The resolved view of the shipped switches.

mod support;

use buffer_config::resolved::Threshold;
use buffer_config::{Beside, forms, lookup, resolve};

#[test]
fn shipped_switches_resolve() {
    let Some(folder) = support::data("switches") else { return };
    let (mut count, mut unknown) = (0, Vec::new());
    for path in support::files(&folder, ".json") {
        let text = support::read(&path);
        let db = forms::load(&text);
        assert!(db.problems.is_empty(), "{}: {:?}", path.display(), db.problems);
        let switch = resolve(&db, Beside::default());
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
    assert!(unknown.len() <= 0, "the ASIC of {} switches is unknown: {unknown:#?}", unknown.len());
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
    let db = forms::load(text);
    let switch = resolve(&db, Beside { lookup: Some(&table), ..Beside::default() });
    let [profile] = switch.profiles.as_slice() else { panic!("{:?}", switch.profiles) };
    assert_eq!(profile.name, "pg_lossless_100000_40m_profile");
    assert_eq!(profile.headroom_bytes, Some(177_632));
    assert_eq!(profile.threshold, Some(Threshold::Dynamic { exponent: -2 }));
    assert!(profile.is_generated);
    let none = None;
    assert_eq!(switch.ports[0].priority_groups, [none, none, none, Some(0), Some(0), none, none, none]);
}
