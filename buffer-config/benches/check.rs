//! Configurations a second on one core: parse and all rules, on the shipped switches.
//!
//! `cargo bench -p harrier-buffer-config`; needs `../shared/data/sonic` beside the workspace.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads files and the clock, and prints"
)]

use std::path::PathBuf;
use std::time::Instant;

use buffer_config::rules::{self, Options};
use buffer_config::source::Source;
use buffer_config::{forms, json, resolve, schema};

fn main() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/sonic/switches");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("SKIPPED: {} is not there", folder.display());
        return;
    };
    let mut texts: Vec<String> =
        entries.filter_map(|e| std::fs::read_to_string(e.ok()?.path()).ok()).collect();
    texts.sort_by_key(String::len);
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} configurations, {} KiB on average", texts.len(), bytes / texts.len().max(1) / 1024);
    let rate = |name: &str, work: &dyn Fn(&str) -> usize| {
        let mut sum: usize = texts.iter().map(|t| work(t)).sum();
        let start = Instant::now();
        let mut rounds = 0u32;
        while start.elapsed().as_secs() < 3 {
            sum += texts.iter().map(|t| work(t)).sum::<usize>();
            rounds += 1;
        }
        let seconds = start.elapsed().as_secs_f64();
        let count = f64::from(rounds) * texts.len() as f64;
        println!(
            "{name:<10} {:>9.0} configurations/s {:>7.1} MB/s  ({sum})",
            count / seconds,
            f64::from(rounds) * bytes as f64 / seconds / 1e6
        );
    };
    rate("json", &|t| json::parse(t).problems.len());
    rate("load", &|t| forms::load(t).tables.len());
    rate("resolve", &|t| resolve(&forms::load(t), Default::default()).ports.len());
    rate("schema", &|t| schema::validate(&forms::load(t)).len());
    rate("check", &|t| {
        rules::check(Source { name: "x", text: t }, &forms::load(t), None, &Options::default()).len()
    });
}
