//! Measures how many frames a second cross a path between two interfaces: sends on one, counts on the other.
//!
//! ```text
//! throughput SEND RECEIVE BYTES SECONDS [FRAMES_PER_SECOND]
//! ```
//! Without a rate it sends as fast as it can. `scripts/bench-switch.sh` runs it through `harrier switch`.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool that measures and prints")]

use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harrier_net::{Options, Port, wait};
use model::wire::Frame;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Frames of one call.
const BATCH: usize = 64;
/// Time for the last frames to arrive.
const DRAIN: Duration = Duration::from_millis(500);

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [send, receive, bytes, seconds, rate @ ..] = &args[..] else {
        return Err("expected SEND RECEIVE BYTES SECONDS [FRAMES_PER_SECOND]".into());
    };
    let (bytes, seconds): (u32, u64) = (bytes.parse()?, seconds.parse()?);
    let rate: Option<u64> = rate.first().map(|rate| rate.parse()).transpose()?;
    let mut sender = Port::open(send, &Options::default())?;
    let receiver = Port::open(receive, &Options::default())?;
    let done = AtomicBool::new(false);
    let received = std::thread::scope(|scope| -> Result<u64, Failure> {
        let counter = scope.spawn(|| count(receiver, &done));
        blast(&mut sender, &frame(bytes), Duration::from_secs(seconds), rate);
        std::thread::sleep(DRAIN);
        done.store(true, Ordering::Relaxed);
        counter.join().map_err(|_| "the counting thread panicked")?
    })?;
    let sent = sender.counters().sent;
    println!(
        "{bytes} B: sent {} frames/s, received {} frames/s ({:.2} % lost)",
        sent / seconds,
        received / seconds,
        100.0 * (1.0 - received as f64 / sent.max(1) as f64)
    );
    Ok(())
}

/// An IPv4 and UDP frame whose payload is zero.
fn frame(bytes: u32) -> Frame {
    let mut head = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 8, 0];
    let ip_bytes = (bytes - 14) as u16;
    head.extend([0x45, 0]);
    head.extend(ip_bytes.to_be_bytes());
    head.extend([0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    let sum: u32 = head[14..34].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    let checksum = !(((sum & 0xffff) + (sum >> 16)) as u16);
    head[24..26].copy_from_slice(&checksum.to_be_bytes());
    head.extend([0xc0, 0, 0x20, 0]);
    head.extend((ip_bytes - 20).to_be_bytes());
    head.extend([0, 0]);
    let tail = bytes - head.len() as u32;
    Frame::new(&head, tail)
}

fn blast(port: &mut Port, frame: &Frame, time: Duration, rate: Option<u64>) {
    let batch = vec![frame.clone(); BATCH];
    let start = Instant::now();
    let mut sent = 0;
    while start.elapsed() < time {
        let allowed = rate.map_or(u64::MAX, |rate| (start.elapsed().as_secs_f64() * rate as f64) as u64);
        if sent < allowed {
            port.send(&batch);
            sent += BATCH as u64;
        } else {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

fn count(mut port: Port, done: &AtomicBool) -> Result<u64, Failure> {
    let (mut frames, mut ready) = (0, Vec::new());
    while !done.load(Ordering::Relaxed) {
        wait(&[port.as_fd()], Some(Duration::from_millis(100)), &mut ready)?;
        while port.receive(|_| frames += 1)? {}
    }
    Ok(frames)
}
