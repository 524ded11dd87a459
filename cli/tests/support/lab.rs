//! A lab for tests: built by `harrier lab up`, removed on drop.

#![allow(dead_code, reason = "each suite uses a part of it")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Ran, harrier, lab_skipped};

/// How long a condition may take. A verdict takes 20 s on two idle cores; on a busy machine an incident may have to be
/// repeated several times.
const DEADLINE: Duration = Duration::from_secs(420);
/// Time of the scenario after which an incident is repeated: somewhat more than scenarios of labs last. On a busy machine the
/// daemons run late, and an incident of microseconds has other queues than in the simulation.
const REPEAT: Duration = Duration::from_millis(11);
/// Interval at which conditions are examined.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Labs of one test process run one after another: each may use the whole machine.
static TURN: Mutex<()> = Mutex::new(());

/// A running lab.
pub(crate) struct Lab {
    number: String,
    address: String,
    /// Time after which an incident is repeated, of the wall clock.
    repeat: Duration,
    _turn: MutexGuard<'static, ()>,
}

impl Lab {
    /// Builds the lab of a scenario, and waits until the server has all daemons. `None`: namespaces are not permitted
    /// here, which is reported.
    pub(crate) fn up(scenario: &str, number: u8) -> Option<Lab> {
        Lab::up_with(scenario, number, &[])
    }

