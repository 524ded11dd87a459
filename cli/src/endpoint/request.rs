//! Requests to an endpoint, as JSON lines on stdin or on a Unix socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::IpAddr;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};

use anyhow::Context;
use model::Rate;
use net::Bell;
use nic::{Fault, FlowRequest};
use scenario::nic::Operation;
use serde::Deserialize;

/// Longest request in bytes; a longer line ends the connection.
const MAX_REQUEST_BYTES: u64 = 64 << 10;
/// Requests that wait for the endpoint; clients wait while it is full.
const MAX_REQUESTS: usize = 64;
/// Clients of the socket at once; further ones wait.
const MAX_CLIENTS: usize = 16;

/// A request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Request {
    /// Starts a flow.
    Flow(Flow),
    /// Stops the flow with this number.
    Stop(u64),
    /// Begins a fault.
    Fault(FaultRequest),
    /// Ends all faults.
    EndFaults {},
    /// Reports counters and flows.
    Status {},
}

/// A flow in a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Flow {
    to: IpAddr,
    bytes: u64,
    #[serde(default)]
    label: String,
    message_bytes: Option<u64>,
    rate: Option<String>,
    window_bytes: Option<u64>,
    #[serde(default = "default_priority")]
    priority: u8,
    #[serde(default)]
    operation: Operate,
    source_port: Option<u16>,
    #[serde(default = "yes")]
    congestion_control: bool,
}

fn default_priority() -> u8 {
    3
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Operate {
    #[default]
    Write,
    Send,
}

/// A fault in a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum FaultRequest {
    /// Pauses a priority without need.
    Storm {
        #[serde(default = "default_priority")]
        priority: u8,
    },
    /// Processes data at a rate only.
    SlowReceiver { rate: String },
    /// Processes no data.
    StoppedReceiver {},
}

fn rate(text: &str) -> Result<Rate, String> {
    let parsed = scenario::parse_rate(text).filter(|rate| rate.0 > 0);
    parsed.ok_or_else(|| format!("`{text}` is not a rate; expected e.g. \"10M\" or \"1G\""))
}

impl Flow {
    /// Returns the flow.
    pub(super) fn checked(self) -> Result<FlowRequest, String> {
        Ok(FlowRequest {
            label: self.label,
            to: self.to,
            bytes: self.bytes,
            message_bytes: self.message_bytes,
            rate: self.rate.as_deref().map(rate).transpose()?,
            window_bytes: self.window_bytes,
            priority: self.priority,
            operation: match self.operation {
                Operate::Write => Operation::Write,
                Operate::Send => Operation::Send,
            },
            source_port: self.source_port,
            congestion_control: self.congestion_control,
        })
    }
}

impl FaultRequest {
    /// Returns the fault.
    pub(super) fn checked(self) -> Result<Fault, String> {
        match self {
            FaultRequest::Storm { priority } if priority > 7 => {
                Err(format!("priority {priority}; expected 0 to 7"))
            }
            FaultRequest::Storm { priority } => Ok(Fault::Storm { priority }),
            FaultRequest::SlowReceiver { rate: text } => Ok(Fault::SlowReceiver { rate: rate(&text)? }),
            FaultRequest::StoppedReceiver {} => Ok(Fault::StoppedReceiver),
        }
    }
}

/// Reads the value of `--fault`: `storm`, `storm=PRIORITY`, `slow-receiver=RATE` or `stopped-receiver`.
pub(crate) fn fault_argument(text: &str) -> Result<Fault, String> {
    let (kind, value) = text.split_once('=').map_or((text, None), |(kind, value)| (kind, Some(value)));
    let request = match (kind, value) {
        ("storm", None) => FaultRequest::Storm { priority: default_priority() },
        ("storm", Some(priority)) => {
            let priority = priority.parse().map_err(|_| format!("priority `{priority}`; expected 0 to 7"))?;
            FaultRequest::Storm { priority }
        }
        ("slow-receiver", Some(rate)) => FaultRequest::SlowReceiver { rate: rate.to_owned() },
        ("stopped-receiver", None) => FaultRequest::StoppedReceiver {},
        _ => return Err("expected storm, storm=PRIORITY, slow-receiver=RATE or stopped-receiver".into()),
    };
    request.checked()
}

