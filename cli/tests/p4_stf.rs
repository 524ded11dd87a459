//! `harrier p4 stf`: passing tests, failing tests and their reports, malformed tests, and two special cases:
//! packets on ports that no line names, and packets of programs with externs that are not implemented.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;

use crate::support::{fixture, harrier, scratch};

const ROUTE: &str = "add routes hdr.packet.destination:0x0102 send(port:3)\n";

/// Runs a test on a program with both engines; stderr must contain each line of `shown`.
fn check_on(name: &str, program: &str, test: &str, status: i32, shown: &[&str]) {
    let folder = scratch(&format!("stf-{name}"));
    let (source, commands) = (folder.join("program.p4"), folder.join("commands.stf"));
    fs::write(&source, program).unwrap();
    fs::write(&commands, test).unwrap();
    for engine in ["compiled", "bytecode", "interpreter"] {
        let args = ["p4", "stf", source.to_str().unwrap(), commands.to_str().unwrap(), "--engine", engine];
        let ran = harrier(&args);
        assert_eq!(ran.status, status, "{name} on {engine}: {}", ran.stderr);
        for line in shown {
            assert!(ran.stderr.contains(line), "{name} on {engine}: no `{line}` in\n{}", ran.stderr);
        }
    }
}

/// Runs a test on the small router with one route.
fn check(name: &str, test: &str, status: i32, shown: &[&str]) {
    let program = fs::read_to_string(fixture("router.p4")).unwrap();
    check_on(name, &program, &format!("{ROUTE}{test}"), status, shown);
}

#[test]
fn a_test_passes_when_the_expected_packets_leave() {
    check(
        "passes",
        "packet 1 0102 40 aa\nexpect 3 0102 3f aa $\n",
        0,
        &["1 packets in, 1 expected packets received"],
    );
    check("prefix", "packet 1 0102 40 aabb\nexpect 3 0102 *f\n", 0, &["passed"]);
    check("silence", "packet 1 0103 40\nno_packet\n", 0, &["passed"]);
}

#[test]
fn a_failure_shows_its_line_and_both_packets() {
    check(
        "differs",
        "packet 1 0102 40\nexpect 3 0102 40\n",
        1,
        &["commands.stf: line 3: port 3: expected 010240", "found 01023f"],
    );
    check("longer", "packet 1 0102 40 aa\nexpect 3 0102 3f$\n", 1, &["line 3", "found 01023faa"]);
    check(
        "missing",
        "packet 1 0103 40\nexpect 3 0103\n",
        1,
        &["line 3: port 3: expected packet 1 did not leave"],
    );
    check("another port", "packet 1 0102 40\nexpect 4 0102\nexpect 3\n", 1, &["line 3: port 4"]);
    check("too many", "packet 1 0102 40\npacket 3 0102 01\n", 1, &["port 3: unexpected packet 01023f"]);
    check(
        "order",
        "packet 1 0102 40\npacket 1 0102 30\nexpect 3 01022f\nexpect 3 01023f\n",
        1,
        &["line 4", "line 5"],
    );
    check(
        "no packet expected",
        "packet 1 0102 40\nno_packet\n",
        1,
        &["line 3: packets left since the last `packet` command: 1"],
    );
}

#[test]
fn every_failure_of_a_test_is_shown() {
    let test = "packet 1 0102 40\nexpect 3 0102 40\npacket 1 0102 20\nexpect 3 0102 20\n";
    check("all of them", test, 1, &["line 3: port 3", "line 5: port 3"]);
}

#[test]
fn commands_that_fail_are_reported_with_their_line() {
    check("no table", "add nowhere a:1 send(port:1)\n", 1, &["line 2", "nowhere"]);
    check("no action", "add routes hdr.packet.destination:1 fly(port:1)\n", 1, &["line 2", "fly"]);
    check("too wide", "add routes hdr.packet.destination:0x10000 send(port:1)\n", 1, &["line 2"]);
}

#[test]
fn malformed_tests_are_rejected() {
    check("port", "packet one 0102\n", 2, &["line 2", "one is not a number"]);
    check("command", "\n# a comment\nfrobnicate\n", 2, &["line 4: unknown command frobnicate"]);
    check("both", "packet x 00\nfrobnicate\n", 2, &["line 2", "line 3"]);
    let none = harrier(&["p4", "stf", fixture("router.p4").to_str().unwrap(), "/nowhere/none.stf"]);
    assert_eq!(none.status, 2, "{}", none.stderr);
    assert!(none.stderr.contains("none.stf"), "{}", none.stderr);
    let program = fs::read_to_string(fixture("router.p4")).unwrap().replace("hdr.packet.ttl - 1", "nothing");
    check_on("bad program", &program, ROUTE, 2, &["program.p4:"]);
}

/// p4c's test driver checks only the ports that a test names; so does this one.
#[test]
fn packets_on_other_ports_are_not_checked() {
    check("unnamed", "packet 1 0102 40\n", 0, &["1 packets in, 0 expected"]);
    check("named", "packet 1 0102 40\nexpect 3\n", 0, &["passed"]);
}

#[test]
fn a_difference_in_a_program_with_unknown_externs_is_not_judged_but_a_failed_command_is() {
    let router = fs::read_to_string(fixture("router.p4")).unwrap();
    let program = router
        .replace("header packet_t {", "extern void mystery(inout bit<8> value);\n\nheader packet_t {")
        .replace("routes.apply();", "mystery(hdr.packet.ttl);\n            routes.apply();");
    let differs = format!("{ROUTE}packet 1 0102 40\nexpect 3 0102 77\n");
    check_on("foreign", &program, &differs, 3, &["line 3: port 3", "not judged", "(`mystery`)"]);
    let right = format!("{ROUTE}packet 1 0102 40\nexpect 3 0102 3f\n");
    check_on("foreign and right", &program, &right, 0, &["passed"]);
    let wrong = format!("{ROUTE}packet 1 0102 40\nexpect 3 0102 77\nadd nowhere a:1 send(port:1)\n");
    check_on("foreign command", &program, &wrong, 1, &["line 4", "nowhere"]);
}
