//! The daemons of a lab as processes: started in their namespaces with a log each, found again, stopped.
//!
//! All of them carry the lab's identity in their environment, so that `down` finds those of a lab whose `up` crashed, and
//! never another process: neither one that has got the id of an ended daemon nor one of a lab in a container.

use std::fs::{File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::names::{LabNumber, MARKER};
use super::namespace;
use super::state::{ProcessState, identity};

/// Interval at which a log or a process is examined.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Bytes of a log's end that an error shows.
const SHOWN_LOG_BYTES: usize = 2000;

/// A process to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Daemon {
    /// Its name: daemon and node, `switch-sw1`.
    pub(super) name: String,
    /// Its namespace; absent: that of `up`.
    pub(super) namespace: Option<String>,
    /// Arguments of this program.
    pub(super) arguments: Vec<String>,
    /// How its log says that it is ready.
    pub(super) ready: Ready,
}

/// How the log of a daemon says that it is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Ready {
    /// This line.
    Line(String),
    /// A line that begins with this.
    Prefix(String),
    /// A line that contains this.
    Contains(String),
}

impl Ready {
    fn is_in(&self, log: &str) -> bool {
        log.lines().any(|line| match self {
            Ready::Line(expected) => line == expected,
            Ready::Prefix(expected) => line.starts_with(expected),
            Ready::Contains(expected) => line.contains(expected),
        })
    }
}

/// Starts a process. It does not end with its parent or at an interrupt on the terminal.
pub(super) fn start(number: LabNumber, daemon: &Daemon) -> anyhow::Result<ProcessState> {
    let log = number.directory().join("log").join(format!("{}.log", daemon.name));
    let program = std::env::current_exe().context("cannot find this program")?;
    let log_start = log_length(&log);
    let pid = match &daemon.namespace {
        Some(name) => namespace::enter(name, || spawn(&program, number, daemon, &log)),
        None => spawn(&program, number, daemon, &log),
    };
    Ok(ProcessState {
        name: daemon.name.clone(),
        namespace: daemon.namespace.clone(),
        pid: pid.with_context(|| format!("cannot start {}", daemon.name))?,
        log,
        log_start,
        ready: daemon.ready.clone(),
        arguments: daemon.arguments.clone(),
    })
}

fn spawn(program: &Path, number: LabNumber, daemon: &Daemon, log: &Path) -> anyhow::Result<i32> {
    // A restarted daemon appends; its log begins anew with the lab.
    let log =
        OpenOptions::new().create(true).append(true).open(log).with_context(|| log.display().to_string())?;
    let child = Command::new(program)
        .args(&daemon.arguments)
        .env(MARKER, identity(number)?)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()?;
    Ok(child.id() as i32)
}

/// Waits until a process that this one has started is ready. The process is a child, so that its number is not used again; its
/// environment is empty for a moment after its start, which may take long on a busy machine.
pub(super) fn wait_until_ready(process: &ProcessState, deadline: Instant) -> anyhow::Result<()> {
    loop {
        let is_alive = is_alive(process.pid);
        let text = read_from(&process.log, process.log_start);
        if !is_alive {
            bail!("{} has ended:\n{}", process.name, tail(&text));
        }
        if process.ready.is_in(&text) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            bail!("{} is not ready; its log {}:\n{}", process.name, process.log.display(), tail(&text));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Length of the log of a process that is about to be started.
fn log_length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Whether the process has said that it is ready since it was started.
pub(super) fn has_been_ready(process: &ProcessState) -> bool {
    process.ready.is_in(&read_from(&process.log, process.log_start))
}

fn read_from(path: &Path, from: u64) -> String {
    use std::io::{Read, Seek, SeekFrom};
    let mut bytes = Vec::new();
    if let Ok(mut file) = File::open(path)
        && file.seek(SeekFrom::Start(from)).is_ok()
    {
        // What could be read is searched; the next attempt reads the rest.
        let _ = file.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tail(text: &str) -> &str {
    let start =
        (text.len().saturating_sub(SHOWN_LOG_BYTES)..text.len()).find(|at| text.is_char_boundary(*at));
    text[start.unwrap_or(0)..].trim_end()
}

/// Whether the process runs and belongs to this lab.
pub(super) fn is_running(number: LabNumber, pid: i32) -> bool {
    let Ok(identity) = identity(number) else { return false };
    is_alive(pid) && carries(pid, &identity)
}

/// Whether the process exists and is not a zombie.
fn is_alive(pid: i32) -> bool {
    // The state follows the name, which is in parentheses and may contain any character.
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Whether the environment of a process has the marker with this value. Processes of other users cannot be read, and are
/// not ours.
fn carries(pid: i32, identity: &str) -> bool {
    let expected = format!("{MARKER}={identity}");
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == expected.as_bytes())
}

/// Whether a process has closed its files: it no longer exists, or it is a zombie without other threads. An ending
/// process loses its environment long before its locks.
fn has_ended(pid: i32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    threads == 0 || threads == 1 && !is_alive(pid)
}

/// Waits until a process that received a signal has ended.
pub(super) fn wait_for_end_of(pid: i32, timeout: Duration) -> anyhow::Result<()> {
    let deadline = Instant::now() + timeout;
    while !has_ended(pid) {
        if Instant::now() >= deadline {
            bail!("process {pid} does not end");
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// The processes of this lab.
fn of_lab(number: LabNumber) -> Vec<i32> {
    // Without a directory, no process was started.
    let Ok(identity) = identity(number) else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let own = std::process::id() as i32;
    pids.filter(|pid| *pid != own && is_alive(*pid) && carries(*pid, &identity)).collect()
}

/// Sends a signal to a process of a lab. A process that has ended already is no error.
pub(super) fn signal(pid: i32, signal: Signal) -> anyhow::Result<()> {
    match kill(Pid::from_raw(pid), signal) {
        Ok(()) | Err(nix::errno::Errno::ESRCH) => Ok(()),
        Err(error) => bail!("cannot send {signal} to process {pid}: {error}"),
    }
}

/// Ends all processes of a lab: SIGTERM, and SIGKILL for those that still run after `grace`. Returns their number and
/// that of the killed ones.
pub(super) fn stop_all(number: LabNumber, grace: Duration) -> anyhow::Result<(usize, usize)> {
    let pids = of_lab(number);
    for pid in &pids {
        // A stopped process handles SIGTERM only once it continues.
        signal(*pid, Signal::SIGTERM)?;
        signal(*pid, Signal::SIGCONT)?;
    }
    let left = wait_for_end(number, Instant::now() + grace);
    for pid in &left {
        signal(*pid, Signal::SIGKILL)?;
    }
    let stubborn = wait_for_end(number, Instant::now() + grace);
    if let Some(pid) = stubborn.first() {
        bail!("process {pid} of the lab does not end");
    }
    Ok((pids.len(), left.len()))
}

fn wait_for_end(number: LabNumber, deadline: Instant) -> Vec<i32> {
    loop {
        let left = of_lab(number);
        if left.is_empty() || Instant::now() >= deadline {
            return left;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// The log directory of a lab.
pub(super) fn log_directory(number: LabNumber) -> PathBuf {
    number.directory().join("log")
}