/// A line from a client, and where reports go until the client disconnects.
pub(super) enum Message {
    /// A request, or why the line is none.
    Request(Result<Request, String>),
    /// A client of the socket that receives all reports from now on.
    Client(UnixStream),
    /// The end of stdin.
    EndOfInput,
}

/// What delivers requests, and wakes the endpoint for each.
#[derive(Clone)]
pub(super) struct Inbox {
    messages: SyncSender<Message>,
    bell: Arc<Bell>,
}

/// Returns an inbox and its other end.
pub(super) fn inbox(bell: Arc<Bell>) -> (Inbox, Receiver<Message>) {
    let (messages, receiver) = mpsc::sync_channel(MAX_REQUESTS);
    (Inbox { messages, bell }, receiver)
}

impl Inbox {
    /// Delivers a message; false if the endpoint has ended.
    fn deliver(&self, message: Message) -> bool {
        let delivered = self.messages.send(message).is_ok();
        self.bell.ring();
        delivered
    }

    /// Reads requests from stdin on a thread.
    pub(super) fn read_stdin(&self) -> std::io::Result<()> {
        let inbox = self.clone();
        let read = move || {
            inbox.read_lines(std::io::stdin().lock());
            inbox.deliver(Message::EndOfInput);
        };
        std::thread::Builder::new().name("stdin".into()).spawn(read).map(drop)
    }

    /// Listens on a Unix socket, on a thread. Clients send requests and receive all reports.
    pub(super) fn listen(&self, path: &Path) -> anyhow::Result<()> {
        // A socket that a killed process left behind cannot be bound again.
        if UnixStream::connect(path).is_err() {
            let _ = std::fs::remove_file(path);
        }
        let listener =
            UnixListener::bind(path).with_context(|| format!("cannot listen on {}", path.display()))?;
        let inbox = self.clone();
        let clients = Arc::new(());
        let serve = move || {
            for stream in listener.incoming().flatten() {
                // More clients are disconnected at once.
                if Arc::strong_count(&clients) <= MAX_CLIENTS {
                    inbox.serve(stream, clients.clone());
                }
            }
        };
        std::thread::Builder::new().name("control".into()).spawn(serve).context("cannot start a thread")?;
        Ok(())
    }

    fn serve(&self, stream: UnixStream, client: Arc<()>) {
        let inbox = self.clone();
        let Ok(reports) = stream.try_clone() else { return };
        let read = move || {
            let _client = client;
            if inbox.deliver(Message::Client(reports)) {
                inbox.read_lines(BufReader::new(stream));
            }
        };
        // Without a thread the client is disconnected.
        let _ = std::thread::Builder::new().name("client".into()).spawn(read);
    }

    fn read_lines(&self, mut input: impl BufRead) {
        let mut line = String::new();
        loop {
            line.clear();
            match (&mut input).take(MAX_REQUEST_BYTES).read_line(&mut line) {
                Ok(1..) if line.ends_with('\n') || (line.len() as u64) < MAX_REQUEST_BYTES => {}
                _ => return,
            }
            if line.trim().is_empty() {
                continue;
            }
            let request = serde_json::from_str(&line).map_err(|error| error.to_string());
            if !self.deliver(Message::Request(request)) {
                return;
            }
        }
    }
}

/// Clients that receive reports.
#[derive(Default)]
pub(super) struct Clients(Vec<UnixStream>);

impl Clients {
    /// Adds a client. It is disconnected when it does not read.
    pub(super) fn add(&mut self, stream: UnixStream) {
        if stream.set_nonblocking(false).is_ok()
            && stream.set_write_timeout(Some(std::time::Duration::from_millis(5))).is_ok()
        {
            self.0.push(stream);
        }
    }

    /// Sends a line to all clients.
    pub(super) fn send(&mut self, line: &str) {
        self.0.retain_mut(|stream| {
            let sent = writeln!(stream, "{line}");
            if sent.is_err() {
                let _ = stream.shutdown(std::net::Shutdown::Both);
            }
            sent.is_ok()
        });
    }
}
