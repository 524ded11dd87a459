//! Completion: the generated scripts in bash, zsh and fish, with names from a server.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of a client opens a socket")]

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::support::harrier;

const TOPOLOGY: &str = r#"{"nodes":[{"name":"h1","kind":"host"},{"name":"h12","kind":"host"},{"name":"sw1","kind":"switch"}],
    "links":[{"a":"sw1:1","b":"h1:1"},{"a":"sw1:2","b":"h12:1"}]}"#;
const INCIDENTS: &str = r#"{"incidents":[{"victims":["10.0.0.1:10000>10.0.3.1:4791/udp"],
    "root_cause":{"flows":["10.0.0.2:10000>10.0.3.1:4791/udp"]}}]}"#;

/// Starts a server that answers the two lists until the test ends, and returns its URL.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let reader = BufReader::new(stream.try_clone().expect("a descriptor"));
            let head: Vec<String> =
                reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let is_topology = head.first().is_some_and(|line| line.contains("/topology"));
            let body = if is_topology { TOPOLOGY } else { INCIDENTS };
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    url
}

/// The search path with the tested program first.
fn path() -> OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_harrier")).parent().expect("a file is in a folder").to_owned();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&rest)))
        .expect("folders without colons")
}

/// Runs a program in a shell, and compares the lines that it prints.
#[track_caller]
fn check_shell(shell: &[&str], arguments: &[&str], server: &str, expected: &[&str]) {
    let output = Command::new(shell[0])
        .args(&shell[1..])
        .args(arguments)
        .env("PATH", path())
        .env("HARRIER_SERVER", server)
        // On a busy machine the server of the test may need longer than a person would wait.
        .env("HARRIER_COMPLETION_MS", "60000")
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; `make setup` installs it", shell[0]));
    let offered = String::from_utf8(output.stdout).expect("text");
    let offered: Vec<&str> = offered.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(offered, expected, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Types a line, and compares what bash would offer at its end. `last` is what bash takes for the last word.
#[track_caller]
fn check(server: &str, line: &str, last: &str, expected: &[&str]) {
    let program = r#"source <(harrier completions bash); COMP_LINE=$1; COMP_POINT=${#1}; read -ra COMP_WORDS <<<"$1"
        [[ $1 == *' ' ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _harrier_with_names harrier "$2" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\n' "${COMPREPLY[@]}""#;
    check_shell(&["bash", "--norc", "-c", program, "bash"], &[line, last], server, expected);
}

/// Types words, and compares what zsh would choose from for the last one.
#[track_caller]
fn check_zsh(server: &str, words: &[&str], expected: &[&str]) {
    let program = r#"autoload -Uz compinit; compinit -u -D; source <(harrier completions zsh)
        [[ $_comps[harrier] == _harrier ]] || exit 1
        compadd() { shift; print -rl -- "$@" }; _harrier_options() { print options }
        words=("$@") CURRENT=$#; _harrier"#;
    check_shell(&["zsh", "-f", "-c", program, "zsh"], words, server, expected);
}

/// Types a line, and compares what fish would offer at its end.
#[track_caller]
fn check_fish(server: &str, line: &str, expected: &[&str]) {
    let program = "harrier completions fish | source; complete -C $argv[1] | string split -f 1 \\t";
    check_shell(&["fish", "--no-config", "-c", program], &[line], server, expected);
}

#[test]
fn bash_completes_names_from_the_server() {
    let server = server();
    let flows = ["'10.0.0.1:10000>10.0.3.1:4791/udp'", "'10.0.0.2:10000>10.0.3.1:4791/udp'"];
    check(&server, "harrier ask ", "", &flows);
    check(&server, "harrier ask '10.0.0.2", "10.0.0.2", &["10.0.0.2:10000>10.0.3.1:4791/udp"]);
    check(&server, "harrier ask 10.0.0.2:1", "1", &["10000\\>10.0.3.1:4791/udp"]);
    check(&server, "harrier ask 10.0.0.2:10000\\>10", "10", &["10.0.3.1:4791/udp"]);
    check(&server, "harrier incidents --open --host h1", "h1", &["h1", "h12"]);
    check(&server, "harrier incidents --port sw1:", "", &["1", "2"]);
    let given = format!("harrier ask --server {server} --json 10.0.0.2");
    check("http://127.0.0.1:1", &given, "10.0.0.2", &["10.0.0.2:10000\\>10.0.3.1:4791/udp"]);
}

#[test]
fn zsh_completes_names_from_the_server() {
    let server = server();
    let flows = ["10.0.0.1:10000>10.0.3.1:4791/udp", "10.0.0.2:10000>10.0.3.1:4791/udp"];
    check_zsh(&server, &["harrier", "ask", ""], &flows);
    check_zsh(&server, &["harrier", "incidents", "--open", "--host", "h1"], &["h1", "h12"]);
    check_zsh(&server, &["harrier", "incidents", "--port", ""], &["sw1:1", "sw1:2"]);
    check_zsh("http://127.0.0.1:1", &["harrier", "ask", "--server", &server, "--json", ""], &flows);
    check_zsh("http://127.0.0.1:1", &["harrier", "ask", ""], &[]);
    check_zsh(&server, &["harrier", "incidents", "--wa"], &["options"]);
    check_zsh(&server, &["harrier", "ask", "--server", ""], &["options"]);
}

#[test]
fn fish_completes_names_from_the_server() {
    let server = server();
    let flows = ["10.0.0.1:10000>10.0.3.1:4791/udp", "10.0.0.2:10000>10.0.3.1:4791/udp"];
    check_fish(&server, "harrier ask ", &flows);
    check_fish(&server, "harrier incidents --open --host h1", &["h1", "h12"]);
    check_fish(&server, "harrier incidents --port ", &["sw1:1", "sw1:2"]);
    check_fish("http://127.0.0.1:1", &format!("harrier ask --server {server} --json "), &flows);
    check_fish("http://127.0.0.1:1", "harrier ask ", &[]);
    check_fish(&server, "harrier incidents --wa", &["--watch"]);
}

#[test]
fn options_are_still_completed() {
    check("http://127.0.0.1:1", "harrier incidents --wa", "--wa", &["--watch"]);
    check("http://127.0.0.1:1", "harrier incid", "incid", &["incidents"]);
}

#[test]
fn without_a_server_nothing_is_offered_and_nothing_is_said() {
    check("http://127.0.0.1:1", "harrier ask ", "", &[]);
    check("no URL of a server", "harrier incidents --host ", "", &[]);
    let ran = harrier(&["complete", "hosts", "--server", "http://127.0.0.1:1"]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    // A server that accepts connections and answers nothing: the time limit ends the command.
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mute = format!("http://{}", mute.local_addr().expect("bound"));
    let ran = harrier(&["complete", "flows", "--server", &mute]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}
