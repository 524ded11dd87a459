//! P4Infos that p4c generated from Harrier's programs: they match the programs, and relevant changes are detected.

use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::p4info::{differences, from_program, from_text};
use p4runtime::proto::p4::config::v1::{self as config, P4Info, match_field};

/// Programs with the P4Info of p4c 1.2 (34b86e9).
const PROGRAMS: [(&str, &str); 2] = [
    (include_str!("../p4info/failover.p4"), include_str!("../p4info/failover.txtpb")),
    (include_str!("../foreign/l2.p4"), include_str!("../p4info/l2.txtpb")),
];

fn both((source, text): (&str, &str)) -> (P4Info, P4Info) {
    let program = compile(&SourceBundle::single("main.p4", source)).expect("the program is good");
    (from_program(&program), from_text(text).expect("p4c writes good text"))
}

#[test]
fn the_p4info_of_p4c_matches_the_program() {
    for program in PROGRAMS {
        let (ours, theirs) = both(program);
        assert_eq!(differences(&ours, &theirs), Vec::<String>::new());
    }
}

/// Checks that a change is reported with this text; an empty text means no report.
#[track_caller]
fn check(change: impl Fn(&mut P4Info), expected: &str) {
    let (ours, mut theirs) = both(PROGRAMS[0]);
    let before = theirs.clone();
    change(&mut theirs);
    assert_ne!(before, theirs, "the change changes something");
    let found = differences(&ours, &theirs);
    match expected {
        "" => assert_eq!(found, Vec::<String>::new()),
        expected => {
            assert!(found.iter().any(|text| text.contains(expected)), "{expected:?} is not in {found:?}")
        }
    }
}

fn table<'a>(info: &'a mut P4Info, alias: &str) -> &'a mut config::Table {
    let found = info.tables.iter_mut().find(|t| t.preamble.as_ref().is_some_and(|p| p.alias == alias));
    found.expect("the table is there")
}

#[test]
fn relevant_parts_must_match() {
    check(|i| table(i, "flows").size = 64, "size");
    check(|i| table(i, "flows").match_fields[0].bitwidth = 8, "match field 1");
    let exact = Some(match_field::Match::MatchType(match_field::MatchType::Exact as i32));
    check(|i| table(i, "flows").match_fields[0].r#match = exact.clone(), "match field 1");
    check(|i| table(i, "flows").match_fields[0].id = 2, "match field");
    check(|i| drop(table(i, "flows").action_refs.pop()), "actions");
    check(|i| table(i, "flows").direct_resource_ids.clear(), "direct resources");
    check(|i| table(i, "select_way").implementation_id = 0, "action profile");
    check(|i| i.tables.clear(), "is missing");
    check(|i| i.action_profiles[0].size += 1, "size");
    check(|i| i.meters[0].size += 1, "size");
    check(|i| i.meters[0].spec = None, "unit");
    check(|i| i.meters[0].preamble.as_mut().expect("it has one").id += 1, "is not in the program");
    check(|i| i.meters[0].preamble.as_mut().expect("it has one").name.push('x'), "called");
    let with_params = |i: &mut P4Info| {
        let found = i.actions.iter_mut().find(|a| !a.params.is_empty());
        found.expect("an action has parameters").params[0].bitwidth += 1;
    };
    check(with_params, "parameter 1");
}

#[test]
fn irrelevant_parts_may_differ() {
    check(|i| i.tables.reverse(), "");
    check(|i| i.actions.reverse(), "");
    check(|i| i.pkg_info = None, "");
    check(|i| table(i, "flows").match_fields[0].name.push('x'), "");
    check(|i| table(i, "flows").preamble.as_mut().expect("it has one").annotations.push("@a".into()), "");
    check(|i| table(i, "flows").preamble.as_mut().expect("it has one").alias.push('x'), "");
}
