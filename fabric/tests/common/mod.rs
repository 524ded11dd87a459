//! Helpers of the fabric's tests.
#![allow(dead_code, reason = "each suite uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "tests read the public data where it is present")]

pub(crate) mod plain;

use std::path::{Path, PathBuf};

use fabric::Fabric;
use plain::PlainSwitch;
use scenario::Scenario;

/// A path in the folder of public data next to the repository. If it is absent, prints that the test is skipped, or
/// fails if `HARRIER_REQUIRE_DATA=1`.
pub(crate) fn shared_data(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(path);
    if path.exists() {
        return Some(path);
    }
    let is_required = std::env::var_os("HARRIER_REQUIRE_DATA").is_some_and(|value| value == "1");
    assert!(!is_required, "HARRIER_REQUIRE_DATA=1, and {} does not exist", path.display());
    eprintln!("skipped: {} does not exist", path.display());
    None
}

/// The public files of the poster's scenario; see [`shared_data`].
pub(crate) fn poster_directory() -> Option<PathBuf> {
    shared_data("hawkeye-poster")
}

/// A folder of test fixtures.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Reads a settings file and the files that it names.
pub(crate) fn read_ns3(config: &Path) -> Result<Scenario, scenario::Problems> {
    load_ns3(config).map(|loaded| loaded.scenario)
}

/// As [`read_ns3`], with the output files.
pub(crate) fn load_ns3(config: &Path) -> Result<scenario::ns3::Loaded, scenario::Problems> {
    let text = std::fs::read_to_string(config).unwrap();
    scenario::ns3::load(&config.display().to_string(), &text, |named| {
        let places = scenario::ns3::candidates(config, named);
        let place = places.iter().find(|place| place.is_file()).ok_or("no such file")?;
        let text = std::fs::read_to_string(place).map_err(|error| error.to_string())?;
        Ok((place.display().to_string(), text))
    })
}

/// A file of the poster's scenario.
pub(crate) fn read_poster(name: &str) -> String {
    let directory = poster_directory().expect("the caller has checked that it exists");
    std::fs::read_to_string(directory.join(name)).unwrap()
}

/// A fabric of plain switches.
pub(crate) fn plain_fabric(scenario: &Scenario, seed: u64) -> Fabric<PlainSwitch> {
    let mut fabric =
        Fabric::new(scenario, seed, |name, config| PlainSwitch::new(scenario, name, config)).unwrap();
    fabric.keep_all_records();
    fabric
}

/// Checks conservation: every frame on a link and every data packet is accounted for, and the memory of every switch
/// balances.
pub(crate) fn check_conservation(fabric: &Fabric<PlainSwitch>) {
    assert_eq!(fabric.check_conservation(), Ok(()));
    let (_, _, lost, flying) = fabric.frame_balance();
    let counters = fabric.counters();
    let data_sent: u64 = fabric.flows().iter().map(|flow| flow.sent_packets).sum();
    if flying == 0 && lost == 0 && counters.dropped_packets == 0 && fabric.all_finished() {
        let received = counters.data_packets_accepted + counters.data_packets_discarded;
        assert_eq!(data_sent, received + counters.lost_by_nics);
    }
}
