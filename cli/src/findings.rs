//! The findings that REST returns: those of `harrier check` in the switches' files, and those that diagnoses can cite and
//! no rule has reported for one file, such as differences between switches.

use std::collections::{BTreeMap, BTreeSet};

use buffer_config::finding::{Finding, Severity};
use buffer_config::{report, rules};
use model::ConfigFinding;
use serde_json::{Value, json};
use tracing::warn;
use web::LiveState;

use crate::configurations::Checked;

/// Findings that are kept, by switch and id; further ones are left out and logged.
const KEPT: usize = 10_000;

/// Replaces the findings in the store.
///
/// # Errors
/// The store fails.
pub(crate) async fn keep(live: &LiveState, checked: &Checked) -> Result<(), store::StoreError> {
    let mut rows = rows(checked);
    let all = rows.len();
    rows.retain(|row| row.id.len() <= store::TEXT_ID_BYTES);
    rows.truncate(KEPT);
    if rows.len() < all {
        warn!(left_out = all - rows.len(), "there are too many findings, or names of switches are too long");
    }
    live.store().replace_findings(&rows).await
}

/// Returns the findings as rows of the store, ordered by id.
fn rows(checked: &Checked) -> Vec<store::Finding> {
    let mut rows: BTreeMap<String, store::Finding> = BTreeMap::new();
    let mut in_files: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (switch, findings) in &checked.by_switch {
        for finding in findings {
            in_files.insert((switch, finding.code));
            let row = in_file(switch, finding);
            rows.insert(row.id.clone(), row);
        }
    }
    let others = checked.cited.iter().filter(|cited| !in_files.contains(&(&cited.switch, code(cited))));
    for row in others.map(cited) {
        rows.insert(row.id.clone(), row);
    }
    rows.into_values().collect()
}

/// A finding of `harrier check`, with its switch.
fn in_file(switch: &str, finding: &Finding) -> store::Finding {
    let id = format!("{switch}/{}/{}", finding.code, finding.fingerprint());
    let mut body = report::json(finding);
    body["id"] = id.as_str().into();
    body["switch"] = switch.into();
    row(id, finding.code, finding.severity, body)
}

/// A finding about the network.
fn cited(finding: &ConfigFinding) -> store::Finding {
    let code = code(finding);
    let rule = rules::find(code);
    let severity = rule.map_or(Severity::Warning, |rule| rule.meta.severity);
    let body = json!({
        "id": finding.id, "code": code, "rule": rule.map_or(code, |rule| rule.meta.name),
        "severity": severity, "message": finding.message, "fix": finding.fix,
        "switch": finding.switch, "port": finding.port.map(|port| model::PortRef::new(&finding.switch, port)),
    });
    row(finding.id.clone(), code, severity, body)
}

fn row(id: String, code: &str, severity: Severity, body: Value) -> store::Finding {
    store::Finding { id, code: code.to_string(), severity: severity.name().to_string(), body }
}

/// The code of the rule, or the name of the setting.
fn code(finding: &ConfigFinding) -> &str {
    finding.id.rsplit_once('/').map_or(finding.id.as_str(), |(_, code)| code)
}

#[cfg(test)]
mod tests {
    use buffer_config::input;
    use buffer_config::rules::Options;
    use buffer_config::source::SourceText;
    use model::Setting;

    use super::*;

    /// The findings in a configuration whose priority group has no buffer profile.
    fn of_file() -> Vec<Finding> {
        let text = r#"{"BUFFER_PG": {"Ethernet0|3-4": {"profile": "missing"}}, "PORT": {"Ethernet0": {"lanes": "0", "speed": "100000"}}}"#;
        let source = SourceText { name: "leaf1/config_db.json", text };
        rules::check(source, &input::load(text), None, &Options::default())
    }

    #[test]
    fn findings_in_files_have_a_place_and_findings_between_switches_an_id_that_verdicts_cite() {
        let in_file = of_file();
        let known = in_file.first().expect("a finding").code;
        let alpha = ConfigFinding::new("leaf2", Setting::Alpha, "leaf2 differs", "use 1/8");
        let same = ConfigFinding::new("leaf1", Setting::Alpha, "known", "").by_rule(known, Some(1));
        let count = in_file.len();
        let checked =
            Checked { cited: vec![alpha, same], by_switch: BTreeMap::from([("leaf1".into(), in_file)]) };
        let rows = rows(&checked);
        assert_eq!(rows.len(), count + 1, "what a rule has found in the file is not listed twice");
        let first = rows.iter().find(|row| row.code == known).expect("the finding in the file");
        assert!(first.id.starts_with(&format!("leaf1/{known}/")), "{}", first.id);
        let body = &first.body;
        assert_eq!((&body["switch"], &body["file"]), (&"leaf1".into(), &"leaf1/config_db.json".into()));
        let alpha = rows.iter().find(|row| row.id == "leaf2/alpha").expect("the finding about the network");
        assert_eq!((alpha.severity.as_str(), &alpha.body["fix"]), ("warning", &"use 1/8".into()));
    }
}
