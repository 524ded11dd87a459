//! Repairs of configurations that consist of commands.

use std::collections::BTreeMap;

use buffer_config::finding::Finding;
use buffer_config::fix_patch::{self, FixPatch};
use buffer_config::rules::Options;
use buffer_config::source::SourceText;
use proptest::prelude::*;

use crate::operators::{OF_COMMANDS, OF_EOS, OF_NXOS, Operator};
use crate::{COMMANDS, EOS, NVUE, NXOS, reported as found};

/// The files that consist of commands, with the defects that can be injected and the last line that remains the last.
const FILES: [(&str, &[Operator], &str); 3] =
    [(EOS, OF_EOS, "end"), (COMMANDS, OF_COMMANDS, "nv config apply"), (NXOS, OF_NXOS, "end")];

fn plan(text: &str, findings: &[Finding]) -> FixPatch {
    let source = SourceText { name: "device", text };
    fix_patch::plan(source, findings, None, &Options::default()).expect("a plan")
}

/// The number of findings of each rule at each place.
fn places(findings: &[Finding]) -> BTreeMap<(&str, &str), usize> {
    let mut places = BTreeMap::new();
    findings.iter().for_each(|f| *places.entry((f.code, f.pointer.as_str())).or_default() += 1);
    places
}

/// Repairs a text; what is repaired must have no such finding any more, nothing new may be reported, and the lines of
/// the text must stay as they are. Returns the repaired rules.
fn check(text: &str, last: &str) -> Result<Vec<&'static str>, TestCaseError> {
    let before = found(text);
    let plan = plan(text, &before);
    let after = found(&plan.text);
    let (old, new) = (places(&before), places(&after));
    for (place, count) in &new {
        prop_assert!(old.get(place).is_some_and(|n| n >= count), "{place:?} is new in\n{}", plan.text);
    }
    prop_assert_eq!(before.len() - after.len() >= plan.fixed.len(), true, "{:?} {:#?}", plan.fixed, after);
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = lines.iter().rposition(|line| line.starts_with(last)).unwrap_or(lines.len());
    let (head, tail) = (lines[..at].concat(), lines[at..].concat());
    let missing_end =
        if plan.commands.is_empty() || head.is_empty() || head.ends_with('\n') { "" } else { line_end };
    let added: String = plan.commands.iter().map(|command| format!("{command}{line_end}")).collect();
    prop_assert_eq!(&plan.text, &format!("{head}{missing_end}{added}{tail}"));
    Ok(plan.fixed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Several defects at once, with the line ends of either system, and a file without a last line end.
    #[test]
    fn repairs_remove_their_findings_and_change_no_line(
        file in 0usize..3,
        chosen in proptest::collection::vec(any::<proptest::sample::Index>(), 1..4),
        has_carriage_returns: bool,
        is_cut: bool,
    ) {
        let (text, operators, last) = FILES[file];
        let mut text = text.to_string();
        for index in chosen {
            let (_, from, to, _) = index.get(operators);
            text = text.replacen(from, to, 1);
        }
        if has_carriage_returns {
            text = text.replace('\n', "\r\n");
        }
        if is_cut {
            text.truncate(text.trim_end().len());
        }
        check(&text, last)?;
    }
}

#[test]
fn most_injected_defects_are_repaired() {
    // In NX-OS, most repairs name a class or policy map that only the operator of the switch can choose. Which speed, neighbour,
    // thresholds or times are meant where ports differ, no file says, nor which priority is to be lossless.
    let most_left = [21, 19, 25];
    let mut wrong = Vec::new();
    for ((base, operators, last), most_left) in FILES.into_iter().zip(most_left) {
        let mut left = Vec::new();
        let mut count = 0;
        for (name, from, to, _) in operators {
            let text = base.replacen(from, to, 1);
            if found(&text).is_empty() {
                continue;
            }
            count += 1;
            if check(&text, last).expect("a sound repair").is_empty() {
                left.push(*name);
            }
        }
        if left.len() > most_left {
            wrong.push(format!("{} of {count} are not repaired: {left:#?}", left.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_cannot_be_added_to_a_file_is_left_out_with_the_reason() {
    let yaml = NVUE.replacen("mtu: 9214\n          speed", "mtu: 1500\n          speed", 1);
    let nxos = NXOS.replace("    random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 weight 0 ecn\n", "");
    for (text, reason) in
        [(yaml.as_str(), "cannot be added to YAML"), (nxos.as_str(), "is to be replaced: policy-map")]
    {
        let plan = plan(text, &found(text));
        assert_eq!((plan.text.as_str(), plan.commands.len()), (text, 0));
        assert!(plan.left_out.iter().any(|(_, why)| why.contains(reason)), "{:#?}", plan.left_out);
    }
}
