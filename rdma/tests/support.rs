//! Compiles C with the header of rdma-core, and runs tests in processes with an environment of their own.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use harrier_rdma::Library;

/// The library, in the environment of a process that runs one test.
const LIBRARY: &str = "STUB_LIBRARY";

/// Compiles a file of C. Reports and returns `None` if the machine has no compiler or no header.
pub(crate) fn compile(test: &str, source: &Path, output: &str, flags: &[&str]) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{output}-{}", std::process::id()));
    let mut command = Command::new("cc");
    command.args(["-Wall", "-Wextra", "-Werror", "-pthread"]).args(flags).arg("-o").arg(&path).arg(source);
    match command.output() {
        Ok(compiled) if compiled.status.success() => Some(path),
        Ok(compiled) => {
            let errors = String::from_utf8_lossy(&compiled.stderr).into_owned();
            assert!(errors.contains("infiniband/verbs.h: No such file"), "{errors}");
            skipped(test, "the header infiniband/verbs.h is missing (Debian: libibverbs-dev)")
        }
        Err(error) => skipped(test, &format!("cc: {error}")),
    }
}

/// Reports past the capture of output.
fn skipped(test: &str, why: &str) -> Option<PathBuf> {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}");
    None
}

/// Runs a test in a process of its own, whose environment the substitute reads.
pub(crate) fn with_library(test: &str, environment: &[(&str, &str)], body: impl FnOnce(&Library)) {
    if let Ok(path) = std::env::var(LIBRARY) {
        let library = Library::load(Some(Path::new(&path))).expect("the substitute has all functions");
        return body(&library);
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/verbs.c");
    let name = format!("verbs-{}", test.replace(':', "-"));
    let Some(path) = compile(test, &source, &name, &["-O1", "-shared", "-fPIC"]) else { return };
    let this = std::env::current_exe().expect("the test has a path");
    let mut command = Command::new(this);
    command.args([test, "--exact", "--nocapture"]).env(LIBRARY, &path).envs(environment.iter().copied());
    let output = command.output().expect("the test runs");
    let _ = fs::remove_file(&path);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
