//! The control socket of a NIC: a Unix socket with one JSON object a line in each direction.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

/// Longest request.
const MAX_REQUEST_BYTES: u64 = 64 << 10;
/// Requests that wait for the NIC.
const MAX_REQUESTS: usize = 16;
/// How long a client waits for the reply, and the NIC for the rest of a request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A request to a NIC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Starts the flows of the host, and its faults, at their times after this moment. What still runs is abandoned.
    Start {
        /// The moment, in ns since 1970.
        at_unix_ns: u64,
        /// Whether flows start.
        flows: bool,
        /// Whether faults start.
        faults: bool,
        /// The first packet sequence number of connections, the same at all NICs.
        #[serde(default)]
        first_psn: u32,
    },
    /// Starts the faults of the host now.
    Faults,
    /// The state of the host's flows.
    Status,
}

/// The reply to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// Flows that the host sends: label, bytes, acknowledged bytes, whether it is complete.
    pub(crate) flows: Vec<FlowState>,
}

/// A flow of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FlowState {
    /// Its label.
    pub(crate) label: String,
    /// Its 5-tuple.
    pub(crate) flow: String,
    /// Bytes.
    pub(crate) bytes: u64,
    /// Bytes that are acknowledged.
    pub(crate) acknowledged_bytes: u64,
    /// When it was complete, in network time after the start.
    pub(crate) finish_ns: Option<u64>,
}

/// A request with the way to reply.
pub(super) struct Pending {
    pub(super) request: Request,
    pub(super) reply: SyncSender<Reply>,
}

/// Opens the socket and serves one client after another on a thread.
pub(super) fn listen(path: &Path) -> anyhow::Result<Receiver<Pending>> {
    remove_stale(path)?;
    let listener =
        UnixListener::bind(path).with_context(|| format!("cannot listen on {}", path.display()))?;
    let (requests, pending) = mpsc::sync_channel(MAX_REQUESTS);
    let serve = move || {
        for stream in listener.incoming().flatten() {
            // A client that sends nonsense or disconnects affects only itself.
            let _ = serve_client(&stream, &requests);
        }
    };
    std::thread::Builder::new().name("control".into()).spawn(serve).context("cannot start a thread")?;
    Ok(pending)
}

/// Removes the socket that a killed process left behind: it cannot be bound again. Anything else stays.
fn remove_stale(path: &Path) -> anyhow::Result<()> {
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    let is_stale = metadata.file_type().is_socket()
        && UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused);
    if !is_stale {
        bail!("{} exists and is in use or not a socket; choose another --control", path.display());
    }
    std::fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))
}

fn serve_client(stream: &UnixStream, requests: &SyncSender<Pending>) -> anyhow::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_REQUEST_BYTES)).read_line(&mut line)?;
    let answer = match serde_json::from_str(&line) {
        Ok(request) => {
            let (reply, replies) = mpsc::sync_channel(1);
            requests.send(Pending { request, reply })?;
            serde_json::to_string(&replies.recv_timeout(TIMEOUT)?)?
        }
        Err(error) => serde_json::json!({ "error": error.to_string() }).to_string(),
    };
    let mut stream = stream;
    writeln!(stream, "{answer}")?;
    Ok(())
}

/// Sends a request to the NIC that listens on `path`.
pub(crate) fn request(path: &Path, request: &Request) -> anyhow::Result<Reply> {
    let exchange = || -> anyhow::Result<String> {
        let mut stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        writeln!(stream, "{}", serde_json::to_string(request)?)?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line)?;
        Ok(line)
    };
    let line = exchange().with_context(|| format!("no reply from the NIC at {}", path.display()))?;
    match serde_json::from_str(&line) {
        Ok(reply) => Ok(reply),
        Err(_) => bail!("the NIC at {} rejects the request: {}", path.display(), line.trim()),
    }
}
