//! The STF runner.

use std::sync::Arc;

use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::stf;

fn check(test: &str, expected: Result<(usize, usize), &[&str]>) {
    let loader = MemoryLoader::new().with("externs.p4", include_str!("programs/externs.p4"));
    let compilation = compile("externs.p4", &loader, &Options::default());
    let program = compilation.program.unwrap_or_else(|| panic!("the program is good"));
    let found = stf::run(&Arc::new(program), test).map(|report| (report.packets, report.expected));
    let found = found.map_err(|failures| failures.iter().map(|f| f.to_string()).collect::<Vec<_>>());
    let expected = expected.map_err(|lines| lines.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>());
    assert_eq!(found, expected, "{test}");
}

#[test]
fn a_test_with_all_commands_passes() {
    let test = "
        # state
        register_write cells 3 0x10
        packet 2 01 03 00000005 ee
        expect 1 01 03 00000010 ee$
        packet 2 01 03 00000000
        expect 1 0103 000000**

        ADD count_table hdr.op.index:0x07 TheIngress.counted(port:4)
        setdefault meter_table metered(port:5)
        packet 2 0407 00000000
        expect 4
        packet 2 0408 00000000
        no_packet
        packet 2 0508 00000000
        expect 5 0508

        mc_mgrp_create 9
        mc_node_create 7 4 5
        mc_node_associate 9 0
        packet 2 0a09 00000000
        expect 4 0a07
        expect 5 0a07
        mirroring_add_mc 3 9
        mirroring_add 4 6
        packet 2 0904 00000001
        expect 6 0900 00000001$
        expect 1 0904 ffffffff

        packet 2 0205 00000000
        expect 1 02
        check_counter seen(5) packets == 1
        check_counter seen(5)
        counter_write seen 6 4 100
        check_counter seen(6) bytes >= 100
        meter_set_rates limit 1 0.000001:0 0.000001:1
        packet 2 0301 00000000
        expect 1 0301 00000001
        wait
        remove all
        packet 2 0407 00000000
    ";
    check(test, Ok((10, 10)));
}

#[test]
fn all_failures_are_reported_with_their_lines() {
    check(
        "packet 2 0103 00000000\nexpect 1 0103 00000001\nexpect 1 00\n\npacket 3 0a0b 00000000\nadd nowhere a:1 b()",
        Err(&[
            "line 6: table nowhere does not exist",
            "line 2: port 1: expected 010300000001\n  found 010300000000",
            "line 3: port 1: expected packet 2 did not leave",
        ]),
    );
    check("packet 2 0103 00000000", Ok((1, 0)));
    check("packet 1 0103 00000000", Err(&["port 1: unexpected packet 010300000000"]));
    check(
        "packet x 00\nfrobnicate",
        Err(&["line 1: port: x is not a number", "line 2: unknown command frobnicate"]),
    );
}
