//! `harrier watch` on the counters of the scenario `host-storm`.

use std::path::{Path, PathBuf};

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
