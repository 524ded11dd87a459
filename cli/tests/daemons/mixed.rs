//! A network of P4 switches and a SONiC switch: the watcher, or the controller of the P4 switch, reads the counters of the SONiC switch over Redis and those of a P4
//! switch over P4Runtime, a controller uploads the telemetry of the P4 switches, and one verdict has both.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use p4_switch::tm::{PauseEnd, TmConfig};
use p4_switch::{Switch, SwitchConfig};
use p4runtime::device_config::{self, SourceBundle};
use p4runtime::p4info;
use p4runtime::proto::p4::v1::ForwardingPipelineConfig;
use p4runtime::server::{ImmediateSwitch, Server, ServerConfig, ServerHandle, event_channel};
use proto::v1::record::Body;
use proto::v1::{self, SenderKind};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::network::Network;
use crate::process::{Daemon, get, json as get_json, metric, wait_until};
use crate::sender::Sender;
use crate::support::redis::Server as Redis;
use crate::support::{harrier, scratch};

/// A program that drops every packet: what the device counts does not depend on it.
fn program() -> ForwardingPipelineConfig {
    let text = "#include <v1model.p4>
        struct meta_t {} struct headers_t {}
        parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) { state start { transition accept; } }
        control C(inout headers_t h, inout meta_t m) { apply { } }
        control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { mark_to_drop(s); } }
        control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
        control D(packet_out p, in headers_t h) { apply { } }
        V1Switch(P(), C(), I(), E(), C(), D()) main;";
    let bundle = SourceBundle::single("main.p4", text.to_string());
    let program = device_config::compile(&bundle).expect("it compiles");
    ForwardingPipelineConfig {
        p4info: Some(p4info::from_program(&program)),
        p4_device_config: text.as_bytes().to_vec(),
        cookie: None,
    }
}

/// A P4 switch with a P4Runtime server, whose port 1 a host can pause.
struct P4Leaf {
    switch: Arc<ImmediateSwitch>,
    server: ServerHandle,
    runtime: Runtime,
}

impl P4Leaf {
    fn start() -> P4Leaf {
        let mut tm = TmConfig::lossy((1..=4).map(|port| (port, Rate::from_gbps(100))), 1 << 20);
        tm.ports.iter_mut().for_each(|port| port.pfc_enabled = 1 << 3);
        tm.pause_end = PauseEnd::ResumeOnly;
        let config = ServerConfig::new(1, SwitchConfig::new(tm));
        let start = Instant::now();
        let clock = move || Time::from_ns(start.elapsed().as_nanos() as u64);
        let (sink, events) = event_channel(config.limits.event_queue);
        let switch = Switch::new(config.switch.clone());
        let switch = Arc::new(ImmediateSwitch::new(switch, clock, sink, |_, _: Frame| {}));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let address = "127.0.0.1:0".parse().unwrap();
        let serve = async {
            let server = Server::new(switch.clone(), config, events);
            server.set_pipeline(program()).expect("it is accepted");
            server.spawn(address).await
        };
        let server = runtime.block_on(serve).expect("it listens");
        P4Leaf { switch, server, runtime }
    }

    /// The host at port 1 pauses it from now on, and refreshes the pause every 150 us on average.
    fn storm(&self) {
        let switch = self.switch.clone();
        self.runtime.spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_micros(150 * REFRESHES));
            loop {
                tick.tick().await;
                for _ in 0..REFRESHES {
                    switch.receive(1, Pfc::single(3, u16::MAX).to_frame([2; 6]));
                }
            }
        });
    }
}

/// Refreshes that the host sends at once: a timer of a test is coarser than that of a NIC.
const REFRESHES: u64 = 40;

/// The interval between the readings of a run.
const STORM_INTERVAL: Duration = Duration::from_secs(1);

/// The storm of the host at `sw4:1`, as its switches count it and as those with telemetry record it.
struct Storm {
    folder: PathBuf,
}

