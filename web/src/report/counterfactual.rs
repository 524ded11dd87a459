//! The run without the root cause, beside the run that happened.

use model::{Diagnosis, Verification};

use super::document::Block;
use super::words::duration;
use crate::what_if::WhatIf;

/// Returns what the repeated run shows; nothing for a real network, whose run cannot be repeated.
pub(super) fn counterfactual(diagnosis: &Diagnosis, what_if: &WhatIf) -> Vec<Block> {
    match what_if {
        WhatIf::NotSimulated => Vec::new(),
        WhatIf::NotRepeated { reason } => {
            vec![Block::Paragraph(format!("The run was not repeated: {reason}"))]
        }
        WhatIf::Repeated { verified, verification } => {
            let outcome = if *verified { "confirms the verdict" } else { "does not confirm the verdict" };
            vec![
                Block::Paragraph(format!(
                    "The same run without the root cause {outcome}: {}.",
                    verification.shown.trim_end_matches('.')
                )),
                Block::List(verification.without.clone()),
                compared(diagnosis, verification),
            ]
        }
    }
}

/// Both runs, a row a value. Between them is the run with the settings corrected alone, if there is one.
fn compared(diagnosis: &Diagnosis, verification: &Verification) -> Block {
    let is_operation = diagnosis.trigger().is_some_and(|trigger| trigger.reason.is_about_operation());
    let measured = if is_operation {
        "longest wait of an operation of the victim"
    } else {
        "slowest round trip of the victim"
    };
    let corrected = verification.corrected;
    let row = |what: &str, before: String, corrected: Option<String>, after: String| {
        let cells = [Some(what.to_string()), Some(before), corrected, Some(after)];
        cells.into_iter().flatten().collect::<Vec<_>>()
    };
    let optional = |ns: Option<u64>| ns.map_or("none".to_string(), duration);
    let mut rows = vec![
        row(
            measured,
            duration(verification.rtt_before_ns),
            corrected.map(|corrected| optional(corrected.rtt_ns)),
            optional(verification.rtt_after_ns),
        ),
        row(
            "pauses on the pause path, summed over its ports",
            duration(verification.paused_before_ns),
            corrected.map(|corrected| duration(corrected.paused_ns)),
            duration(verification.paused_after_ns),
        ),
    ];
    if let Some(base_ns) = verification.base_rtt_ns {
        let base = duration(base_ns);
        rows.push(row("base round trip", base.clone(), corrected.map(|_| base.clone()), base));
    }
    let head = row(
        "value",
        "as it happened".into(),
        corrected.map(|_| "settings corrected".into()),
        "without the root cause".into(),
    );
    Block::Table(head, rows)
}
