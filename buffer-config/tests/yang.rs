//! Validation agrees with SONiC's YANG test cases.

use buffer_config::{input, schema};
use serde_json::Value;

/// Cases that the models refused when these files were copied, and accept now.
///
/// A scheduler may have `pir` without `cir` since sonic-buildimage PR 29314 (September 2026): the one is the largest rate and
/// the other the smallest, and a port shaper needs the first only.
const ACCEPTED_SINCE: [&str; 1] = ["SCHEDULER_PIR_NO_CIR"];

#[test]
fn every_yang_case_agrees() {
    let Some(folder) = crate::support::data("yang_cases") else { return };
    let (mut count, mut wrong) = (0, Vec::new());
    for path in crate::support::files(&folder, ".config.json") {
        let configs: Value = serde_json::from_str(&crate::support::read(&path)).expect("JSON");
        let expect_path = path.to_string_lossy().replace(".config.json", ".expect.json");
        let expected: Value =
            serde_json::from_str(&crate::support::read(expect_path.as_ref())).expect("JSON");
        for (name, expectation) in expected.as_object().expect("cases") {
            let is_verify = expectation["eStrKey"] == "Verify";
            let refuses = !ACCEPTED_SINCE.contains(&name.as_str())
                && !is_verify
                && (expectation.get("eStr").is_some() || expectation.get("eStrKey").is_some());
            let text = configs[name].to_string();
            let db = input::load(&text);
            let found: Vec<String> =
                schema::validate(&db).into_iter().map(|v| format!("{}: {}", v.code, v.message)).collect();
            count += 1;
            let problems: Vec<&str> = db.problems.iter().map(|p| p.message.as_str()).collect();
            if refuses == found.is_empty() || !problems.is_empty() {
                wrong.push(format!(
                    "{name}: expected to be {}, found {found:?} {problems:?}",
                    if refuses { "refused" } else { "accepted" }
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 290, "only {count} cases");
}
