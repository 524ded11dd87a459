//! A program that runs beside Harrier and ends with it.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Maximum bytes of an output; the rest is ignored. That of perftest has a few kB.
const OUTPUT_BYTES: u64 = 1 << 20;
/// How long to wait for the last output of a program that has ended: a descendant may hold it open.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// A running program. Dropped, it is killed.
pub(super) struct Process {
    child: Child,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
}

/// What a program has left.
pub(super) struct Ended {
    /// How it ended.
    pub(super) status: ExitStatus,
    /// Its standard output.
    pub(super) stdout: String,
    /// Its errors.
    pub(super) stderr: String,
}

impl Process {
    /// Starts a program without input.
    ///
    /// # Errors
    /// It does not exist or cannot be executed.
    pub(super) fn start(command: &mut Command) -> io::Result<Process> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
        Ok(Process { child, stdout, stderr })
    }

    /// What the program has left, if it has ended.
    ///
    /// # Errors
    /// The kernel does not say whether it has ended.
    pub(super) fn ended(&mut self) -> io::Result<Option<Ended>> {
        let Some(status) = self.child.try_wait()? else { return Ok(None) };
        Ok(Some(Ended { status, stdout: text(&self.stdout), stderr: text(&self.stderr) }))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a stream in a thread of its own, so that a program with much output does not block.
fn read(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let Some(stream) = stream else { return receiver };
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.take(OUTPUT_BYTES).read_to_end(&mut bytes);
        // The receiver is gone if the output is not read.
        let _ = sender.send(bytes);
    });
    receiver
}

fn text(stream: &Receiver<Vec<u8>>) -> String {
    let bytes = stream.recv_timeout(OUTPUT_TIMEOUT).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
