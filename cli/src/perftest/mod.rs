//! Runs the programs of perftest: a server and a client on this host, over the loopback address, or with a server on a peer.
//!
//! What they are started with and what they print is in `host_diagnosis::perftest`. perftest authenticates no client, so its
//! server listens on the loopback address only, or on that address of the peer that is named. Both processes have a time limit and are killed after it.

mod process;

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use host_diagnosis::perftest::{Failure, Program, TestCommand, failure, misses};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use process::{Ended, Process};

/// The address over which server and client exchange parameters.
const ADDRESS: &str = "127.0.0.1";
/// Time between two looks at the processes.
const STEP: Duration = Duration::from_millis(20);
/// Pause before another client connects to a server that does not listen yet.
const RETRY: Duration = Duration::from_millis(50);
/// How long a program takes at most beyond the test itself: it opens the device, registers memory and, for a GPU, loads CUDA.
const SET_UP: Duration = Duration::from_secs(30);
/// How long `--help` may take.
const HELP_TIMEOUT: Duration = Duration::from_secs(10);

/// Where the processes of a test run and allocate their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Anywhere.
    Anywhere,
    /// On a NUMA node.
    Node {
        /// Its number.
        node: u32,
        /// Its processors; none if it has memory only.
        cpus: Vec<u32>,
    },
}

/// Why a test has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TestError {
    /// It did not end in time, as behind a driver that hangs.
    #[error("{0} has not ended within {1} s and was killed")]
    TimedOut(&'static str, u64),
    /// The client reported an error.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The server reported an error and ended first.
    #[error("its server: {0}")]
    Server(Failure),
    /// A program could not be run.
    #[error("cannot run {0}: {1}")]
    NotRun(&'static str, io::Error),
}

/// Another host, on which servers are started.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// The command that runs programs there, and its arguments.
    pub(crate) command: Vec<String>,
    /// Its address, on which servers listen.
    pub(crate) address: String,
    /// Its RDMA device.
    pub(crate) device: String,
}

/// The programs of perftest.
pub(crate) struct Perftest {
    /// Folder of the programs; absent: those of the path.
    folder: Option<PathBuf>,
    numactl: Option<PathBuf>,
    /// How long a program may take beyond the test itself.
    set_up: Duration,
}

impl Perftest {
    /// Finds the programs in a folder, or in the path.
    ///
    /// # Errors
    /// One is missing, or its version has no option to listen on one address only.
    pub(crate) fn find(folder: Option<PathBuf>, programs: &[Program]) -> anyhow::Result<Perftest> {
        let found = Perftest { numactl: find("numactl", folder.as_deref(), true), folder, set_up: SET_UP };
        for program in programs {
            let missing = found.missing_options(*program, &["--source_ip"])?;
            if !missing.is_empty() {
                bail!(
                    "{} has no option {}, without which its server would listen on all addresses: install perftest 4.5 \
                     or later",
                    program.name(),
                    missing.join(", ")
                );
            }
        }
        Ok(found)
    }

