//! `harrier check` as a linter of a repository: harrier.toml, baselines, inputs that cannot be read, fixes in place.

#![allow(clippy::disallowed_methods, reason = "tests run the binary and read and write files")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Ran, scratch};

const GOOD: &str = "{\"BUFFER_POOL\": {\"ingress_lossless_pool\": {\"type\": \"ingress\", \"mode\": \"dynamic\", \"size\": \"1000000\"}}}\n";
const BAD: &str = "{\"BUFFER_POOL\": {\"ingress_lossless_pool\": {\"type\": \"in\", \"mode\": \"dynamic\", \"size\": \"1000000\"}}}\n";

/// A rule that reports a note for the good file, which names no platform.
const NOTE: &str = "BUF050";

/// Creates a repository with these files.
fn repository(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch(&format!("linter-{name}"));
    fs::create_dir(folder.join(".git")).expect("a folder");
    for (file, text) in files {
        write(&folder.join(file), text.as_bytes());
    }
    folder
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("a file");
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harrier"));
    command.arg("check").args(arguments).current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let output = command(folder, arguments).stdin(Stdio::null()).output().expect("harrier runs");
    Ran {
        status: output.status.code().expect("not killed"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Runs the command and checks its exit status, and that the outputs contain a text; `!` in front of it: not.
#[track_caller]
fn check(folder: &Path, arguments: &[&str], status: i32, texts: &[&str]) -> Ran {
    let ran = run(folder, arguments);
    assert_eq!(ran.status, status, "{arguments:?}: {ran:#?}");
    let all = format!("{}{}", ran.stdout, ran.stderr);
    for text in texts {
        let (wanted, text) = text.strip_prefix('!').map_or((true, *text), |text| (false, text));
        assert_eq!(all.contains(text), wanted, "{arguments:?} `{text}`: {ran:#?}");
    }
    ran
}

#[test]
fn settings_are_found_upwards_and_arguments_take_precedence() {
    let settings = "[check]\nignore = [\"BUF001\"]\nexclude = [\"lab/\"]\n";
    let here = repository(
        "settings",
        &[("harrier.toml", settings), ("switches/tor/config_db.json", BAD), ("lab/x/config_db.json", BAD)],
    );
    check(&here, &["."], 0, &["1 file: 0 errors"]);
    check(&here.join("switches"), &["tor/config_db.json"], 0, &["!BUF001"]);
    check(&here, &["lab/x/config_db.json", "--no-config"], 1, &["BUF001"]);
    check(&here, &[".", "--no-config"], 1, &["2 files: 2 errors"]);
    check(&here, &[".", "--no-config", "--exclude", "lab,switches"], 2, &["not excluded"]);
    check(&here, &[".", "--no-config", "--exit-zero"], 0, &["2 files: 2 errors"]);
    check(&here, &["none.json", "--exit-zero"], 2, &["none.json: cannot be read"]);
    let severity =
        "[check]\nseverity.BUF001 = \"warning\"\n[[check.paths]]\npath = \"lab/\"\nseverity.BUF = \"info\"\n";
    write(&here.join("other.toml"), severity.as_bytes());
    check(
        &here,
        &[".", "--config", "other.toml"],
        0,
        &["2 files: 0 errors, 1 warning, 1 note", "warning[BUF001]"],
    );
    check(&here, &[".", "--config", "other.toml", "--severity-threshold", "warning"], 1, &[]);
    write(&here.join("harrier.toml"), b"[check]\nignore = [\"NO1\"]\nselects = []\n");
    check(&here, &["."], 2, &["harrier.toml:3:1: unknown field `selects`"]);
    write(&here.join("harrier.toml"), b"[check]\nignore = [\"NO1\"]\nselect = [\"NO2\"]\n");
    check(
        &here,
        &["."],
        2,
        &["harrier.toml:2:11: no rule matches `NO1`", "harrier.toml:3:11: no rule matches `NO2`"],
    );
}

#[test]
fn notes_are_shown_on_request() {
    // A template without a platform: what cannot be proved is a note.
    let here = repository("notes", &[("config_db.json", GOOD)]);
    check(&here, &["."], 0, &["1 note (shown with --notes)", "!info["]);
    for option in ["--notes", "--notes=always", "--severity-threshold=info"] {
        let ran = run(&here, &["config_db.json", option]);
        assert!(ran.stdout.contains(&format!("info[{NOTE}]")), "{option}: {ran:#?}");
    }
    check(&here, &["config_db.json", "--select", NOTE], 0, &[&format!("info[{NOTE}]")]);
    check(&here, &["config_db.json", "--select", NOTE, "--notes=never"], 0, &["!info["]);
    // Data for programs is complete.
    let json = run(&here, &["config_db.json", "--format", "json"]).json();
    assert!(
        json["findings"].as_array().is_some_and(|all| all.iter().any(|f| f["severity"] == "info")),
        "{json}"
    );
    check(&here, &["config_db.json", "--format", "github"], 0, &["!::notice"]);
}

#[test]
fn a_check_of_nothing_fails_and_says_why() {
    let here =
        repository("nothing", &[("site/package.json", "{\"name\": \"network\"}"), ("empty/README", "text")]);
    check(&here, &["site"], 2, &["nothing was checked", "skipped 1 file"]);
    check(&here, &["site", "--exit-zero"], 2, &["nothing was checked"]);
    check(&here, &["empty"], 2, &["the folder has no *.json or *.ini file"]);
    check(&here, &["configs/*.json"], 2, &["matches no file"]);
    check(
        &here,
        &["https://switch/config_db.json"],
        2,
        &["neither a file nor the address of a live switch", "redis://"],
    );
    check(&here, &[], 2, &["nothing to check", "--help"]);
}

#[test]
fn concise_reports_have_the_command_that_explains_a_rule_on_standard_error() {
    let here = repository("hint", &[("config_db.json", BAD)]);
    let ran = run(&here, &["config_db.json", "--format", "concise"]);
    assert!(ran.stderr.contains("harrier check --explain CODE prints the page of a rule"), "{ran:#?}");
    assert!(!ran.stdout.contains("--explain"), "{ran:#?}");
}

#[test]
fn the_files_of_the_linter_and_of_other_tools_are_no_configurations() {
    let package = "{\"name\": \"network\", \"version\": \"1.0.0\"}";
    let suppressions = "[[suppress]]\ncode = \"BUF001\"\nfile = \"tor-2/*\"\nreason = \"known\"\n";
    let here = repository(
        "own",
        &[
            ("tor-1/config_db.json", BAD),
            ("tor-2/config_db.json", BAD),
            ("package.json", package),
            ("tox.ini", "[tox]\nenvlist = py\n"),
            (".cache/x.json", "{"),
            ("node_modules/a/package.json", "{"),
            ("harrier-suppressions.toml", suppressions),
        ],
    );
    let baseline = here.join("harrier-baseline.json");
    check(&here, &[".", "--write-baseline", "harrier-baseline.json"], 0, &["1 suppressed"]);
    // The second time the known finding is written again.
    check(&here, &[".", "--write-baseline", "harrier-baseline.json"], 0, &["1 error"]);
    let text = fs::read_to_string(&baseline).expect("it was written");
    assert!(text.contains("\"file\":\"tor-1/config_db.json\",\"code\":\"BUF001\""), "{text}");
    check(
        &here,
        &["."],
        0,
        &["2 files: 0 errors", "skipped 2 files that are no switch configuration", "harrier-baseline.json"],
    );
    let summary = run(&here, &[".", "--format", "json"]).json()["summary"].clone();
    assert_eq!(summary["skipped"], serde_json::json!(["harrier-baseline.json", "package.json"]));
    // A report of this run is no input of it, and one of another run is skipped.
    for _ in 0..2 {
        check(&here, &[".", "--format", "json", "--output", "report.json"], 0, &["2 files: 0 errors"]);
    }
    check(&here, &["."], 0, &["skipped 3 files"]);
    // From another working directory, with another path.
    check(&here.join("tor-1"), &["config_db.json"], 0, &["suppressed"]);
    check(&here.join("tor-1"), &["..", "--baseline", "../harrier-baseline.json"], 0, &["2 files: 0 errors"]);
    let elsewhere = repository("elsewhere", &[]);
    check(&elsewhere, &[here.to_str().expect("text")], 0, &["2 files: 0 errors"]);
    // Another defect is new, and what was repaired is named.
    write(
        &here.join("tor-1/config_db.json"),
        BAD.replace("dynamic", "off").replace("\"in\"", "\"ingress\"").as_bytes(),
    );
    check(
        &here,
        &["."],
        1,
        &["BUF002", "!error[BUF001]", "tor-1/config_db.json BUF001 /BUFFER_POOL/ingress_lossless_pool/type"],
    );
}

#[test]
fn what_cannot_be_read_is_in_every_report_and_is_not_judged() {
    let here = repository(
        "unread",
        &[("good.json", GOOD), ("cut.json", &BAD[..60]), ("empty.json", ""), ("none.json", "{}")],
    );
    write(&here.join("utf16.json"), &GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let with_mark: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(GOOD.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    write(&here.join("marked.json"), &with_mark);
    write(&here.join("yaml.json"), b"PORT:\n  Ethernet0:\n    speed: 1\n");
    write(&here.join("packed.json"), &[0x1f, 0x8b, 8, 0]);
    write(&here.join("large.json"), format!("{GOOD}{}", " ".repeat(1 << 20)).as_bytes());
    let fifo = here.join("fifo.json");
    assert!(Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()));
    let expected = [
        ("cut.json", "never closed: the text is truncated"),
        ("empty.json", "the text is empty"),
        ("none.json", "has no table"),
        ("utf16.json", "UTF-16"),
        ("marked.json", "UTF-16"),
        ("yaml.json", "neither JSON nor"),
        ("packed.json", "gzip"),
        ("large.json", "larger than 1 MiB (--max-file-mib)"),
        ("fifo.json", "is a FIFO"),
    ];
    for (file, reason) in expected {
        check(&here, &[file, "--max-file-mib", "1"], 2, &[reason, "!BUF001"]);
    }
    for device in ["/dev/zero", "/dev/null"] {
        check(&here, &[device], 2, &["is a device, not a regular file"]);
    }
    for format in ["full", "concise", "json", "sarif", "junit", "github", "gitlab"] {
        let ran = check(
            &here,
            &[".", "--max-file-mib", "1", "--format", format],
            2,
            &["1 file: 0 errors", "9 not read"],
        );
        for (file, _) in expected {
            assert!(ran.stdout.contains(file), "{format} {file}: {}", ran.stdout);
        }
    }
    let sarif = run(&here, &["absent.json", "--format", "sarif"]).json();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    // Modes that need the whole text do not judge a part of it either.
    check(&here, &["--prove", "cut.json"], 2, &["truncated"]);
    check(&here, &["--diff", "good.json", "cut.json"], 2, &["cut.json:1:"]);
}

#[test]
fn standard_input_has_a_limit() {
    let here = repository("stdin", &[]);
    let mut child = command(&here, &["-", "--max-file-mib", "1"])
        .stdin(fs::File::open("/dev/zero").expect("a device"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("harrier runs");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn files_are_repaired_in_place() {
    let text = "{\n  \"BUFFER_POOL\": {\n    \"p\": {\"type\": \"ingress\",  \"mode\": \"dynamic\", \"size\": \" 1000000\"}\n  },\n  \"SCHEDULER\": {\"s\": {\"wieght\": \"3\", \"type\": \"DWRR\"}}\n}\n";
    let here = repository(
        "fix",
        &[("a/config_db.json", text), ("b/config_db.json", GOOD), ("cut.json", &text[..50])],
    );
    let script = here.join("a/config_db.json");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o640)).expect("the file is ours");
    std::os::unix::fs::symlink("a/config_db.json", here.join("link.json")).expect("a link");
    check(
        &here,
        &["link.json", "a/config_db.json", "b/config_db.json", "--fix"],
        0,
        &["fixed 2 findings: SRC004, SRC005"],
    );
    let fixed = fs::read_to_string(&script).expect("a file");
    let expected = text
        .replace("\" 1000000\"", "\"1000000\"")
        .replace("\"wieght\": \"3\", \"type\": \"DWRR\"", "\"type\": \"DWRR\", \"weight\": \"3\"");
    assert_eq!(fixed, expected);
    let mode = fs::metadata(&script).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(fs::symlink_metadata(here.join("link.json")).expect("a link").is_symlink());
    assert_eq!(fs::read_to_string(here.join("b/config_db.json")).expect("a file"), GOOD);
    assert_eq!(fs::read_dir(here.join("a")).expect("a folder").count(), 1, "no temporary file is left");
    // What is not judged is not changed, and accepted findings are left alone.
    check(&here, &["cut.json", "--fix"], 2, &["truncated"]);
    write(&script, text.as_bytes());
    check(&here, &["a", "--fix", "--ignore", "SRC"], 0, &["!fixed"]);
    check(&here, &["-", "--fix"], 2, &["--fix-patch"]);
}

#[test]
fn running_configurations_are_repaired_in_place() {
    let text = "hostname leaf1\r\nqos map dscp 26 to traffic-class 3\r\n!\r\ninterface Ethernet1/1\r\n   \
        priority-flow-control on\r\n   priority-flow-control priority 3 no-drop\r\n   flowcontrol send on\r\n!\r\nend\r\n";
    let yaml = "- set:\n    interface:\n      swp1:\n        qos:\n          pfc:\n            profile: P\n    qos:\n      \
        pfc:\n        P:\n          switch-priority:\n            '3': {}\n";
    let here = repository("fix-device", &[("leaf1.cfg", text), ("spine1.yaml", yaml)]);
    check(&here, &["leaf1.cfg"], 1, &["error[PFC017]"]);
    // The commands alone, without a change of the file.
    check(&here, &["leaf1.cfg", "--fix-patch", "commands.txt", "--select", "PFC017"], 1, &["error[PFC017]"]);
    let commands = fs::read_to_string(here.join("commands.txt")).expect("a file");
    assert_eq!(commands, "interface Ethernet1/1\n   flowcontrol receive off\n   flowcontrol send off\n");
    assert_eq!(fs::read_to_string(here.join("leaf1.cfg")).expect("a file"), text);
    check(
        &here,
        &["leaf1.cfg", "--fix", "--ignore", "ECN,WD"],
        0,
        &["fixed 1 finding: PFC017", "!error[PFC017]"],
    );
    let fixed = fs::read_to_string(here.join("leaf1.cfg")).expect("a file");
    assert_eq!(fixed, text.replace("end\r\n", &(commands.replace('\n', "\r\n") + "end\r\n")));
    check(&here, &["leaf1.cfg", "--fix"], 0, &["fixed 2 findings: ECN007, WD013", ": 0 errors, 0 warnings"]);
    check(&here, &["spine1.yaml", "--fix"], 1, &["PFC002 is not fixed: commands cannot be added to YAML"]);
    assert_eq!(fs::read_to_string(here.join("spine1.yaml")).expect("a file"), yaml);
}

#[test]
fn a_changed_file_is_checked_again() {
    let here = repository("watch", &[("config_db.json", GOOD)]);
    let mut child = command(&here, &[".", "--watch", "--format", "concise"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("harrier runs");
    let mut lines =
        BufReader::new(child.stderr.take().expect("a pipe")).lines().map(|line| line.expect("text"));
    let mut until = |wanted: &str| lines.by_ref().any(|line| line.contains(wanted));
    assert!(until("1 file: 0 errors") && until("watching"));
    write(&here.join("config_db.json"), BAD.as_bytes());
    assert!(until("1 file: 1 error"));
    assert!(until("watching"));
    write(&here.join("tor/config_db.json"), BAD.as_bytes());
    assert!(until("2 files: 2 errors"));
    assert!(until("watching"));
    write(&here.join("harrier.toml"), b"[check]\nignore = [\"BUF001\"]\n");
    assert!(until("2 files: 0 errors"));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn rules_are_listed_as_json() {
    let here = repository("rules", &[]);
    let rules = run(&here, &["--list-rules", "--format", "json"]).json();
    let all = rules.as_array().expect("a list");
    let one = all.iter().find(|rule| rule["code"] == "BUF001").expect("BUF001");
    assert_eq!((&one["name"], &one["severity"]), (&"pool-type".into(), &"error".into()));
    assert!(all.iter().all(|rule| {
        ["summary", "why", "fix", "source"]
            .iter()
            .all(|key| rule[key].as_str().is_some_and(|text| !text.is_empty()))
    }));
}

#[test]
fn passwords_of_live_switches_are_not_printed() {
    let here = repository("secrets", &[]);
    for address in [
        "redis://:s3cret@127.0.0.1:1/4",
        "rediss://user:s3cret@127.0.0.1:1/4",
        "redis://:s3cret/x@127.0.0.1:1/4",
        "redis://s3cret@127.0.0.1:1",
        "unix:///none/redis.sock?db=4&pass=s3cret",
        "redis://:s3cret@[bad",
    ] {
        for format in ["full", "json", "sarif", "junit", "github", "gitlab"] {
            check(&here, &[address, "--format", format], 2, &["!s3cret", "***"]);
        }
        check(&here, &["--diff", address, address], 2, &["!s3cret"]);
        check(&here, &[address, "--prove"], 2, &["!s3cret"]);
        check(&here, &[address, "--fix"], 2, &["!s3cret"]);
        check(&here, &[address, "--watch"], 2, &["!s3cret"]);
    }
    let line =
        "{\"TACPLUS\": {\"global\": {\"passkey\": \"s3cret\"}}, \"BUFFER_POOL\": {\"p\": {\"type\": \"x\"}}}";
    write(&here.join("a.json"), line.as_bytes());
    check(&here, &["a.json"], 1, &["!s3cret", "\"passkey\": \"******\""]);
}
