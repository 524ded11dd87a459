//! The headroom and pool arithmetic gives the same results as SONiC's scripts.

use buffer_config::headroom::{Inputs, headroom_with_cell, pools_of_config};
use buffer_config::{asic, input};
use serde_json::Value;

fn records(name: &str) -> Option<Vec<Value>> {
    let path = crate::support::data(name)?;
    Some(serde_json::from_str(&crate::support::read(&path)).expect("an array of records"))
}

#[test]
fn headroom_vectors_agree_exactly() {
    let Some(records) = records("headroom_vectors.json") else { return };
    let mut wrong = Vec::new();
    for record in &records {
        let number = |name: &str| record[name].as_u64().unwrap_or_else(|| panic!("{name} in {record}"));
        let asic = asic::of_asic_table(record["asic"].as_str().expect("a name")).expect("a known ASIC");
        let cable = record["cable"].as_str().expect("a length").trim_end_matches('m');
        let inputs = Inputs {
            speed_mbps: number("speed") as u32,
            cable_m: cable.parse().expect("metres"),
            port_mtu: number("port_mtu") as u32,
            lanes: number("lanes") as u32,
            small_packet_percentage: number("small_packet_percentage") as u32,
            lossless_mtu: number("lossless_mtu") as u32,
            gearbox_delay: number("gearbox_delay") as f64,
            over_subscribe_ratio: number("over_subscribe_ratio") as u32,
            pool_xoff: number("pool_xoff"),
        };
        let cell = number("cell_size") as u32;
        let found = headroom_with_cell(asic, cell, &inputs).expect("an ASIC with arithmetic");
        let expected = (number("xon"), number("xoff"), number("size"));
        if (found.xon, found.xoff, found.size) != expected {
            wrong.push(format!("{record}: {} {} {}", found.xon, found.xoff, found.size));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ, first {}", wrong.len(), records.len(), wrong[0]);
}

#[test]
fn pool_vectors_agree_exactly() {
    let Some(records) = records("pool_vectors.json") else { return };
    let Some(folder) = crate::support::data("pool_inputs") else { return };
    for record in &records {
        let name = record["input"].as_str().expect("a file");
        let text = crate::support::read(&folder.join(name));
        let db = input::load(&text);
        assert!(db.problems.is_empty(), "{name}: {:?}", db.problems);
        let asic = asic::of_asic_table(record["asic"].as_str().expect("a name")).expect("a known ASIC");
        let delay = record["gearbox_delay"].as_f64().expect("a delay");
        let (profiles, result) = pools_of_config(&db, asic, record["over_subscribe_ratio"].as_i64(), delay)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let pools: Vec<String> = result
            .pools
            .iter()
            .map(|(name, size, xoff)| match xoff {
                Some(xoff) => format!("{name}:{size}:{xoff}"),
                None => format!("{name}:{size}"),
            })
            .collect();
        assert_eq!(serde_json::json!(pools), record["pools"], "{name}");
        // The profiles are between the first two terms and the others.
        let mut debug: Vec<String> = result.terms.iter().map(|(n, v)| format!("debug:{n}:{v}")).collect();
        let counted = result.counted.iter().map(|c| {
            let size = c.size.map_or("-".to_string(), |s| s.to_string());
            format!("debug:BUFFER_PROFILE_TABLE:{}:{size}:{}", c.name, c.count)
        });
        debug.splice(2..2, counted);
        let expected: Vec<String> = serde_json::from_value(record["debug"].clone()).expect("lines");
        assert_eq!(debug, expected, "{name}");
        for profile in &profiles {
            let expected = &record["generated_profiles"][&profile.name];
            let h = &profile.headroom;
            let found = serde_json::json!({"xon": h.xon.to_string(), "xoff": h.xoff.to_string(), "size": h.size.to_string(),
                "pool": "ingress_lossless_pool", "dynamic_th": profile.dynamic_th});
            assert_eq!(&found, expected, "{name} {}", profile.name);
        }
        assert_eq!(profiles.len(), record["generated_profiles"].as_object().map_or(0, |o| o.len()), "{name}");
    }
}