    /// Returns the options that a program does not have.
    ///
    /// # Errors
    /// It is missing or cannot be executed.
    pub(crate) fn missing_options<'o>(
        &self,
        program: Program,
        options: &[&'o str],
    ) -> anyhow::Result<Vec<&'o str>> {
        let mut help = Process::start(Command::new(self.path(program)?).arg("--help"))
            .with_context(|| format!("cannot run {}", program.name()))?;
        let Some(ended) = wait(&mut help, Instant::now() + HELP_TIMEOUT, || {})? else {
            bail!("{} --help has not ended within {} s", program.name(), HELP_TIMEOUT.as_secs());
        };
        if !ended.stdout.contains("--ib-dev") {
            let why = failure(&ended.stderr, &ended.stdout);
            bail!("{} is no program of perftest, or its libraries are missing: {why}", program.name());
        }
        Ok(misses(&ended.stdout, options))
    }

    /// Whether processes can be bound to a node: with `numactl`, or to its processors.
    pub(crate) fn can_bind(&self, cpus: &[u32]) -> bool {
        self.numactl.is_some() || !cpus.is_empty()
    }

    /// Runs a test and returns what its client prints. `sample` is called every 20 ms while the client runs.
    ///
    /// # Errors
    /// A process fails, or the test does not end in time; then both are killed.
    pub(crate) fn run(
        &self,
        test: &TestCommand,
        seconds: u32,
        placement: &Placement,
        mut sample: impl FnMut(),
    ) -> Result<String, TestError> {
        let server = || self.start(test.program, test.server(ADDRESS), placement);
        let client = || self.start(test.program, test.client(ADDRESS), placement);
        self.pair(test.program, seconds, server, client, &mut sample)
    }

    /// Runs a test whose server is on a peer. The server ends there after the same time limit, by `timeout` of coreutils,
    /// because a command like ssh may leave it running.
    ///
    /// # Errors
    /// As [`Perftest::run`].
    pub(crate) fn run_with_peer(
        &self,
        test: &TestCommand,
        seconds: u32,
        peer: &Peer,
        placement: &Placement,
        mut sample: impl FnMut(),
    ) -> Result<String, TestError> {
        let limit = self.limit(seconds).as_secs().max(1).to_string();
        let of_peer = TestCommand { device: peer.device.clone(), ..test.clone() };
        let server = || {
            let (program, arguments) = peer.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
            let mut command = Command::new(program);
            command.args(arguments).args(["timeout", "--kill-after=5", &limit, test.program.name()]);
            Process::start(command.args(of_peer.server(&peer.address)))
        };
        let client = || self.start(test.program, test.client(&peer.address), placement);
        self.pair(test.program, seconds, server, client, &mut sample)
    }

    fn limit(&self, seconds: u32) -> Duration {
        self.set_up + Duration::from_secs(seconds.into())
    }

    /// Starts a server, and a client as often as it takes until it connects. Returns what the client prints.
    fn pair(
        &self,
        program: Program,
        seconds: u32,
        server: impl FnOnce() -> io::Result<Process>,
        client: impl Fn() -> io::Result<Process>,
        sample: &mut dyn FnMut(),
    ) -> Result<String, TestError> {
        let name = program.name();
        let not_run = |error| TestError::NotRun(name, error);
        let limit = self.limit(seconds);
        let deadline = Instant::now() + limit;
        let mut server = server().map_err(not_run)?;
        loop {
            let mut client = client().map_err(not_run)?;
            let ended = wait(&mut client, deadline, &mut *sample).map_err(not_run)?;
            let ended = ended.ok_or(TestError::TimedOut(name, limit.as_secs()))?;
            if ended.status.success() {
                return Ok(ended.stdout);
            }
            let why = why(&ended);
            match server.ended().map_err(not_run)? {
                // The server has ended first, so its error is the cause.
                Some(server) if why == Failure::NotConnected => {
                    return Err(TestError::Server(self::why(&server)));
                }
                None if why == Failure::NotConnected && Instant::now() < deadline => thread::sleep(RETRY),
                _ => return Err(why.into()),
            }
        }
    }

    fn start(&self, program: Program, arguments: Vec<String>, placement: &Placement) -> io::Result<Process> {
        let path = self.path(program).map_err(io::Error::other)?;
        let mut command = match (&self.numactl, placement) {
            (Some(numactl), Placement::Node { node, cpus }) => {
                let mut command = Command::new(numactl);
                command.arg(format!("--membind={node}"));
                if !cpus.is_empty() {
                    command.arg(format!("--cpunodebind={node}"));
                }
                command.arg(&path);
                command
            }
            _ => Command::new(&path),
        };
        // The number of a GPU is that of the management library, in the order of PCI addresses.
        command.args(arguments).env("CUDA_DEVICE_ORDER", "PCI_BUS_ID").env("LC_ALL", "C");
        match (&self.numactl, placement) {
            (None, Placement::Node { cpus, .. }) => start_on(cpus, &mut command),
            _ => Process::start(&mut command),
        }
    }

    fn path(&self, program: Program) -> anyhow::Result<PathBuf> {
        find(program.name(), self.folder.as_deref(), false).ok_or_else(|| match &self.folder {
            Some(folder) => anyhow!("{} is not in {}", program.name(), folder.display()),
            None => anyhow!(
                "{} is not installed: install perftest (Debian, Ubuntu, RHEL: package `perftest`), or pass --perftest DIR",
                program.name()
            ),
        })
    }
}

fn why(ended: &Ended) -> Failure {
    failure(&ended.stderr, &ended.stdout)
}

/// Starts a program on these processors: it inherits them from a thread. Linux allocates the memory of a process on the node
/// on which it runs.
fn start_on(cpus: &[u32], command: &mut Command) -> io::Result<Process> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu as usize)?;
    }
    let start = || {
        sched_setaffinity(Pid::from_raw(0), &set)?;
        Process::start(command)
    };
    let started = thread::scope(|scope| scope.spawn(start).join());
    started.unwrap_or_else(|_| Err(io::Error::other("the thread that starts the program panicked")))
}

