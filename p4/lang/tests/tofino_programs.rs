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

/// Each access of the program is repeated in turn: the check must see every one of them.
#[test]
fn a_second_execution_of_any_register_action_is_reported() {
    let mut accesses = 0;
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).expect("the programs").filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let text = fs::read_to_string(&path).expect("the programs are text");
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
    assert!(accesses >= 30, "{accesses} accesses");
}
