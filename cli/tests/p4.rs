//! The P4 commands on Hawkeye's switch program and on a small router.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::{fixture, harrier, repository, scratch};

#[test]
fn the_switch_program_compiles_and_its_p4info_carries_the_register_layout() {
    let program = repository("p4/hawkeye/hawkeye.p4");
    let folder = scratch("compile");
    let (output, info) = (folder.join("hawkeye.bin"), folder.join("hawkeye.txtpb"));
    let args = [
        "p4",
        "compile",
        program.to_str().unwrap(),
        "-o",
        output.to_str().unwrap(),
        "--p4info",
        info.to_str().unwrap(),
    ];
    let ran = harrier(&args);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let written = fs::read_to_string(&info).unwrap();
    assert!(written.contains("registers {") && written.contains("@fields("), "{written}");
    assert!(fs::read(&output).unwrap().starts_with(b"HARRIER\0"));
    let printed = harrier(&["p4", "info", program.to_str().unwrap()]);
    assert_eq!(printed.stdout, written);
    assert_eq!(harrier(&["p4", "check", program.to_str().unwrap()]).status, 0);
}

#[test]
fn an_stf_test_passes_fails_or_is_malformed() {
    let program = fixture("router.p4");
    let stf =
        |name: &str| harrier(&["p4", "stf", program.to_str().unwrap(), fixture(name).to_str().unwrap()]);
    let passing = stf("router.stf");
    assert_eq!(passing.status, 0, "{}", passing.stderr);
    let failing = stf("router-wrong.stf");
    assert_eq!(failing.status, 1, "{}", failing.stderr);
    assert!(failing.stderr.contains("router-wrong.stf"), "{}", failing.stderr);
    let malformed = stf("router-malformed.stf");
    assert_eq!(malformed.status, 2, "{}", malformed.stderr);
    assert!(malformed.stderr.contains("line 2"), "{}", malformed.stderr);
}

#[test]
fn definitions_reach_the_program_and_what_the_switch_compiles() {
    let folder = scratch("defines");
    let program = folder.join("d.p4");
    fs::write(
        &program,
        format!(
            "#ifndef ROUTER\n#error without ROUTER\n#endif\n{}",
            fs::read_to_string(fixture("router.p4")).unwrap()
        ),
    )
    .unwrap();
    let output = folder.join("d.bin");
    let args = ["p4", "compile", program.to_str().unwrap(), "-o", output.to_str().unwrap()];
    assert_eq!(harrier(&args).status, 2);
    assert!(!output.exists());
    let with: Vec<&str> = args.into_iter().chain(["-D", "ROUTER"]).collect();
    let ran = harrier(&with);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(String::from_utf8_lossy(&fs::read(&output).unwrap()).contains("#define ROUTER 1"));
}

#[test]
fn the_smallest_rank_of_a_constant_entry_wins() {
    let entries = "const entries = {
            0x0100 &&& 0xff00: send(1) @priority(3);
            0x0102: send(2);
            0x0102 &&& 0x0fff: send(3) @priority(1);
        }";
    let router = fs::read_to_string(fixture("router.p4")).unwrap();
    let ranked = router.replace(": exact;", ": ternary;").replace("size = 1024;", entries);
    let folder = scratch("ranked");
    fs::write(folder.join("ranked.p4"), ranked).unwrap();
    fs::write(
        folder.join("ranked.stf"),
        "packet 9 0102 40\nexpect 3 0102 3f\npacket 9 0103 40\nexpect 1 0103 3f\n",
    )
    .unwrap();
    let [program, test] = ["ranked.p4", "ranked.stf"].map(|name| folder.join(name).display().to_string());
    let ran = harrier(&["p4", "stf", &program, &test]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn errors_are_findings_and_a_missing_file_is_an_error() {
    let folder = std::env::temp_dir().join(format!("harrier-p4-check-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let bad = folder.join("bad.p4");
    fs::write(&bad, "#include <core.p4>\nheader h { bit<8> x; }\nconst bit<8> y = nothing;\n").unwrap();
    let ran = harrier(&["p4", "check", bad.to_str().unwrap()]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("bad.p4:3:"), "{}", ran.stderr);
    assert_eq!(harrier(&["p4", "check", folder.join("none.p4").to_str().unwrap()]).status, 2);
    let explained = harrier(&["p4", "explain", "E0401"]);
    assert!(explained.status == 0 && explained.stdout.contains("E0401"), "{}", explained.stderr);
    fs::remove_dir_all(&folder).unwrap();
}

/// Checks the exit status of `harrier p4 check` for a program that comes from a pipe.
#[track_caller]
fn check_piped(program: &str, status: i32) {
    let mut checking = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(["p4", "check", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    checking.stdin.take().expect("a pipe").write_all(program.as_bytes()).expect("it reads its stdin");
    let output = checking.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{stderr}");
}

#[test]
fn a_program_can_come_from_a_pipe() {
    let router = fs::read_to_string(fixture("router.p4")).unwrap();
    check_piped(&router, 0);
    check_piped(&router.replace("apply", "apple"), 1);
}

#[test]
fn explain_all_writes_a_page_for_each_code_and_an_index() {
    let folder = std::env::temp_dir().join(format!("harrier-p4-explain-{}", std::process::id()));
    let written = harrier(&["p4", "explain", "--all", "--out", folder.to_str().unwrap()]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    assert!(fs::read_to_string(folder.join("index.md")).unwrap().contains("[E0401](E0401.md)"));
    assert!(fs::read_to_string(folder.join("E0401.md")).unwrap().starts_with("# E0401: "));
    fs::remove_dir_all(&folder).unwrap();
}
