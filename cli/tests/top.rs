//! `harrier top` in a terminal: it draws, and leaves the terminal as it was.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test of a terminal runs the binary in one"
)]

use std::fs::File;
use std::io::{Read, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use crate::support::harrier;
use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;

const ALTERNATE_SCREEN: &str = "\u{1b}[?1049h";
const NORMAL_SCREEN: &str = "\u{1b}[?1049l";

/// Runs `harrier top` in a terminal of 80x24 on a server that is away; when it has drawn, `end` ends it. The terminal must
/// be as before then.
#[track_caller]
fn check(end: impl FnOnce(&mut File, &Child)) {
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    let OpenptyResult { master, slave } = openpty(&size, None).expect("a terminal");
    let before = tcgetattr(&slave).expect("a terminal has settings");
    // A port that answers nothing: the test keeps it.
    let away = TcpListener::bind("127.0.0.1:0").expect("a port");
    let server = format!("http://{}", away.local_addr().expect("bound"));
    let end_of = || Stdio::from(slave.try_clone().expect("a descriptor"));
    let mut top = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(["top", "--server", &server])
        .env("TERM", "xterm-256color")
        .stdin(end_of())
        .stdout(end_of())
        .stderr(end_of())
        .spawn()
        .expect("the binary was built");
    let mut master = File::from(master);
    let mut shown = read_until(&mut master, "No answer from the server yet");
    assert!(shown.contains(ALTERNATE_SCREEN), "{shown:?}");
    let during = tcgetattr(&slave).expect("a terminal has settings");
    assert!(!during.local_flags.contains(LocalFlags::ECHO), "keys are echoed");

    end(&mut master, &top);
    shown.push_str(&read_until(&mut master, NORMAL_SCREEN));
    assert_eq!(top.wait().expect("it ends").code(), Some(0), "{shown:?}");
    let after = tcgetattr(&slave).expect("a terminal has settings");
    assert_eq!((after.local_flags, after.input_flags), (before.local_flags, before.input_flags));
}

/// Reads what the terminal shows until it contains `text`. Cells that are blank may be skipped with the cursor, so the
/// text is searched without what moves it.
fn read_until(terminal: &mut File, text: &str) -> String {
    let mut shown = String::new();
    let mut bytes = [0; 4096];
    while !shown.contains(text) {
        let count = terminal.read(&mut bytes).unwrap_or(0);
        assert!(count > 0, "the terminal ended before {text:?}: {shown:?}");
        shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    shown
}

#[test]
fn the_key_q_ends_and_restores_the_terminal() {
    check(|terminal, _| terminal.write_all(b"q").expect("a key"));
}

#[test]
fn signals_end_and_restore_the_terminal() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        check(|_, top| kill(Pid::from_raw(top.id() as i32), signal).expect("it runs"));
    }
}

#[test]
fn without_a_terminal_it_names_the_command_to_use() {
    let ran = harrier(&["top"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("harrier incidents"), "{}", ran.stderr);
}