impl Storm {
    fn run(test: &str) -> Storm {
        let folder = scratch(&format!("daemons-{test}-storm"));
        let of = |name: &str| folder.join(name).display().to_string();
        let (snapshots, counters) = (of("snapshots"), of("counters"));
        let ran =
            harrier(&["run", "host-storm", "--save-snapshots", &snapshots, "--save-counters", &counters]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        Storm { folder }
    }

    fn topology(&self) -> String {
        self.folder.join("snapshots/topology.json").display().to_string()
    }

    /// The readings of the SONiC switch `sw2`, in order of time.
    fn readings(&self) -> Vec<PathBuf> {
        self.files("counters/sw2", "")
    }

    /// Lets `sw2` count what it has counted between its first and its last reading, for the given time in a row; watermarks
    /// and queues stay as they are.
    fn count(&self, switch: &Redis, times: u64) {
        let readings = self.readings();
        let (first, last) = (&readings[0], readings.last().unwrap());
        let counters = |folder: &Path| -> Value {
            serde_json::from_str(&fs::read_to_string(folder.join("COUNTERS_DB.json")).unwrap()).unwrap()
        };
        let (before, mut after) = (counters(first), counters(last));
        let number = |value: &Value| value.as_str()?.parse::<u64>().ok();
        for (key, entry) in after.as_object_mut().unwrap() {
            for (field, value) in entry["value"].as_object_mut().unwrap() {
                let is_state = field.contains("WATERMARK") || field.contains("OCCUPANCY");
                if let (Some(from), Some(to)) = (number(&before[key]["value"][field]), number(value))
                    && key.starts_with("COUNTERS:")
                    && !is_state
                {
                    *value = (to + (times - 1) * to.saturating_sub(from)).to_string().into();
                }
            }
        }
        let folder = self.folder.join("counted");
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(last).unwrap().map(|file| file.unwrap().path()) {
            fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
        }
        fs::write(folder.join("COUNTERS_DB.json"), after.to_string()).unwrap();
        switch.load_dumps(&folder);
    }

    fn files(&self, folder: &str, start: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join(folder)).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with(start));
        files.sort();
        files
    }

    /// The first snapshot, as collected if only `sw1` and `sw3` run the program: `sw2` does not, and the polling packets that
    /// follow its pauses do not reach `sw4`.
    fn upload(&self, uploads: &str) {
        let file = &self.files("snapshots", "event-")[0];
        let mut snapshot: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let has_program = |switch: &Value| ["sw1", "sw3"].iter().any(|name| switch["switch"] == *name);
        snapshot["switches"].as_array_mut().unwrap().retain(has_program);
        for because in [json!("on_victim_path"), json!({ "pauses": "sw1:1" })] {
            let gap = json!({ "gap": "no_program", "switch": "sw2", "because": because });
            snapshot["missing"].as_array_mut().unwrap().push(gap);
        }
        let zero_ns = now_ns();
        let time = snapshot.pointer_mut("/trigger/time_ns").unwrap();
        *time = json!(time.as_u64().unwrap() + zero_ns);
        let clock = |switch: &Value| v1::SwitchClock {
            switch: switch["switch"].as_str().unwrap().into(),
            zero_ns: zero_ns as i64,
            error_ns: 0,
            maximum_error_ns: Some(0),
        };
        let clocks = snapshot["switches"].as_array().unwrap().iter().map(clock).collect();
        let upload = v1::Snapshot { json: snapshot.to_string().into_bytes(), clocks };
        let mut controller = Sender::connect(uploads, SenderKind::Controller, "c1", 2);
        assert_eq!(controller.upload(now_ns(), Body::Snapshot(upload)), "");
    }
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64
}

/// All verdicts of a server.
fn diagnoses(rest: &str) -> Vec<Value> {
    get_json(rest, "/api/v1/diagnoses")["diagnoses"].as_array().cloned().unwrap_or_default()
}

/// What reads the counters of `sw2` and `sw4`.
enum Reader {
    Watcher,
    Controller,
}

impl Reader {
    fn start(&self, network: &Network, storm: &Storm, spine: &Redis, leaf: &P4Leaf, uploads: &str) -> Daemon {
        let (topology, spool) = (storm.topology(), network.path("spool"));
        let (spine, leaf) = (format!("sonic://127.0.0.1:{}", spine.port), leaf.server.address());
        let of_watcher = format!("sw4=p4runtime://{leaf}");
        let of_controller = format!("sw4={leaf}/1");
        let own = match self {
            Reader::Watcher => vec!["watch", "--interval", "300ms", &spine, &of_watcher],
            Reader::Controller => {
                let p4 = ["controller", "--switches", &of_controller];
                [p4, ["--counter-interval", "300ms", "--counter-switches"]]
                    .concat()
                    .into_iter()
                    .chain([&*spine])
                    .collect()
            }
        };
        let common = ["--name", "w1", "--topology", &topology, "--server", uploads, "--spool", &spool];
        let health = ["--health-listen", "127.0.0.1:0"];
        let log = fs::File::create(network.path("log")).unwrap();
        let mut daemon = Daemon::start_with_log(&[own.as_slice(), &common, &health].concat(), log);
        daemon.health = daemon.line("health on ");
        daemon
    }

