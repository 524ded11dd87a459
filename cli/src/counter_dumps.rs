//! Writes the counters of a run as dumps of SONiC's databases: `DIR/SWITCH/TIME/COUNTERS_DB.json` and so on. `TIME` is
//! UTC, as in `20231114T221320.000000001Z`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fabric::sonic::{Reading, databases};

use crate::input::write_all;

/// The wall-clock time at which a run starts, 2023-11-14 22:13:20 UTC: a fixed one, so that equal runs give equal files.
pub(crate) const START_NS: u64 = 1_700_000_000_000_000_000;

/// Writes all databases of all readings.
pub(crate) fn write(directory: &Path, readings: &[Reading]) -> anyhow::Result<()> {
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for reading in readings {
        let folder = directory.join(&reading.counters.switch).join(time_name(reading.time_ns)?);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let databases = databases(reading);
        for database in databases.0.keys() {
            let file = folder.join(format!("{}.json", database.name()));
            files.push((file, serde_json::to_vec_pretty(&databases.dump(*database))?));
        }
    }
    let files: Vec<(&Path, Vec<u8>)> =
        files.iter().map(|(path, bytes)| (path.as_path(), bytes.clone())).collect();
    write_all(&files)
}

/// A time in the basic format of ISO 8601 with nanoseconds, which is a name on all file systems.
fn time_name(time_ns: u64) -> anyhow::Result<String> {
    let time = time::OffsetDateTime::from_unix_timestamp_nanos(i128::from(time_ns))?;
    let (date, clock) = (time.date(), time.time());
    Ok(format!(
        "{:04}{:02}{:02}T{:02}{:02}{:02}.{:09}Z",
        date.year(),
        u8::from(date.month()),
        date.day(),
        clock.hour(),
        clock.minute(),
        clock.second(),
        clock.nanosecond()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_names_a_folder() {
        assert_eq!(time_name(START_NS).unwrap(), "20231114T221320.000000000Z");
        assert_eq!(time_name(START_NS + 1_005_000_007).unwrap(), "20231114T221321.005000007Z");
    }
}
