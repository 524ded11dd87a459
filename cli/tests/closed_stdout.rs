//! Commands whose stdout cannot be written: its reader has gone, or the disk is full.

#![allow(clippy::disallowed_methods, reason = "tests of the binary open files")]

use std::fs::{self, File};
use std::io::pipe;
use std::process::{Command, Stdio};

use crate::support::{fixture, scratch};

/// Runs `harrier` with this stdout. Returns the exit status and stderr.
fn run(args: &[&str], stdout: Stdio) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(args)
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .expect("the binary was built");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

/// Tests commands with output on stdout: their arguments, and their exit status.
fn check(name: &str, test: impl Fn(&[&str], i32)) {
    let router = fixture("router.p4");
    let router = router.to_str().expect("text");
    let folder = scratch(name);
    let configuration = folder.join("config_db.json");
    fs::write(&configuration, r#"{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "in"}}}"#)
        .expect("a file");
    let configuration = configuration.to_str().expect("text");
    for args in [
        &["scenario", "show", "pfc-storm"][..],
        &["scenario", "list", "--json"],
        &["generate", "--seed", "1"],
        &["generate", "--list"],
        &["p4", "info", router],
        &["p4", "info", router, "--format", "binary"],
        &["p4", "explain", "E0401"],
        &["config", "example", "serve"],
        &["completions", "bash"],
        &["host", "inspect", "--list-rules"],
        &["openapi"],
    ] {
        test(args, 0);
    }
    test(&["check", configuration], 1);
}

#[test]
fn a_reader_that_has_gone_changes_no_exit_status() {
    check("reader-has-gone", |args, expected| {
        let (reader, writer) = pipe().expect("a pipe");
        drop(reader);
        let (status, stderr) = run(args, writer.into());
        assert_eq!(status, Some(expected), "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
    });
}

#[test]
fn a_full_disk_is_an_error() {
    check("disk-is-full", |args, _| {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let (status, stderr) = run(args, full.into());
        assert_eq!(status, Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("error: ") && stderr.contains("No space left"), "{args:?}: {stderr}");
    });
}
