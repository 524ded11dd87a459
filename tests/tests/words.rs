//! Harrier's text in the glossary's terms: no tracked file has a phrase that `docs/words.toml` lists.
//!
//! `scripts/prose.sh` runs it and prints the totals. With `HARRIER_WORDS=report` it prints totals by folder and by
//! phrase and does not fail.

#![allow(clippy::disallowed_methods, reason = "a test of the repository runs git and reads files")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use harrier_tests::words::List;

fn tracked_files(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().ok()?;
    let names = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(names.split('\0').filter(|name| !name.is_empty()).map(str::to_string).collect())
}

/// The folder that a total is printed for: a crate, or the first folder.
fn folder(path: &str) -> &str {
    let depth = if path.starts_with("p4/") { 1 } else { 0 };
    path.match_indices('/').nth(depth).map_or("(root)", |(end, _)| &path[..end])
}

fn print_totals(title: &str, totals: &BTreeMap<String, usize>) {
    let mut rows: Vec<_> = totals.iter().collect();
    rows.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    eprintln!("{title}:");
    for (name, count) in rows {
        eprintln!("{count:>6}  {name}");
    }
}

#[test]
fn text_uses_the_terms_of_the_glossary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let list = std::fs::read_to_string(root.join("docs/words.toml")).expect("docs/words.toml exists");
    let list = List::parse(&list).unwrap_or_else(|error| panic!("docs/words.toml: {error}"));
    let Some(files) = tracked_files(&root) else {
        eprintln!("SKIPPED: this is not a git checkout, so there is no list of tracked files");
        return;
    };
    for skipped in list.skipped() {
        assert!(
            files.iter().any(|file| file == skipped),
            "docs/words.toml skips {skipped}, which does not exist"
        );
    }

    let mut by_folder: BTreeMap<String, usize> = BTreeMap::new();
    let mut by_phrase: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    let mut with_hits = BTreeSet::new();
    for file in &files {
        // A file that is deleted in the working tree or is not UTF-8 has no text.
        let Ok(text) = std::fs::read_to_string(root.join(file)) else { continue };
        for hit in list.search(file, &text) {
            *by_folder.entry(folder(file).to_string()).or_default() += 1;
            *by_phrase.entry(hit.phrase.clone()).or_default() += 1;
            with_hits.insert(file);
            lines.push(format!(
                "{file}:{}:{}: `{}`; use: {}",
                hit.line, hit.column, hit.phrase, hit.replacement
            ));
        }
    }
    let total = lines.len();
    eprintln!(
        "words: {} files, {total} phrases that are not used, in {} files",
        files.len(),
        with_hits.len()
    );
    if total == 0 {
        return;
    }
    if std::env::var("HARRIER_WORDS").is_ok_and(|mode| mode == "report") {
        print_totals("by folder", &by_folder);
        print_totals("by phrase", &by_phrase);
        return;
    }
    panic!("{total} phrases that docs/words.toml lists:\n{}", lines.join("\n"));
}
