//! `harrier check --watch`: checks again whenever an input or a file next to it changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::bail;
use buffer_config::settings::FILE_NAME;

use super::inputs;
use super::setup::Setup;
use super::{Args, once};
use crate::{Outcome, redis};

/// The time between two looks at the files.
const INTERVAL: Duration = Duration::from_millis(300);

/// Time and size of each file, to notice changes.
type Stamps = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// Checks until the process is stopped.
pub(super) fn watch(args: &Args) -> anyhow::Result<Outcome> {
    if args.paths.iter().any(|path| path == "-" || redis::is_address(path)) {
        bail!("--watch needs files or folders");
    }
    loop {
        let before = stamps(args);
        if let Err(error) = once(args) {
            stderr_line!("error: {error:#}");
        }
        stderr_line!("watching {} files; press Ctrl-C to stop", before.len());
        while stamps(args) == before {
            thread::sleep(INTERVAL);
        }
        stderr_line!();
    }
}

/// The files that the result depends on. Without valid settings, the arguments alone.
fn stamps(args: &Args) -> Stamps {
    let mut files: Vec<PathBuf> = Vec::new();
    match Setup::read(args, &args.paths) {
        Ok(setup) => {
            let inputs = inputs::inputs(&args.paths, &setup.search(args));
            files.extend(inputs.all.iter().filter_map(|input| input.path().map(Path::to_path_buf)));
            files.extend(inputs.all.iter().filter_map(|input| input.lookup_beside()));
            files.extend(setup.files);
        }
        // A settings file that is not valid is watched as well, in any folder above an input.
        Err(_) => {
            for path in args.paths.iter().map(Path::new) {
                files.push(path.to_path_buf());
                let absolute = std::path::absolute(path).unwrap_or_default();
                files.extend(absolute.ancestors().map(|folder| folder.join(FILE_NAME)));
            }
        }
    }
    files.extend([&args.config, &args.lookup].into_iter().flatten().cloned());
    let stamp = |path: &PathBuf| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    files.into_iter().map(|path| (path.clone(), stamp(&path))).collect()
}
