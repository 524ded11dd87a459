//! The programs for Tofino below `p4`: the front end accepts them, and a packet accesses each register at most once.

#![allow(clippy::disallowed_methods, reason = "the tests read the programs of the repository")]

use std::fs;
use std::path::{Path, PathBuf};

use p4_lang::{Compilation, MemoryLoader, Options, SourceLoader, compile};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hawkeye/tofino")
}

/// Reads the files of the programs, except those that a test has changed.
struct Loader(MemoryLoader);

impl SourceLoader for Loader {
    fn load(&self, path: &str) -> Option<String> {
        self.0.load(path).or_else(|| fs::read_to_string(folder().join(path)).ok())
    }
}

/// Compiles a program with a changed file.
fn compiled(program: &str, file: &str, text: &str) -> Compilation {
    compile(program, &Loader(MemoryLoader::new().with(file, text)), &Options::default())
}

fn check(program: &str) {
    let compilation = compile(program, &Loader(MemoryLoader::new()), &Options::default());
    // The switch runs only v1model; there may be no other warning.
    let others = compilation.diagnostics.iter().filter(|d| d.code.id != "W0408").count();
    assert_eq!(others, 0, "{program}\n{}", compilation.report(false));
    assert_eq!(compilation.diagnostics.len(), 1, "{program} has a `main`");
}

#[test]
fn the_program_for_tofino_1_accesses_each_register_once() {
    check("hawkeye_tna.p4");
}

#[test]
fn the_program_for_tofino_2_accesses_each_register_once() {
    check("hawkeye_t2na.p4");
}

/// The names and texts of all files.
fn files() -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder()).expect("the programs").filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let named = paths.iter().map(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        (name, fs::read_to_string(path).expect("the programs are text"))
    });
    named.collect()
}

/// Returns the part of a line between two texts.
fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    Some(line.split_once(before)?.1.split_once(after)?.0)
}

/// The limits of a stateful ALU (docs/tofino.md).
#[test]
fn registers_are_numbers_or_pairs_of_32_bits_with_at_most_four_actions() {
    let files = files();
    let all: String = files.iter().map(|(_, text)| text.as_str()).collect();
    let mut registers = 0;
    for (file, text) in &files {
        for line in text.lines().filter(|line| line.trim_start().starts_with("Register<")) {
            registers += 1;
            let ty = between(line, "Register<", ", ").expect("a register has a type and an index");
            let name = line.trim_end_matches(';').rsplit(' ').next().expect("a register has a name");
            if !matches!(ty, "bit<8>" | "bit<16>" | "bit<32>") {
                let body = between(&all, &format!("struct {ty} {{"), "}").expect("a struct");
                let fields: Vec<&str> = body.lines().map(str::trim).filter(|l| l.ends_with(';')).collect();
                let wide = |field: &&str| field.starts_with("bit<32> ") || field.starts_with("int<32> ");
                assert!(fields.len() == 2 && fields.iter().all(wide), "{file}: {line}");
            }
            let actions = text.matches(&format!(">({name}) ")).count();
            assert!((1..=4).contains(&actions), "{file}: {line}: {actions} actions");
        }
    }
    assert_eq!(registers, 21);
}

/// Each access of the program is repeated in turn: the check must see every one of them.
#[test]
fn a_second_execution_of_any_register_action_is_reported() {
    let mut accesses = 0;
    for (name, text) in files() {
        for (number, line) in text.lines().enumerate() {
            // A meter is no register.
            if !line.contains(".execute(") || line.contains("poll_limit") {
                continue;
            }
            accesses += 1;
            let twice: Vec<&str> = text
                .lines()
                .enumerate()
                .flat_map(|(n, l)| std::iter::repeat_n(l, if n == number { 2 } else { 1 }))
                .collect();
            let compilation = compiled("hawkeye_tna.p4", &name, &twice.join("\n"));
            let reported = compilation.diagnostics.iter().any(|d| d.code.id == "E0605");
            assert!(reported, "{name}:{}: {line}\n{}", number + 1, compilation.report(false));
        }
    }
    assert_eq!(accesses, 30);
}
