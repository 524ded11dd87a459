//! A server over a switch, reached over loopback on a free port.

pub(crate) mod program;

use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::Cancel;
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};
use p4runtime::client::{Client, ClientConfig, Session};
use p4runtime::device_config::SourceBundle;
use p4runtime::p4info;
use p4runtime::proto::p4::config::v1::P4Info;
use p4runtime::proto::p4::v1;
use p4runtime::server::{ImmediateSwitch, Server, ServerConfig, ServerHandle, event_channel};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The device of every test.
pub(crate) const DEVICE: u64 = 7;

/// Source text that the test compiler maps to [`program::program`].
pub(crate) const SOURCE: &str = "the whole program";
/// Source text that it maps to the program with a larger table and without one register.
pub(crate) const OTHER_SOURCE: &str = "the other program";

/// Sent frames with their ports.
pub(crate) type Sent = Vec<(u16, Vec<u8>)>;

/// A running server and the frames that its switch sends.
pub(crate) struct Bench {
    pub(crate) server: Server<Arc<ImmediateSwitch>>,
    pub(crate) handle: ServerHandle,
    pub(crate) switch: Arc<ImmediateSwitch>,
    pub(crate) sent: Arc<Mutex<Sent>>,
    /// The switch's time in picoseconds.
    pub(crate) time: Arc<AtomicU64>,
}

/// Replaces the front end: maps known texts to programs built by hand.
pub(crate) fn compile(sources: &SourceBundle, _: &Cancel) -> Result<p4_lang::ir::Program, String> {
    match sources.files.get(&sources.main).map(String::as_str) {
        Some(SOURCE) => Ok(program::program()),
        Some(OTHER_SOURCE) => Ok(other_program()),
        _ => Err("syntax error at line 1".into()),
    }
}

/// [`program::program`] with a larger table `routes` and without the register `pair`.
pub(crate) fn other_program() -> p4_lang::ir::Program {
    let mut program = program::program();
    program.tables[1].size = 64;
    program.registers.remove(1);
    program
}

impl Bench {
    pub(crate) async fn start() -> Bench {
        Bench::with(|_| {}).await
    }

    /// Starts a server with changed settings.
    pub(crate) async fn with(change: impl FnOnce(&mut ServerConfig)) -> Bench {
        let tm = TmConfig::lossy((1..=8).map(|port| (port, Rate::from_gbps(100))), 1 << 24);
        let mut config =
            ServerConfig { compile: Arc::new(compile), ..ServerConfig::new(DEVICE, SwitchConfig::new(tm)) };
        change(&mut config);
        let (sink, events) = event_channel(config.limits.event_queue);
        let (sent, time) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
        let (log, clock) = (sent.clone(), time.clone());
        let switch = Arc::new(ImmediateSwitch::new(
            Switch::new(config.switch.clone()),
            move || Time(clock.load(Ordering::Relaxed)),
            sink,
            move |port, frame: Frame| {
                let mut bytes = frame.head.to_vec();
                bytes.resize(frame.len() as usize, 0);
                log.lock().expect("no test panics while it holds this").push((port, bytes));
            },
        ));
        let server = Server::new(switch.clone(), config, events);
        let handle =
            server.clone().spawn("127.0.0.1:0".parse().expect("an address")).await.expect("a free port");
        Bench { server, handle, switch, sent, time }
    }

    pub(crate) async fn client(&self, election_id: u128) -> Client {
        self.client_as(ClientConfig { election_id, ..ClientConfig::new(DEVICE) }).await
    }

    pub(crate) async fn client_as(&self, config: ClientConfig) -> Client {
        Client::connect(&self.handle.endpoint(), config).await.expect("the server listens")
    }

    /// Returns a primary that has set the pipeline.
    pub(crate) async fn primary(&self) -> (Client, Session) {
        let mut client = self.client(1).await;
        let session = client.become_primary().await.expect("no other controller is connected");
        client.set_pipeline(info(), device_config(SOURCE), 42).await.expect("the pipeline is good");
        (client, session)
    }

    /// Processes a frame that arrives at a port.
    pub(crate) fn receive(&self, port: u16, bytes: &[u8]) {
        self.switch.receive(port, Frame::new(bytes, 0));
    }

    pub(crate) fn advance_ns(&self, ns: u64) {
        self.time.fetch_add(ns * 1_000, Ordering::Relaxed);
    }
}

pub(crate) fn info() -> P4Info {
    p4info::from_program(&program::program())
}

pub(crate) fn device_config(text: &str) -> Vec<u8> {
    SourceBundle::single("main.p4", text).encode()
}

pub(crate) fn config(text: &str, info: P4Info) -> v1::ForwardingPipelineConfig {
    v1::ForwardingPipelineConfig {
        p4info: Some(info),
        p4_device_config: device_config(text),
        cookie: Some(v1::forwarding_pipeline_config::Cookie { cookie: 42 }),
    }
}

/// An Ethernet frame.
pub(crate) fn frame(dst: u64, src: u64) -> Vec<u8> {
    let mut bytes = dst.to_be_bytes()[2..].to_vec();
    bytes.extend_from_slice(&src.to_be_bytes()[2..]);
    bytes.extend_from_slice(&[0x08, 0x00, 1, 2, 3, 4]);
    bytes
}