/// Waits for the end of a process; `None` after the deadline.
fn wait(process: &mut Process, deadline: Instant, mut sample: impl FnMut()) -> io::Result<Option<Ended>> {
    loop {
        if let Some(ended) = process.ended()? {
            return Ok(Some(ended));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        sample();
        thread::sleep(STEP);
    }
}

/// Finds a program in a folder or else in the path, or in both.
fn find(name: &str, folder: Option<&Path>, also_in_path: bool) -> Option<PathBuf> {
    let own = folder.map(|folder| folder.join(name));
    if own.is_some() && !also_in_path {
        return own.filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).map(|folder| folder.join(name));
    own.into_iter().chain(folders).find(|path| path.is_file())
}

/// Returns a TCP port of the loopback address that is free now.
///
/// # Errors
/// There is none.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind((ADDRESS, 0)).context("no free TCP port of the loopback address")?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use host_diagnosis::perftest::{Buffer, Length};

    use super::*;

    /// A folder with an `ib_write_bw` that is this script of a shell; `$role` is `server` or `client`.
    fn stand_in(name: &str, script: &str) -> Perftest {
        let folder = std::env::temp_dir().join(format!("harrier-perftest-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("ib_write_bw");
        let role = "role=client; case $* in *--source_ip=127.0.0.1) role=server;; esac";
        fs::write(&path, format!("#!/bin/sh\n{role}\ncd {}\n{script}\n", folder.display())).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
        Perftest { folder: Some(folder), numactl: None, set_up: Duration::from_secs(60) }
    }

    fn run(perftest: &Perftest, placement: &Placement) -> Result<String, TestError> {
        let test = TestCommand {
            program: Program::WriteBandwidth,
            device: "mlx5_0".into(),
            rdma_port: 1,
            tcp_port: 18_515,
            message_bytes: 1,
            length: Length::Messages(5),
            buffer: Buffer::Host,
            more: Vec::new(),
        };
        perftest.run(&test, 0, placement, || {})
    }

    fn remove(perftest: &Perftest) {
        let folder = perftest.folder.as_deref().expect("that of the test");
        fs::remove_dir_all(folder).expect("the folder can be removed");
    }

    #[test]
    fn a_client_connects_again_until_its_server_listens() {
        let script = "[ $role = server ] && { touch ready; exec sleep 60; }
            [ -e ready ] || { echo \"Couldn't connect to 127.0.0.1:18515\" >&2; exit 1; }
            echo measured";
        let perftest = stand_in("again", script);
        assert_eq!(run(&perftest, &Placement::Anywhere).expect("it connects"), "measured\n");
        remove(&perftest);
    }

    #[test]
    fn a_test_that_does_not_end_is_killed() {
        let script = "echo $$ >> processes; exec sleep 600";
        let perftest = Perftest { set_up: Duration::from_millis(300), ..stand_in("hangs", script) };
        let error = run(&perftest, &Placement::Anywhere).expect_err("it hangs");
        assert!(matches!(error, TestError::TimedOut("ib_write_bw", _)), "{error}");
        let folder = perftest.folder.as_deref().expect("that of the test");
        let processes = fs::read_to_string(folder.join("processes")).unwrap_or_default();
        for process in processes.lines() {
            assert!(!Path::new("/proc").join(process).exists(), "{process} still runs");
        }
        remove(&perftest);
    }

    #[test]
    fn the_error_of_a_server_that_ends_first_is_the_cause() {
        let script = "[ $role = server ] && { touch gone; echo ' Unable to find the Infiniband/RoCE device' >&2; exit 1; }
            while ! [ -e gone ]; do :; done
            echo \"Couldn't connect to 127.0.0.1:18515\" >&2; exit 1";
        let perftest = stand_in("server", script);
        let error = run(&perftest, &Placement::Anywhere).expect_err("there is no device");
        assert!(error.to_string().contains("does not find the RDMA device"), "{error}");
        remove(&perftest);
    }

    #[test]
    fn without_numactl_a_process_is_bound_to_the_processors_of_its_node() {
        let script = "[ $role = server ] && exec sleep 60
            grep Cpus_allowed_list /proc/self/status";
        let all = fs::read_to_string("/proc/self/status").expect("procfs");
        let own = all.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
        let cpus = host_diagnosis::inspection::processors(own).expect("a list");
        let last = *cpus.last().expect("this process runs on one");
        let placement = Placement::Node { node: 0, cpus: vec![last] };
        let perftest = stand_in("bound", script);
        let printed = run(&perftest, &placement).expect("it prints its processors");
        assert_eq!(printed.trim(), format!("Cpus_allowed_list:\t{last}"));
        remove(&perftest);
    }
}
