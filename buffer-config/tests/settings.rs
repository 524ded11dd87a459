//! The configuration file harrier.toml.

use buffer_config::finding::{Finding, Severity};
use buffer_config::rules::{self, Options};
use buffer_config::settings::{Settings, matches};
use buffer_config::source::SourceText;

const TEXT: &str = r#"{"BUFFER_POOL": {"p": {"type": "in", "mode": "off", "size": "1"}}}"#;

/// The findings of a file as code and severity, after settings were applied.
#[track_caller]
fn check(settings: &str, file: &str, expected: &[(&str, Severity)]) {
    let settings = Settings::parse(settings).expect("valid settings");
    let source = SourceText { name: file, text: TEXT };
    let mut findings: Vec<Finding> = rules::check_file(source, None, &Options::default()).findings;
    findings.retain(|f| f.code.starts_with("BUF00") && settings.selection.wants(f.code, f.rule));
    settings.apply(&mut findings, str::to_string);
    let found: Vec<(&str, Severity)> = findings.iter().map(|f| (f.code, f.severity)).collect();
    assert_eq!(found, expected);
}

#[test]
fn rules_and_severities_are_set_for_all_and_for_some_paths() {
    use Severity::{Error, Info, Warning};
    check("", "a.json", &[("BUF001", Error), ("BUF002", Error)]);
    check("[check]\nignore = [\"BUF001\"]", "a.json", &[("BUF002", Error)]);
    check("[check]\nselect = [\"pool-type\"]", "a.json", &[("BUF001", Error)]);
    check(
        "[check.severity]\nBUF = \"info\"\npool-mode = \"warning\"",
        "a.json",
        &[("BUF001", Info), ("BUF002", Warning)],
    );
    // A prefix is the highest severity, and raises none; a code or name sets it.
    check("[check.severity]\nBUF = \"warning\"", "b.json", &[("BUF001", Warning), ("BUF002", Warning)]);
    check(
        "[check.severity]\nBUF = \"error\"\nBUF00 = \"info\"\nBUF001 = \"error\"",
        "a.json",
        &[("BUF001", Error), ("BUF002", Info)],
    );
    let of_paths = "[check]\nseverity.BUF = \"warning\"\n[[check.paths]]\npath = \"lab/\"\nignore = [\"BUF002\"]\n\
        [[check.paths]]\npath = \"*.new.json\"\nseverity.BUF001 = \"info\"";
    check(of_paths, "a.json", &[("BUF001", Warning), ("BUF002", Warning)]);
    check(of_paths, "lab/x/a.json", &[("BUF001", Warning)]);
    check(of_paths, "lab/x/a.new.json", &[("BUF001", Info)]);
}

#[test]
fn all_problems_are_reported_with_their_positions() {
    let text = "[check]\nselect = [\"BUF\", \"NO1\"]\nignore = [\"NO2\"]\nseverity_threshold = \"bad\"\n\
        asic = \"none\"\nexclude = [\"\"]\n[check.severity]\nNO3 = \"off\"\n";
    let problems = Settings::parse(text).expect_err("problems");
    let has = |start: &str, part: &str| problems.iter().any(|p| p.starts_with(start) && p.contains(part));
    for (start, part) in [
        ("2:18: ", "`NO1`"),
        ("3:11: ", "`NO2`"),
        ("4:22: ", "`bad`"),
        ("5:8: ", "`none`"),
        ("6:12: ", "empty pattern"),
        ("8:7: ", "`NO3`"),
        ("8:7: ", "`off`"),
    ] {
        assert!(has(start, part), "{start}{part}: {problems:#?}");
    }
    assert_eq!(problems.len(), 7, "{problems:#?}");
    let several = "[check]\nignored = []\nnotes = \"yes\"\nselect = [\"NO1\"]\n[check.severity]\nNO2 = 3\n[[check.paths]]\n\
        path = \"a\"\nignores = []\n[checks]\n";
    let problems = Settings::parse(several).expect_err("problems");
    for (start, part) in [
        ("2:1: ", "`ignored`"),
        ("3:9: ", "boolean"),
        ("4:11: ", "`NO1`"),
        ("6:7: ", "string"),
        ("9:1: ", "`ignores`"),
        ("10:2: ", "`checks`"),
    ] {
        let has = problems.iter().any(|p| p.starts_with(start) && p.contains(part));
        assert!(has, "{start}{part}: {problems:#?}");
    }
    assert_eq!(problems.len(), 6, "{problems:#?}");
    let unknown = Settings::parse("[check]\nignored = []\n").expect_err("an unknown key");
    assert!(unknown[0].starts_with("2:1: ") && unknown[0].contains("ignored"), "{unknown:?}");
}

#[test]
fn patterns_match_files_and_folders() {
    for (pattern, path, expected) in [
        ("lab", "lab/a.json", true),
        ("lab/", "sites/lab/b/a.json", true),
        ("/lab", "sites/lab/a.json", false),
        ("/lab", "lab/a.json", true),
        ("lab/**", "lab/b/a.json", true),
        ("*.example.json", "a/b.example.json", true),
        ("*.example.json", "a/b.json", false),
        ("tor-*", "x/tor-1/config_db.json", true),
        ("tor", "x/tor-1/config_db.json", false),
        ("./lab", "./lab/a.json", true),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}