    /// Daemons at the server: a controller has a link for its telemetry and one for what it reads of counters.
    fn links(&self) -> i64 {
        match self {
            Reader::Watcher => 1,
            Reader::Controller => 2,
        }
    }
}

/// A victim at a P4 switch is traced through a SONiC switch to the host behind another P4 switch.
fn check(test: &str, reader: &Reader) {
    let Some(spine) = Redis::start(&format!("{test}-sw2"), None) else { return };
    let storm = Storm::run(test);
    let readings = storm.readings();
    spine.load_dumps(&readings[0]);
    let leaf = P4Leaf::start();
    let network = Network::new(test);
    let topology = storm.topology();
    let (mut server, rest, uploads) = network.serve_blind("127.0.0.1:0", &["--topology", &topology]);
    let mut daemon = reader.start(&network, &storm, &spine, &leaf, &uploads);
    let read = || fs::read_to_string(network.path("log")).unwrap();
    wait_until("both switches are read", || read().matches("ports are read").count() == 2);
    wait_until("the reader is connected", || metric(&rest, "harrier_daemons") == reader.links());

    leaf.storm();
    let incidents =
        || get_json(&rest, "/api/v1/incidents")["incidents"].as_array().cloned().unwrap_or_default();
    let at_host = || incidents().iter().filter(|incident| incident["root_cause"]["port"] == "sw4:1").count();
    wait_until("the P4 switch shows the storm", || at_host() == 1);
    // A reading that falls between two writes has only a part of what has changed, so the switch goes on counting.
    let (mut times, mut counted) = (0, None::<Instant>);
    let of_spine = || {
        if counted.is_none_or(|at| at.elapsed() >= STORM_INTERVAL) {
            times += 1;
            counted = Some(Instant::now());
            storm.count(&spine, times);
        }
        diagnoses(&rest).iter().any(|verdict| verdict["pause_path"].to_string().contains("sw2:3"))
    };
    wait_until("the pauses are followed through the SONiC switch", of_spine);
    // A server that starts again knows the verdicts of the counters before.
    server.kill();
    let (mut server, rest, _) = network.serve_blind(&uploads, &["--topology", &topology]);
    wait_until("the reader is connected again", || metric(&rest, "harrier_daemons") == reader.links());
    let incidents =
        || get_json(&rest, "/api/v1/incidents")["incidents"].as_array().cloned().unwrap_or_default();
    let at_host = || incidents().iter().filter(|incident| incident["root_cause"]["port"] == "sw4:1").count();
    // The verdict of the telemetry may come before that of the counters of the switch that it lacks: then it waits for them.
    storm.upload(&uploads);
    let of_victim = || diagnoses(&rest).into_iter().find(|verdict| !verdict["victim"].is_null());
    wait_until("the victim has a verdict", || of_victim().is_some());
    let verdict = of_victim().unwrap();
    assert_eq!(verdict["anomaly"], "pfc_storm_host_injection", "{verdict:#}");
    assert_eq!(verdict["root_cause"]["port"], "sw4:1", "{verdict:#}");
    assert_eq!(verdict["root_cause"]["host"], "h3", "{verdict:#}");
    let path: Vec<&str> =
        verdict["pause_path"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(path, ["sw1:1", "sw2:3", "sw4:1"]);
    assert_eq!(verdict["counters"]["watcher"], "w1", "{verdict:#}");
    assert!(verdict["confidence"].as_f64() < Some(0.9), "{verdict:#}");

    // The verdict of the counters is in the same incident.
    assert_eq!(at_host(), 1, "{:#?}", incidents());
    let metrics = get(&daemon.health, "/metrics");
    for switch in ["sw2", "sw4"] {
        let line = metrics.lines().find(|line| {
            line.starts_with("harrier_switch_readable{") && line.contains(&format!("switch=\"{switch}\""))
        });
        assert!(line.is_some_and(|line| line.ends_with(" 1")), "{switch}: {line:?} in {metrics}");
    }
    assert_eq!(daemon.terminate(), Some(0));
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_watcher_joins_the_counters_of_both_kinds_of_switches_with_telemetry() {
    check("mixed", &Reader::Watcher);
}

#[test]
fn a_controller_reads_ordinary_switches_beside_its_p4_switches() {
    check("mixed-controller", &Reader::Controller);
}
