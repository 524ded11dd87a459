//! The rules on shipped configurations: how often each fires, as docs/rule-hits.md lists it.

mod support;

use std::collections::BTreeMap;

use buffer_config::finding::Severity;
use buffer_config::forms;
use buffer_config::rules::{self, Options};
use buffer_config::source::Source;

/// By code: files with any finding of each severity, and an example.
type Hits = BTreeMap<&'static str, ([usize; 3], String)>;

fn hits() -> Option<Hits> {
    let folder = support::data("switches")?;
    let mut hits = Hits::new();
    for path in support::files(&folder, ".json") {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = support::read(&path);
        let db = forms::load(&text);
        let findings = rules::check(Source { name: &name, text: &text }, &db, None, &Options::default());
        let mut worst: BTreeMap<&'static str, Severity> = BTreeMap::new();
        for f in &findings {
            let entry = worst.entry(f.code).or_insert(f.severity);
            *entry = (*entry).max(f.severity);
            let example = hits.entry(f.code).or_default();
            if example.1.is_empty() || std::env::var("EVERY").is_ok_and(|c| c == f.code) {
                example.1 += &format!("\n      {name}: {:?} {}", f.severity, f.message);
            }
        }
        for (code, severity) in worst {
            hits.entry(code).or_default().0[severity as usize] += 1;
        }
    }
    Some(hits)
}

#[test]
fn print_hits() {
    let Some(hits) = hits() else { return };
    for (code, ([info, warning, error], example)) in &hits {
        println!("{code} E{error} W{warning} I{info} {example}");
    }
}
