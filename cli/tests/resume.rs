//! An interrupted evaluation continues from its finished runs, and a failed run prints the command that repeats it.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::SystemTime;

use crate::support::{harrier, scratch};

const RUNS: usize = 5;

/// Returns the arguments of a small evaluation that keeps finished runs in `work`.
fn arguments(work: Option<&Path>) -> Vec<String> {
    let mut args: Vec<String> =
        ["eval", "--scenario", "poster-fig1", "--method", "harrier", "--jobs", "1", "--json", "--runs"]
            .map(str::to_string)
            .to_vec();
    args.push(RUNS.to_string());
    if let Some(work) = work {
        args.extend(["--work".to_string(), work.display().to_string()]);
    }
    args
}

/// Returns the files of finished runs with their modification times.
fn finished(work: &Path) -> Vec<(PathBuf, SystemTime)> {
    let Ok(entries) = fs::read_dir(work) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ext| ext == "json")).collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let written = fs::metadata(&file).and_then(|data| data.modified()).unwrap();
            (file, written)
        })
        .collect()
}

/// Starts an evaluation, kills it when the first run is finished, and returns the finished runs.
fn killed(work: &Path) -> Vec<(PathBuf, SystemTime)> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(arguments(Some(work)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while finished(work).is_empty() && child.try_wait().unwrap().is_none() {
        thread::yield_now();
    }
    // Fails if the evaluation has already ended.
    let _ = child.kill();
    child.wait().unwrap();
    finished(work)
}

#[test]
fn a_killed_evaluation_continues_with_its_finished_runs() {
    let whole = harrier(&arguments(None));
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let work = scratch("resume");
    let before = killed(&work);
    assert!(!before.is_empty());
    for (file, _) in &before {
        let text = fs::read_to_string(file).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).expect("a kept run is whole");
    }

    let again = harrier(&arguments(Some(&work)));
    assert_eq!((again.status, &again.stdout), (0, &whole.stdout), "{}", again.stderr);
    let after = finished(&work);
    assert_eq!(after.len(), RUNS);
    for kept in &before {
        assert!(after.contains(kept), "{} was run again", kept.0.display());
    }
}

#[test]
fn damaged_runs_are_run_again() {
    let work = scratch("damaged");
    let first = harrier(&arguments(Some(&work)));
    assert_eq!(first.status, 0, "{}", first.stderr);
    let kept: Vec<String> =
        finished(&work).iter().map(|(file, _)| fs::read_to_string(file).unwrap()).collect();
    // Truncated; empty; of another version; other JSON; and one that was only partly written.
    let files: Vec<PathBuf> = finished(&work).into_iter().map(|(file, _)| file).collect();
    fs::write(&files[0], &kept[0][..kept[0].len() / 2]).unwrap();
    fs::write(&files[1], "").unwrap();
    let other = kept[2].replacen("\"fingerprint\":\"", "\"fingerprint\":\"0", 1);
    assert_ne!(other, kept[2]);
    fs::write(&files[2], other).unwrap();
    fs::write(&files[3], "[]").unwrap();
    fs::remove_file(&files[4]).unwrap();
    fs::write(files[4].with_extension("json.partial"), "{").unwrap();

    let again = harrier(&arguments(Some(&work)));
    assert_eq!((again.status, &again.stdout), (0, &first.stdout), "{}", again.stderr);
    let repeated: Vec<String> =
        finished(&work).iter().map(|(file, _)| fs::read_to_string(file).unwrap()).collect();
    assert!(repeated == kept, "a run differs");
    assert!(!files[4].with_extension("json.partial").exists());
}

#[test]
fn judged_runs_of_generated_scenarios_are_kept() {
    let work = scratch("judged");
    let evaluate = || {
        harrier(
            &["eval", "--generated", "--method", "harrier", "--runs", "3", "--alarm-budget", "5", "--json"]
                .into_iter()
                .chain(["--work", work.to_str().unwrap()])
                .collect::<Vec<_>>(),
        )
    };
    let first = evaluate();
    let mut files: Vec<PathBuf> = fs::read_dir(&work).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 3, "snapshots are not kept: {files:?}");
    let kept: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    fs::write(&files[0], &kept[0][..kept[0].len() / 2]).unwrap();
    fs::remove_file(&files[1]).unwrap();
    let written = |file: &Path| fs::metadata(file).unwrap().modified().unwrap();
    let whole = written(&files[2]);

    let again = evaluate();
    assert_eq!((again.status, again.stdout), (first.status, first.stdout), "{}", again.stderr);
    assert!(files.iter().zip(&kept).all(|(file, kept)| fs::read(file).unwrap() == *kept), "a run differs");
    assert_eq!(written(&files[2]), whole, "a whole run was judged again");
}

#[test]
fn a_failure_prints_the_command_that_repeats_it() {
    // Without telemetry the incast is missed.
    let arguments = ["eval", "--scenario", "incast-backpressure", "--runs", "2", "--silent-switches", "1"];
    let evaluated = harrier(&[&arguments[..], &["--method", "harrier"]].concat());
    assert_eq!(evaluated.status, 1, "{}", evaluated.stderr);
    let commands: Vec<&str> =
        evaluated.stderr.lines().filter(|line| line.trim_start().starts_with("harrier ")).collect();
    assert_eq!(commands.len(), 2, "a command a failure:\n{}", evaluated.stderr);
    for command in commands {
        let args: Vec<&str> = command.split_whitespace().skip(1).collect();
        let repeated = harrier(&args);
        assert_eq!(repeated.status, 1, "{command}: {}", repeated.stderr);
        assert!(repeated.stderr.contains("missed:"), "{command} does not show it: {}", repeated.stderr);
    }
}

#[test]
fn unusable_directories_are_reported_before_any_run() {
    let folder = scratch("no-directory");
    fs::write(folder.join("file"), "in the way").unwrap();
    let inside = folder.join("file").join("deeper");
    for option in ["--work", "--plots"] {
        let ran = harrier(&["eval", "--runs", "1000000", option, inside.to_str().unwrap(), "--json"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(&format!("cannot create {}", inside.display())), "{}", ran.stderr);
    }
}
