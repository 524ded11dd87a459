//! Configurations per second on one core: parsing, all rules and the report, on the shipped switches.
//!
//! `cargo bench -p harrier-buffer-config [-- check]`; requires `../shared/data/sonic`. The time is CPU time on Linux and
//! wall-clock time elsewhere, so that other load on the machine matters less.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads files and the clock, and prints"
)]

use std::path::PathBuf;
use std::time::Instant;

use buffer_config::report::{Format, Writer};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{input, json, resolve, schema};

fn main() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/sonic/switches");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: {} does not exist", folder.display());
        return;
    };
    let mut texts: Vec<String> =
        entries.filter_map(|e| std::fs::read_to_string(e.ok()?.path()).ok()).collect();
    texts.sort_by_key(String::len);
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} configurations, {} KiB on average", texts.len(), bytes / texts.len().max(1) / 1024);
    // For `valgrind --tool=callgrind BINARY once`, which counts instructions independently of other load.
    if std::env::args().any(|word| word == "once") {
        let found: usize = texts.iter().map(|t| check(t)).sum();
        println!("{found} findings");
        return;
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let rate = |name: &str, work: &dyn Fn(&str) -> usize| {
        if !wanted.is_empty() && !wanted.iter().any(|word| word == name) {
            return;
        }
        let mut sum: usize = texts.iter().map(|t| work(t)).sum();
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let mut rounds = 0u32;
        while start.elapsed().as_secs() < 3 {
            sum += texts.iter().map(|t| work(t)).sum::<usize>();
            rounds += 1;
        }
        let seconds = match (cpu, cpu_seconds()) {
            (Some(before), Some(after)) => after - before,
            _ => start.elapsed().as_secs_f64(),
        };
        let count = f64::from(rounds) * texts.len() as f64;
        println!(
            "{name:<10} {:>9.0} configurations/s {:>7.1} MB/s  ({sum})",
            count / seconds,
            f64::from(rounds) * bytes as f64 / seconds / 1e6
        );
    };
    rate("json", &|t| json::parse(t).problems.len());
    rate("load", &|t| input::load(t).tables.len());
    rate("resolve", &|t| resolve(&input::load(t), Default::default()).ports.len());
    rate("schema", &|t| schema::validate(&input::load(t)).len());
    rate("check", &check);
    rate("report", &report);
}

fn check(text: &str) -> usize {
    rules::check(SourceText { name: "x", text }, &input::load(text), None, &Options::default()).len()
}

/// The length of the report with the lines of the file, as `harrier check` prints it.
fn report(text: &str) -> usize {
    let source = SourceText { name: "x", text };
    let mut found = rules::check_file(source, None, &Options::default()).findings;
    rules::one_per_defect(&mut found);
    let writer = Writer::new(Format::Full { is_coloured: false });
    writer.without_notes().file("x", Some(text), &found).len()
}

/// The CPU time of this thread.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}
