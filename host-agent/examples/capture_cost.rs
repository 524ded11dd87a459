//! Measures what an agent costs while RoCEv2 flows cross the interface that it captures.
//!
//! ```text
//! capture_cost HOST PEER FRAMES_PER_SECOND SECONDS PID
//! ```
//! HOST and PEER are the ends of a veth pair, PID is an agent on HOST with the address 10.0.0.1. Half of the frames are
//! data that leaves HOST, half are acknowledgements from PEER. It prints the processor time of the agent from
//! `/proc/PID/stat`, which includes the kernel's part of its system calls. `scripts/bench-agent.sh` runs it.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool that measures and prints")]

use std::time::{Duration, Instant};

use model::wire::bth::{self, Bth};
use model::wire::{Aeth, ETHERTYPE_IPV4, Ethernet, Frame, Ipv4, ROCE_V2_PORT, Udp};
use net::{Options, Port};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Flows of the host.
const FLOWS: u16 = 64;
/// Data packets that a flow sends in a row, before their acknowledgements arrive.
const WINDOW: u32 = 16;
/// Bytes of data in a packet, besides headers.
const DATA_BYTES: u32 = 1024;
/// An EtherType for experiments (IEEE 802): the sockets must not receive what they send.
const EXPERIMENT: u16 = 0x88b5;
/// Ticks of `/proc/PID/stat` in a second (`USER_HZ`, the same on all machines).
const TICKS: f64 = 100.0;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [host, peer, rate, seconds, pid] = &args[..] else {
        return Err("expected HOST PEER FRAMES_PER_SECOND SECONDS PID".into());
    };
    let (rate, duration) = (rate.parse()?, Duration::from_secs(seconds.parse()?));
    let options = Options { promiscuous: false, ethertype: Some(EXPERIMENT), ..Options::default() };
    let (mut host, mut peer) = (Port::open(host, &options)?, Port::open(peer, &options)?);
    let before = ticks(pid)?;
    let start = Instant::now();
    let frames = exchange(&mut host, &mut peer, rate, duration);
    let elapsed_s = start.elapsed().as_secs_f64();
    let after = ticks(pid)?;
    let percent = |before: u64, after: u64| (after - before) as f64 / TICKS / elapsed_s * 100.0;
    let (user, system) = (percent(before.0, after.0), percent(before.1, after.1));
    println!(
        "{:.0} frames/s: the agent used {:.1} % of a core (user {user:.1} %, system {system:.1} %)",
        frames as f64 / elapsed_s,
        user + system,
    );
    Ok(())
}

/// Sends windows of data and their acknowledgements, flow by flow, at a rate. Returns the number of frames.
fn exchange(host: &mut Port, peer: &mut Port, rate: u64, duration: Duration) -> u64 {
    let (start, mut frames, mut psn) = (Instant::now(), 0, 0);
    loop {
        for flow in 0..FLOWS {
            while start.elapsed().as_secs_f64() * (rate as f64) < frames as f64 {
                std::thread::sleep(Duration::from_micros(200));
            }
            if start.elapsed() >= duration {
                return frames;
            }
            let window = psn..psn + WINDOW;
            host.send(&window.clone().map(|psn| data(flow, psn)).collect::<Vec<_>>());
            peer.send(&window.map(|psn| acknowledgement(flow, psn)).collect::<Vec<_>>());
            frames += 2 * u64::from(WINDOW);
        }
        psn += WINDOW;
    }
}

fn data(flow: u16, psn: u32) -> Frame {
    let header =
        Bth { opcode: bth::RC_WRITE_MIDDLE, queue_pair: 100 + u32::from(flow), psn, ..Bth::default() };
    frame((1, 2), flow, &header.to_bytes(), DATA_BYTES)
}

fn acknowledgement(flow: u16, psn: u32) -> Frame {
    let header =
        Bth { opcode: bth::RC_ACKNOWLEDGE, queue_pair: 500 + u32::from(flow), psn, ..Bth::default() };
    let mut payload = header.to_bytes().to_vec();
    payload.extend(Aeth { syndrome: 0x1f, msn: psn }.to_bytes());
    frame((2, 1), flow, &payload, 0)
}

/// A RoCEv2 frame between hosts 10.0.0.`src` and 10.0.0.`dst`. Its payload ends with `tail` zero bytes.
fn frame((src, dst): (u8, u8), flow: u16, payload: &[u8], tail: u32) -> Frame {
    let udp_bytes = (8 + payload.len()) as u16 + tail as u16;
    let ethernet =
        Ethernet { dst: [2, 0, 0, 0, 0, dst], src: [2, 0, 0, 0, 0, src], ethertype: ETHERTYPE_IPV4 };
    let ip = Ipv4 {
        dscp: 26,
        ecn: 2,
        total_len: 20 + udp_bytes,
        id: 0,
        fragment: 0x4000,
        ttl: 64,
        proto: 17,
        src: [10, 0, 0, src].into(),
        dst: [10, 0, 0, dst].into(),
    };
    let udp = Udp { sport: 10_000 + flow, dport: ROCE_V2_PORT, len: udp_bytes, checksum: 0 };
    let mut head = ethernet.to_bytes().to_vec();
    head.extend(ip.to_bytes());
    head.extend(udp.to_bytes());
    head.extend(payload);
    Frame::new(&head, tail)
}

/// Returns the user and system time of a process in ticks (`proc_pid_stat(5)`).
fn ticks(pid: &str) -> Result<(u64, u64), Failure> {
    let path = format!("/proc/{pid}/stat");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    // The name of the process may contain spaces; it ends with the last parenthesis.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field = |number: usize| fields.get(number).ok_or("too few fields").map(|text| text.parse());
    // Fields 14 and 15 of the manual, which counts from the process id.
    Ok((field(11)??, field(12)??))
}
