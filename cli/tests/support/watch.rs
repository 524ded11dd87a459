//! `harrier watch` on the counters of the scenario `host-storm`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{harrier, scratch};

/// The folders of a directory, sorted.
fn folders(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    folders
}

/// Saves what the switches count in the scenario `host-storm`: by switch, the readings in order of time.
pub(crate) fn count(name: &str) -> Vec<(String, Vec<PathBuf>)> {
    let saved = scratch(name);
    let ran = harrier(&["run", "host-storm", "--save-counters", saved.to_str().expect("text")]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let of_switch = |folder: &PathBuf| {
        (folder.file_name().expect("a name").to_str().expect("text").to_string(), folders(folder))
    };
    folders(&saved).iter().map(of_switch).collect()
}

/// Watches the switches `odd` and `right` for some rounds. Checks that `odd` cannot be read for the expected reason, which is
/// reported once without the password, and that `right` is read.
#[track_caller]
pub(crate) fn check_odd(interval: &str, rounds: &str, odd: &str, right: &str, expected: &str) {
    let addresses = [format!("odd={odd}"), format!("right={right}")];
    let ran = harrier(&["watch", "--interval", interval, "--rounds", rounds, &addresses[0], &addresses[1]]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("right: ") && ran.stderr.contains("ports are read"), "{}", ran.stderr);
    let about: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("cannot be read")).collect();
    assert_eq!(about.len(), 1, "the reason is reported once: {}", ran.stderr);
    assert!(about[0].contains(expected), "{}", about[0]);
    assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
}

/// Writes the configuration in a folder of dumps as one that a switch should run, with other priorities with PFC at its first
/// port if they are given.
pub(crate) fn desired(test: &str, dumps: &Path, pfc_enable: Option<&str>) -> PathBuf {
    let dump = std::fs::read_to_string(dumps.join("CONFIG_DB.json")).expect("a dump");
    let dump: serde_json::Map<String, Value> = serde_json::from_str(&dump).expect("JSON");
    let mut desired: serde_json::Map<String, Value> =
        dump.into_iter().map(|(key, mut hash)| (key, hash["value"].take())).collect();
    if let Some(priorities) = pfc_enable {
        desired["PORT_QOS_MAP|Ethernet0"]["pfc_enable"] = priorities.into();
    }
    let file = scratch(&format!("{test}-desired")).join("config_db.json");
    std::fs::write(&file, Value::Object(desired).to_string()).expect("a file");
    file
}
