//! What packages ship next to the binary: completions, manual pages, configuration; and a switch with a file.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::process::Command;

use crate::support::{harrier, scratch};

/// The script of a shell contains these texts.
fn check_completions(shell: &str, expected: &[&str]) {
    let ran = harrier(&["completions", shell]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{shell}");
    for text in expected {
        assert!(ran.stdout.contains(text), "{shell}: no {text}");
    }
}

#[test]
fn completions_know_commands_and_options() {
    check_completions("bash", &["complete -F _harrier", "--upload-listen", "harrier__subcmd__pki"]);
    check_completions("zsh", &["#compdef harrier", "--upload-listen", "Run the agent of a host"]);
    check_completions("fish", &["complete -c harrier", "upload-listen", "Run the agent of a host"]);
}

#[test]
fn bash_completes_a_command() {
    let script = scratch("completions").join("harrier");
    std::fs::write(&script, harrier(&["completions", "bash"]).stdout).unwrap();
    let completed = format!(
        "source {}; COMP_WORDS=(harrier config e); COMP_CWORD=2; _harrier harrier e config; echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &completed]).output().expect("bash is installed");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "example");
}

#[test]
fn there_is_a_manual_page_of_each_command() {
    let folder = scratch("manual");
    let ran = harrier(&["manual", &folder.display().to_string()]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let mut pages: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    for page in ["harrier.1", "harrier-agent.1", "harrier-config-check.1", "harrier-p4-explain.1"] {
        assert!(pages.iter().any(|name| name == page), "no {page} in {pages:?}");
    }
    assert!(!pages.iter().any(|name| name.contains("openapi") || name.contains("manual")), "{pages:?}");
    let agent = std::fs::read_to_string(folder.join("harrier-agent.1")).unwrap();
    for text in [".TH harrier-agent 1", "HARRIER_AGENT_SPOOL", "\\-\\-threshold\\-percent"] {
        assert!(agent.contains(text), "no {text} in {agent}");
    }
}

#[test]
fn shipped_configuration_keeps_state_apart() {
    let folder = scratch("shipped");
    for (daemon, line) in [
        ("serve", "store = \"/var/lib/x/harrier.db\""),
        ("agent", "spool = \"/var/lib/x/spool\""),
        ("controller", "spool = \"/var/lib/x/spool\""),
    ] {
        let written = harrier(&["config", "example", daemon, "--state", "/var/lib/x/"]).stdout;
        assert!(written.lines().any(|found| found == line), "{daemon}: no {line}");
        let file = folder.join(format!("{daemon}.toml"));
        std::fs::write(&file, written).unwrap();
        let checked = harrier(&["config", "check", "--no-files", &file.display().to_string()]);
        assert_eq!((checked.status, checked.stdout.as_str()), (0, ""), "{daemon}");
    }
}

/// A switch with this file exits with status 2 and this error after the file's name.
fn check_switch(name: &str, text: &str, expected: &str) {
    let file = scratch(name).join("switch.toml");
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let ran = harrier(&["switch", "--config", &file]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{file}:{expected}")), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn mistakes_in_the_file_of_a_switch_have_positions() {
    check_switch("switch-key", "prot = []\n", "1:1: `prot` is not a key of switch; did you mean `port`?");
    check_switch(
        "switch-rate",
        "port = [\"1=eth0@fast\"]\n",
        "1:9: port: `1=eth0@fast`: `fast` is not a rate",
    );
    check_switch("switch-mac", "device_id = 2\nmac = \"x\"\n", "2:7: mac: `x`: expected six bytes");
    check_switch("switch-program", "program = \"nope.p4\"\n", "1:1: program: cannot read ");
    check_switch(
        "switch-open",
        "listen = \"0.0.0.0:9559\"\n",
        "1:1: listen: other machines can reach 0.0.0.0:9559, which needs certificates",
    );
}
