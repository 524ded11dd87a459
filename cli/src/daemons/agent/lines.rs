//! Measurements as JSON lines on a Unix socket or standard input: for NICs whose frames bypass the kernel, and for
//! tests. One [`Measurement`] a line, with an optional `time_ns` (nanoseconds since 1970; otherwise the time of arrival).

use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, bail};
use host_agent::{Measured, Measurement};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::net::UnixListener;
use tokio::sync::Semaphore;
use tracing::warn;

use super::source::{Measurements, Source};
use crate::daemons::operations::wall_ns;

/// Maximum bytes of a line; the connection of a longer one is closed.
const LINE_BYTES: u64 = 4096;
/// Maximum difference of a line's time from its arrival; a line with another time has the time of its arrival.
const SKEW_NS: u64 = 1_000_000_000;
/// Maximum connections at the same time; further ones wait.
const CONNECTIONS: usize = 16;

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    time_ns: Option<u64>,
    #[serde(flatten)]
    measurement: Measurement,
}

/// A Unix socket.
pub(crate) struct SocketSource {
    /// Path of the socket; a socket of an earlier start is replaced.
    pub(crate) path: PathBuf,
    /// Where the file is kept while the agent runs.
    pub(crate) file: Arc<OnceLock<SocketFile>>,
}

/// The file of a socket, which is removed on drop.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// Device and number of the file.
    identity: (u64, u64),
}

impl SocketFile {
    fn of(path: PathBuf) -> std::io::Result<SocketFile> {
        let identity = identity(&path)?;
        Ok(SocketFile { path, identity })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Another agent may have replaced it.
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> std::io::Result<(u64, u64)> {
    std::fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

impl Source for SocketSource {
    fn start(self: Box<Self>, measurements: Measurements) -> anyhow::Result<()> {
        let name = self.path.display().to_string();
        match std::fs::symlink_metadata(&self.path) {
            Ok(found) if !found.file_type().is_socket() => bail!("socket: {name} exists and is not a socket"),
            Ok(_) => {
                std::fs::remove_file(&self.path).with_context(|| format!("socket: cannot replace {name}"))?
            }
            Err(_) => {}
        }
        let listener =
            UnixListener::bind(&self.path).with_context(|| format!("socket: cannot listen on {name}"))?;
        let file = SocketFile::of(self.path).with_context(|| format!("socket: cannot find {name}"))?;
        // The source is started once.
        drop(self.file.set(file));
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        tokio::spawn(async move {
            loop {
                let Ok(permit) = connections.clone().acquire_owned().await else { return };
                let Ok((stream, _)) = listener.accept().await else { continue };
                let measurements = measurements.clone();
                tokio::spawn(async move {
                    read(stream, &measurements).await;
                    drop(permit);
                });
            }
        });
        Ok(())
    }
}

/// Standard input.
pub(crate) struct StandardInput;

impl Source for StandardInput {
    fn start(self: Box<Self>, measurements: Measurements) -> anyhow::Result<()> {
        tokio::spawn(async move { read(tokio::io::stdin(), &measurements).await });
        Ok(())
    }
}

async fn read(input: impl AsyncRead + Unpin, measurements: &Measurements) {
    let mut input = BufReader::new(input);
    let mut text = Vec::new();
    loop {
        text.clear();
        match (&mut input).take(LINE_BYTES).read_until(b'\n', &mut text).await {
            Ok(0) | Err(_) => return,
            Ok(_) if text.last() != Some(&b'\n') && text.len() as u64 >= LINE_BYTES => {
                warn!("a line of measurements is longer than {LINE_BYTES} bytes; the connection is closed");
                return;
            }
            Ok(_) if text.trim_ascii().is_empty() => continue,
            Ok(_) => {}
        }
        match serde_json::from_slice::<Line>(&text) {
            Ok(line) => {
                if matches!(line.measurement, Measurement::Opened { priority: 8.., .. }) {
                    warn!("a line has a priority above 7; it is ignored");
                    continue;
                }
                let now_ns = wall_ns();
                let time_ns =
                    line.time_ns.filter(|time_ns| time_ns.abs_diff(now_ns) < SKEW_NS).unwrap_or(now_ns);
                measurements.take(&[Measured { time_ns, measurement: line.measurement }]);
            }
            Err(error) => warn!(%error, "a line is not a measurement; it is ignored"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_measurements() {
        let check = |text: &str, expected: Option<Measurement>| {
            let found = serde_json::from_str::<Line>(text).map(|line| line.measurement).ok();
            assert_eq!(found, expected, "{text}");
        };
        let flow = "10.0.0.1:10000>10.0.3.1:4791/udp".parse().unwrap();
        check(
            r#"{"event": "opened", "flow": "10.0.0.1:10000>10.0.3.1:4791/udp", "priority": 3, "base_ns": 9000}"#,
            Some(Measurement::Opened { flow, priority: 3, base_ns: Some(9_000) }),
        );
        check(
            r#"{"time_ns": 5, "event": "acknowledged", "flow": "10.0.0.1:10000>10.0.3.1:4791/udp", "rtt_ns": 9}"#,
            Some(Measurement::Acknowledged { flow, rtt_ns: Some(9), outstanding: false }),
        );
        check(r#"{"event": "acknowledged"}"#, None);
        check(r#"{"event": "melted", "flow": "10.0.0.1:10000>10.0.3.1:4791/udp"}"#, None);
    }
}
