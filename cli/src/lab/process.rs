//! The daemons of a lab as processes: started in their namespaces with a log each, found again, stopped.
//!
//! All of them carry the lab's number in their environment, so that `down` finds those of a lab whose `up` crashed, and
//! never a process of anybody else.

use std::fs::{File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::names::{LabNumber, MARKER};
use super::namespace;
use super::state::ProcessState;

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
    /// Text of the line that it prints when it is ready.
    pub(super) ready: String,
}

/// Starts a process. It does not end with its parent or at an interrupt on the terminal.
pub(super) fn start(number: LabNumber, daemon: &Daemon) -> anyhow::Result<ProcessState> {
    let log = number.directory().join("log").join(format!("{}.log", daemon.name));
    let program = std::env::current_exe().context("cannot find this program")?;
    let pid = match &daemon.namespace {
        Some(name) => namespace::enter(name, || spawn(&program, number, daemon, &log)),
        None => spawn(&program, number, daemon, &log),
    };
    Ok(ProcessState {
        name: daemon.name.clone(),
        namespace: daemon.namespace.clone(),
        pid: pid.with_context(|| format!("cannot start {}", daemon.name))?,
        log,
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
        .env(MARKER, number.0.to_string())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()?;
    Ok(child.id() as i32)
}

/// Waits until a process prints the line that says it is ready; `from` is the length of its log when it was started.
pub(super) fn wait_until_ready(process: &ProcessState, from: u64, deadline: Instant) -> anyhow::Result<()> {
    loop {
        let text = read_from(&process.log, from);
        if text.contains(&process.ready) {
            return Ok(());
        }
        if !is_running(process.pid) {
            bail!("{} has ended:\n{}", process.name, tail(&text));
        }
        if Instant::now() >= deadline {
            bail!("{} is not ready; its log {}:\n{}", process.name, process.log.display(), tail(&text));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Length of the log of a process that is about to be started.
pub(super) fn log_length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Whether the process has printed that it is ready.
pub(super) fn has_been_ready(process: &ProcessState) -> bool {
    read_from(&process.log, 0).contains(&process.ready)
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

/// Whether the process exists and is not a zombie.
pub(super) fn is_running(pid: i32) -> bool {
    // The state follows the name, which is in parentheses and may contain any character.
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until a process has ended.
pub(super) fn wait_for_end_of(pid: i32, timeout: Duration) -> anyhow::Result<()> {
    let deadline = Instant::now() + timeout;
    while is_running(pid) {
        if Instant::now() >= deadline {
            bail!("process {pid} does not end");
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// The processes that carry the number of this lab.
pub(super) fn of_lab(number: LabNumber) -> Vec<i32> {
    let expected = format!("{MARKER}={}", number.0);
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let belongs = |pid: &i32| {
        // Processes of other users cannot be read, and are not ours.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == expected.as_bytes())
    };
    let own = std::process::id() as i32;
    pids.filter(|pid| *pid != own).filter(belongs).filter(|pid| is_running(*pid)).collect()
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
