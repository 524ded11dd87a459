//! Network namespaces and interfaces for tests. A namespace belongs to the thread that entered it, and to the processes
//! that the thread starts; it disappears with them.

#![allow(dead_code, reason = "each suite uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "deadlines")]

use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use model::wire::Frame;
use net::{Options, Port, wait};
use nix::sched::{CloneFlags, unshare};

/// Time within which anything that must happen happens on any machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Moves the thread into a new network namespace. Reports and returns `false` if the machine does not permit it.
pub(crate) fn enter_namespace() -> bool {
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => {
            ip("link set lo up");
            true
        }
        Err(error) => {
            super::support::lab_skipped(format_args!(
                "a network namespace needs root or CAP_SYS_ADMIN: {error}"
            ));
            false
        }
    }
}

/// Runs `ip` in the thread's namespace.
pub(crate) fn ip(args: &str) {
    let output = Command::new("ip").args(args.split_whitespace()).output().expect("iproute2 is installed");
    assert!(output.status.success(), "ip {args}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Creates a veth pair that the kernel itself sends nothing on, and waits until it has a link.
pub(crate) fn veth(left: &str, right: &str, mtu: u32) {
    ip(&format!("link add {left} mtu {mtu} type veth peer name {right} mtu {mtu}"));
    for name in [left, right] {
        ip(&format!("link set {name} addrgenmode none"));
        ip(&format!("link set {name} up"));
    }
    let end = Instant::now() + DEADLINE;
    while ![left, right].iter().all(|name| open(name).is_up()) {
        assert!(Instant::now() < end, "no link between {left} and {right}");
        std::thread::yield_now();
    }
}

/// Opens an interface.
pub(crate) fn open(name: &str) -> Port {
    Port::open(name, &Options::default()).expect("the interface exists")
}

/// Returns all bytes of a frame.
pub(crate) fn bytes(frame: &Frame) -> Vec<u8> {
    let mut bytes = frame.head.to_vec();
    bytes.resize(frame.len() as usize, 0);
    bytes
}

/// Receives frames until `enough` returns true for all so far.
pub(crate) fn receive_until(port: &mut Port, mut enough: impl FnMut(&[Vec<u8>]) -> bool) -> Vec<Vec<u8>> {
    let end = Instant::now() + DEADLINE;
    let (mut frames, mut ready) = (Vec::new(), Vec::new());
    while !enough(&frames) {
        let left = end.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "only {} frames arrived: {frames:02x?}", frames.len());
        wait(&[port.as_fd()], Some(left), &mut ready).expect("the port can be polled");
        port.receive(|frame| frames.push(frame.bytes.to_vec())).expect("the port receives");
    }
    frames
}

/// A running `harrier`; the process is killed on drop.
pub(crate) struct Running {
    process: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Running {
    /// Starts `harrier` in the thread's namespace and waits until it prints a line that contains `ready`.
    pub(crate) fn start(args: &[&str], ready: &str) -> Running {
        let mut process = Command::new(env!("CARGO_BIN_EXE_harrier"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut running = Running { process, lines };
        running.line_with(ready);
        running
    }

    /// Waits for a line of output that contains a text, and returns it.
    pub(crate) fn line_with(&mut self, text: &str) -> String {
        for line in &mut self.lines {
            let line = line.expect("text");
            if line.contains(text) {
                return line;
            }
        }
        let mut errors = String::new();
        let _ = self.process.stderr.take().expect("piped").read_to_string(&mut errors);
        panic!("the process ended without a line with {text:?}:\n{errors}");
    }

    /// Writes a line to its standard input.
    pub(crate) fn write_line(&mut self, line: &str) {
        use std::io::Write;
        writeln!(self.process.stdin.as_mut().expect("piped"), "{line}").expect("the process reads");
    }

    /// Sends SIGTERM and returns the exit status and the error output.
    pub(crate) fn terminate(mut self) -> (Option<i32>, String) {
        let pid = nix::unistd::Pid::from_raw(self.process.id() as i32);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).expect("the process runs");
        let status = self.process.wait().expect("the process ends");
        let mut errors = String::new();
        let _ = self.process.stderr.take().expect("piped").read_to_string(&mut errors);
        (status.code(), errors)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