    /// The same, with further options.
    pub(crate) fn up_with(scenario: &str, number: u8, options: &[&str]) -> Option<Lab> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let address = free.local_addr().expect("an address").to_string();
        drop(free);
        let number = number.to_string();
        // What an earlier, killed test left behind.
        harrier(&["lab", "down", "--lab", &number]);
        let ran =
            harrier(&[&["lab", "up", scenario, "--lab", &number, "--listen", &address], options].concat());
        if ran.status == 2 && ran.stderr.contains("CAP_SYS_ADMIN") {
            lab_skipped(format_args!("labs need network namespaces: {}", ran.stderr.trim()));
            return None;
        }
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let mut lab = Lab { number, address, repeat: DEADLINE, _turn: turn };
        let scale = lab.must(&["status", "--json"]).json()["scale"].as_u64().expect("a number");
        lab.repeat = REPEAT * u32::try_from(scale).expect("at most 65,536");
        lab.until_settled();
        Some(lab)
    }

    /// Runs a `harrier lab` command on this lab.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let mut all = vec!["lab"];
        all.extend(arguments);
        all.extend(["--lab", &self.number]);
        harrier(&all)
    }

    /// Runs a `harrier lab` command that must succeed.
    pub(crate) fn must(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {}", ran.stderr);
        ran
    }

    /// Starts an ended process again, with one more variable in its environment.
    pub(crate) fn restart_with(&self, process: &str, variable: &str, value: &str) {
        let output = Command::new(env!("CARGO_BIN_EXE_harrier"))
            .args(["lab", "fault", &format!("restart={process}"), "--lab", &self.number])
            .env(variable, value)
            .output()
            .expect("the binary was built");
        assert!(output.status.success(), "{process}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Applies faults.
    pub(crate) fn fault(&self, fault: &str) {
        self.must(&["fault", fault]);
    }

    /// Waits until a condition holds.
    ///
    /// # Panics
    /// It does not hold in time.
    pub(crate) fn until(&self, what: &str, condition: impl Fn() -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !condition() {
            assert!(Instant::now() < deadline, "not in time: {what}\n{}", self.logs());
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits for a value.
    pub(crate) fn wait_for<T>(&self, what: &str, value: impl Fn() -> Option<T>) -> T {
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(value) = value() {
                return value;
            }
            assert!(Instant::now() < deadline, "not in time: {what}\n{}", self.logs());
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Starts the scenario's traffic and waits for a value; the traffic is repeated while there is none.
    pub(crate) fn wait_for_incident<T>(&self, what: &str, value: impl Fn() -> Option<T>) -> T {
        self.must(&["traffic"]);
        self.wait_for_repeated(what, value)
    }

    /// Waits for a value of traffic that runs already; the traffic is repeated while there is none.
    pub(crate) fn wait_for_repeated<T>(&self, what: &str, value: impl Fn() -> Option<T>) -> T {
        let started = Cell::new(Instant::now());
        self.wait_for(what, || {
            if started.get().elapsed() > self.repeat {
                started.set(Instant::now());
                eprintln!("repeated, because the machine is busy: {what}");
                // Flows of a deadlock do not end, and are not started again.
                self.run(&["traffic"]);
            }
            value()
        })
    }

    /// The response of the server to a GET request: status and body.
    pub(crate) fn get(&self, path: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(DEADLINE)).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let status = response.split(' ').nth(1)?.parse().ok()?;
        let (_, body) = response.split_once("\r\n\r\n")?;
        Some((status, body.to_string()))
    }

    /// Waits until the server is ready, all daemons are connected to it and none has a problem.
    pub(crate) fn until_settled(&self) {
        let connected = self.must(&["status", "--json"]).json()["processes"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|process| process["name"].as_str())
            .filter(|name| *name == "controller" || name.starts_with("agent-"))
            .count();
        self.until("all daemons work", || {
            let state = self.json("/api/v1/daemons");
            let daemons = state["daemons"].as_array().map_or(0, Vec::len);
            daemons == connected && state["problems"].as_array().is_some_and(Vec::is_empty)
        });
    }

    /// The JSON that the server returns; null if it does not respond.
    pub(crate) fn json(&self, path: &str) -> Value {
        let Some((_, body)) = self.get(path) else { return Value::Null };
        let json = body.find('{').zip(body.rfind('}')).map(|(from, to)| &body[from..=to]);
        json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }

    /// The diagnoses so far, newest first.
    pub(crate) fn diagnoses(&self) -> Vec<Value> {
        self.json("/api/v1/diagnoses")["diagnoses"].as_array().cloned().unwrap_or_default()
    }

    /// Waits for a diagnosis with this anomaly.
    pub(crate) fn diagnosis(&self, anomaly: &str) -> Value {
        self.wait_for(&format!("a diagnosis `{anomaly}`"), || {
            self.diagnoses().into_iter().find(|diagnosis| diagnosis["anomaly"] == anomaly)
        })
    }

    /// The directory of the lab.
    pub(crate) fn directory(&self) -> PathBuf {
        PathBuf::from("/run/harrier-lab").join(&self.number)
    }

    /// The log of a process.
    pub(crate) fn log(&self, process: &str) -> String {
        std::fs::read_to_string(self.directory().join(format!("log/{process}.log"))).unwrap_or_default()
    }

    /// Whether the log of a process contains a text.
    pub(crate) fn has_logged(&self, process: &str, text: &str) -> bool {
        self.log(process).contains(text)
    }

    /// The value of a metric of the server, the sum over its labels.
    pub(crate) fn metric(&self, name: &str) -> i64 {
        let text = self.get("/metrics").map_or(String::new(), |(_, body)| body);
        let of_name = text.lines().filter(|line| line.split(['{', ' ']).next() == Some(name));
        of_name.filter_map(|line| line.rsplit(' ').next()?.parse::<i64>().ok()).sum()
    }

    /// The CPU time of a process so far, in seconds.
    pub(crate) fn cpu_seconds(&self, process: &str) -> f64 {
        /// `USER_HZ`, which is 100 on all architectures that Harrier runs on.
        const TICKS: f64 = 100.0;
        let status = self.must(&["status", "--json"]).json();
        let all = status["processes"].as_array().expect("a list");
        let found = all.iter().find(|known| known["name"] == process).expect("a process of the lab");
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", found["pid"])).expect("it runs");
        // The name, in parentheses, may contain spaces; user and system time are the fields 14 and 15.
        let (_, fields) = stat.rsplit_once(')').expect("a name");
        let fields: Vec<f64> =
            fields.split_whitespace().skip(11).take(2).map(|f| f.parse().unwrap()).collect();
        (fields[0] + fields[1]) / TICKS
    }

    /// The links of a topology, as pairs of the switch port and the far node; hosts number their ports themselves.
    fn links(topology: &Value) -> BTreeSet<(String, String)> {
        let text = |end: &Value| end.as_str().unwrap_or_default().to_string();
        let link = |link: &Value| {
            let mut ends = [text(&link["a"]), text(&link["b"])];
            ends.sort_by_key(|end| end.starts_with('h'));
            let [near, far] = ends;
            let mut both = if far.starts_with('h') {
                [near, far.split(':').next().unwrap_or("").to_string()]
            } else {
                [near, far]
            };
            both.sort();
            (both[0].clone(), both[1].clone())
        };
        topology["links"].as_array().map(|links| links.iter().map(link).collect()).unwrap_or_default()
    }

    /// The links that the lab was built with.
    pub(crate) fn plan_of_links(&self) -> BTreeSet<(String, String)> {
        let path = self.directory().join("config/topology.json");
        let text = std::fs::read_to_string(path).expect("the lab has written it");
        Lab::links(&serde_json::from_str(&text).expect("JSON"))
    }

    /// The links that the server knows.
    pub(crate) fn links_of_server(&self) -> BTreeSet<(String, String)> {
        Lab::links(&self.json("/api/v1/topology"))
    }

    /// The addresses of a host.
    pub(crate) fn addresses(&self, host: &str) -> Vec<String> {
        let text =
            std::fs::read_to_string(self.directory().join("config/topology.json")).expect("a topology");
        let topology: Value = serde_json::from_str(&text).expect("JSON");
        let mut nodes = topology["nodes"].as_array().expect("a list").iter();
        let node = nodes.find(|node| node["name"] == host).expect("a host");
        let list = node["addresses"].as_array().expect("a list");
        list.iter().map(|address| address.as_str().expect("a text").to_string()).collect()
    }

    /// Starts a further agent with the certificate of a host, for some address, with measurements from its standard
    /// input.
    pub(crate) fn agent_of(&self, host: &str, address: &str) -> std::process::Child {
        let file = |name: &str| self.directory().join(name).display().to_string();
        let server = format!("198.18.{}.1:9560", self.number.parse::<u32>().expect("a number") << 2);
        self.command(host, env!("CARGO_BIN_EXE_harrier"))
            .args(["agent", "--name", host, "--addresses", address, "--sources", "stdin"])
            .args(["--min-samples", "1", "--spool", &file("spool-liar"), "--server", &server])
            .args(["--tls-ca", &file("pki/ca.pem")])
            .args(["--tls-certificate", &file(&format!("pki/agent-{host}.pem"))])
            .args(["--tls-key", &file(&format!("pki/agent-{host}.key"))])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("ip(8) runs")
    }

    /// The namespace of a node.
    pub(crate) fn namespace(&self, node: &str) -> String {
        format!("hl{}-{node}", self.number)
    }

    /// Runs a command in the namespace of a node.
    pub(crate) fn command(&self, node: &str, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &format!("hl{}-{node}", self.number), program]);
        command
    }

    /// The ends of all logs, for a failure.
    fn logs(&self) -> String {
        let mut text = format!("diagnoses: {:#?}\n", self.diagnoses());
        for process in ["serve", "controller"] {
            let log = self.log(process);
            let lines: Vec<&str> = log.lines().collect();
            text += &format!("== {process}\n{}\n", lines[lines.len().saturating_sub(15)..].join("\n"));
        }
        text
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        harrier(&["lab", "down", "--lab", &self.number]);
    }
}
