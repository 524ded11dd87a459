//! A daemon as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longest time for anything that a test waits for, on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A running daemon; it is killed on drop.
pub(crate) struct Daemon {
    child: Child,
    lines: Receiver<String>,
    stdin: Option<ChildStdin>,
    /// Its address of health, if the test has read it.
    pub(crate) health: String,
}

impl Daemon {
    /// Starts `harrier` with these arguments.
    pub(crate) fn start<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Daemon {
        Daemon::start_with(args, Stdio::inherit(), &[])
    }

    /// Starts `harrier` with its log in a file.
    pub(crate) fn start_with_log<S: AsRef<std::ffi::OsStr>>(args: &[S], log: std::fs::File) -> Daemon {
        Daemon::start_with(args, log.into(), &[])
    }

    /// As [`Daemon::start_with_log`], with more variables in its environment.
    pub(crate) fn start_with_log_and_variables<S: AsRef<std::ffi::OsStr>>(
        args: &[S],
        log: std::fs::File,
        variables: &[(&str, &str)],
    ) -> Daemon {
        Daemon::start_with(args, log.into(), variables)
    }

    /// Starts `harrier` with more variables in its environment.
    pub(crate) fn start_with_variables<S: AsRef<std::ffi::OsStr>>(
        args: &[S],
        variables: &[(&str, &str)],
    ) -> Daemon {
        Daemon::start_with(args, Stdio::inherit(), variables)
    }

    fn start_with<S: AsRef<std::ffi::OsStr>>(args: &[S], log: Stdio, variables: &[(&str, &str)]) -> Daemon {
        let mut child = Command::new(env!("CARGO_BIN_EXE_harrier"))
            .args(args)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the binary was built");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Daemon { child, lines, stdin, health: String::new() }
    }

    /// Waits for a line of the standard output that starts with `start`, and returns the rest of it.
    pub(crate) fn line(&self, start: &str) -> String {
        let until = Instant::now() + DEADLINE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line =
                self.lines.recv_timeout(left).unwrap_or_else(|error| panic!("no line `{start}`: {error}"));
            if let Some(rest) = line.strip_prefix(start) {
                return rest.trim().to_string();
            }
        }
    }

    /// Writes a line to the standard input.
    pub(crate) fn write(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().expect("piped"), "{line}").expect("the daemon reads");
    }

    /// Kills the process at once, as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("a child");
    }

    /// Returns the id of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        let pid = nix::unistd::Pid::from_raw(self.child.id() as i32);
        nix::sys::signal::kill(pid, signal).expect("it runs");
    }

    /// Sends SIGTERM and returns the exit status.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        self.signal(nix::sys::signal::Signal::SIGTERM);
        let mut status = None;
        wait_until("the process ends", || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        status.and_then(|status| status.code())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a condition holds.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < until, "after {} s: not true that {what}", DEADLINE.as_secs());
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Sends a request to `address` over HTTP/1.1 and returns status and body.
pub(crate) fn request(address: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    request_as("", address, method, path, body)
}

/// As [`request`], with a token if it is not empty.
pub(crate) fn request_as(token: &str, address: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let authorization = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let Ok(mut stream) = TcpStream::connect(address) else { return (0, String::new()) };
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{authorization}Content-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    let mut response = String::new();
    let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.read_to_string(&mut response));
    if sent.is_err() {
        return (0, String::new());
    }
    let status = response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_string())
}

/// Sends a text to `address` and returns what the server answers until it closes the connection.
pub(crate) fn raw(address: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut answer = String::new();
    stream.write_all(text.as_bytes()).and_then(|()| stream.read_to_string(&mut answer)).unwrap();
    answer
}

/// Returns the body of a GET request.
pub(crate) fn get(address: &str, path: &str) -> String {
    request(address, "GET", path, "").1
}

/// Returns the JSON in the body of a GET request.
pub(crate) fn json(address: &str, path: &str) -> Value {
    let body = get(address, path);
    let text = match (body.find('{'), body.rfind('}')) {
        (Some(from), Some(to)) => &body[from..=to],
        _ => "null",
    };
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// Returns the value of a metric, the sum over its labels.
pub(crate) fn metric(address: &str, name: &str) -> i64 {
    let text = get(address, "/metrics");
    let of_name = text.lines().filter(|line| line.split(['{', ' ']).next() == Some(name));
    of_name.filter_map(|line| line.rsplit(' ').next()?.parse::<i64>().ok()).sum()
}

/// Returns the time of the last line of a log with a text: seconds since midnight UTC.
pub(crate) fn last_logged_at(log: &str, text: &str) -> Option<f64> {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let line = log.lines().rfind(|line| line.contains(text))?;
    // 2026-11-23T12:00:00.123456Z  INFO ...
    let (_, time) = line.split_once('T')?;
    let (time, _) = time.split_once('Z')?;
    let mut parts = time.split(':').map(|part| part.parse::<f64>().ok());
    Some(parts.next()?? * 3600.0 + parts.next()?? * 60.0 + parts.next()??)
}

/// Returns the time in seconds since midnight UTC.
pub(crate) fn now_s() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    since.as_secs_f64() % 86_400.0
}
