//! The rules of `harrier check` for REST: on texts instead of files, with the default settings.

use std::collections::BTreeMap;
use std::path::Path;

use buffer_config::baseline::FindingFilter;
use buffer_config::finding::{Finding, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::input;
use buffer_config::lookup::{self, Lookup};
use buffer_config::report::{Catalogue, Format, Summary, Unread, Writer};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use serde_json::Value;
use web::{CheckReport, ConfigurationFile};

use crate::commands::check::DOUBTS;
use crate::configurations::LOOKUP_FILE;

/// Findings of a report; further ones are left out.
const FINDINGS: usize = 10_000;

/// The rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules;

impl web::Checker for Rules {
    fn check(&self, files: &[ConfigurationFile]) -> CheckReport {
        let (tables, configurations): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| Path::new(&file.name).ends_with(LOOKUP_FILE));
        let folder = |name: &str| Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
        let tables: BTreeMap<_, Lookup> =
            tables.iter().map(|table| (folder(&table.name), lookup::parse(&table.text))).collect();
        let mut run = Run::new();
        for file in configurations {
            run.file(file, tables.get(&folder(&file.name)));
        }
        run.finish()
    }
}

/// A report that is being written.
struct Run {
    writer: Writer,
    text: String,
    summary: Summary,
    filter: FindingFilter,
    fleet: Fleet,
    kept: usize,
    left_out: usize,
}

impl Run {
    fn new() -> Run {
        let writer = Writer::of(Format::Json, Catalogue::of_switches());
        let text = writer.begin();
        Run {
            writer,
            text,
            summary: Summary::default(),
            filter: FindingFilter::default(),
            fleet: Fleet::default(),
            kept: 0,
            left_out: 0,
        }
    }

    fn file(&mut self, file: &ConfigurationFile, table: Option<&Lookup>) {
        let source = SourceText { name: &file.name, text: &file.text };
        let rules::Checked { mut findings, switches, device } =
            rules::check_file(source, table, &Options::default());
        if findings.iter().any(|finding| DOUBTS.contains(&finding.code))
            && let Some(reason) = input::refusal(&file.text)
        {
            self.summary.unread += 1;
            self.text.push_str(&self.writer.unread(Unread { file: file.name.clone(), reason }));
            return;
        }
        self.filter.apply_to_text(&mut findings, Some(&file.text));
        for switch in &switches {
            self.fleet.add(&file.name, switch);
        }
        if let Some(device) = &device {
            self.fleet.add_device(source, device);
        }
        self.summary.add(&file.name, &file.name, &findings);
        self.put(&file.name, Some(&file.text), findings);
    }

    /// Writes the findings, as far as there is room. All of them are in the summary.
    fn put(&mut self, name: &str, text: Option<&str>, mut findings: Vec<Finding>) {
        let all = findings.len();
        findings.truncate(FINDINGS - self.kept);
        self.kept += findings.len();
        self.left_out += all - findings.len();
        self.text.push_str(&self.writer.file(name, text, &findings));
    }

    fn finish(mut self) -> CheckReport {
        let mut rest = self.fleet.check();
        self.filter.apply(&mut rest);
        self.summary.add_rest(&rest, |file| file);
        self.put("all switches together", None, rest);
        self.text.push_str(&self.writer.end(&self.summary));
        let summary = &self.summary;
        // Tables alone are no configuration.
        let passed = summary.files > 0
            && summary.unread == 0
            && summary.not_provable == 0
            && summary.at_least(Severity::Warning) == 0;
        // The writer writes JSON.
        let report = serde_json::from_str(&self.text).unwrap_or(Value::Null);
        CheckReport { passed, left_out: self.left_out as u64, report }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use web::Checker as _;

    const MISSING: &str = r#"{"BUFFER_PG": {"Ethernet0|3-4": {"profile": "missing"}},
        "PORT": {"Ethernet0": {"lanes": "0", "speed": "100000"}}}"#;

    fn file(name: &str, text: &str) -> ConfigurationFile {
        ConfigurationFile { name: name.into(), text: text.into() }
    }

    /// Checks files: whether they pass, the files of the findings, and those that were not read.
    #[track_caller]
    fn check(files: &[ConfigurationFile], passed: bool, found_in: &[&str], unread: &[&str]) -> Value {
        let CheckReport { passed: all, report, .. } = Rules.check(files);
        let files_of = |list: &str| -> Vec<String> {
            let all = report[list].as_array().expect("a list");
            let mut names: Vec<String> =
                all.iter().map(|entry| entry["file"].as_str().expect("a name").to_string()).collect();
            names.dedup();
            names
        };
        assert_eq!(
            (all, files_of("findings")),
            (passed, found_in.iter().map(ToString::to_string).collect()),
            "{report}"
        );
        assert_eq!(files_of("unread"), unread, "{report}");
        assert_eq!(report["summary"]["files"], files.len() - unread.len(), "{report}");
        report
    }

    #[test]
    fn texts_are_checked_like_files() {
        let report = check(&[file("leaf1/config_db.json", MISSING)], false, &["leaf1/config_db.json"], &[]);
        let finding = &report["findings"][0];
        assert_eq!((&finding["line"], &finding["severity"]), (&1.into(), &"error".into()), "{finding}");
        check(&[], false, &[], &[]);
        check(&[file("a.json", MISSING), file("b.json", "")], false, &["a.json"], &["b.json"]);
    }

    #[test]
    fn a_table_belongs_to_the_configurations_of_its_folder() {
        let findings_with = |table: &str| {
            let table = file(table, "100000 5m not-a-size\n");
            let CheckReport { report, .. } = Rules.check(&[table, file("leaf1/config_db.json", MISSING)]);
            assert_eq!(report["summary"]["files"], 1, "a table is no configuration: {report}");
            report["findings"].clone()
        };
        // A broken table is reported where it is used.
        let CheckReport { report: alone, .. } = Rules.check(&[file("leaf1/config_db.json", MISSING)]);
        assert_ne!(findings_with("leaf1/pg_profile_lookup.ini"), alone["findings"]);
        assert_eq!(findings_with("leaf2/pg_profile_lookup.ini"), alone["findings"]);
    }

    #[test]
    fn findings_above_the_limit_are_counted() {
        let entries: Vec<String> = (0..FINDINGS + 5)
            .map(|at| format!("\"Ethernet{at}|3-4\": {{\"profile\": \"missing{at}\"}}"))
            .collect();
        let text = format!("{{\"BUFFER_PG\": {{{}}}}}", entries.join(", "));
        let CheckReport { passed, left_out, report } = Rules.check(&[file("a.json", &text)]);
        assert!(!passed && left_out > 0, "{left_out}");
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(FINDINGS));
    }
}
