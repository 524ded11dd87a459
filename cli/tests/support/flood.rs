//! A host that sends polling packets as fast as its link carries them, each for another event.

use std::io::Write as _;
use std::ops::Range;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::FlowKey;
use model::wire::polling::{Follow, Polling};
use model::wire::{ETHERTYPE_POLLING, Ethernet, Frame};
use nix::sched::{CloneFlags, setns};

/// Event ids of the flood; no host of a lab has this number.
pub(crate) const EVENTS: Range<u32> = 0x7000_0000..0x7800_0000;
/// Line rate of the shortest frames on a link of 50 Gb/s in a lab that is 4096 times slower.
const FRAMES_PER_SECOND: u64 = 18_000;
/// Interval at which frames are sent.
const INTERVAL: Duration = Duration::from_millis(5);

/// Sends until it is dropped.
pub(crate) struct Flood {
    sent: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Flood {
    /// Sends on `eth0` of a namespace, for flows like this one.
    pub(crate) fn start(namespace: &str, flow: &str) -> Flood {
        let flow: FlowKey = flow.parse().expect("a flow");
        let (sent, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, stopped) = (sent.clone(), stop.clone());
        let namespace = std::fs::File::open(format!("/run/netns/{namespace}")).expect("a namespace");
        let thread = std::thread::spawn(move || {
            setns(namespace, CloneFlags::CLONE_NEWNET).expect("root may enter a namespace");
            let options = net::Options {
                promiscuous: false,
                ethertype: Some(ETHERTYPE_POLLING),
                ..net::Options::default()
            };
            let mut port = net::Port::open("eth0", &options).expect("an interface");
            let started = Instant::now();
            let mut events = EVENTS;
            while !stopped.load(Ordering::Relaxed) {
                let due = started.elapsed().as_millis() as u64 * FRAMES_PER_SECOND / 1000;
                let missing = due.saturating_sub(counted.load(Ordering::Relaxed)).min(1024);
                let frames: Vec<Frame> =
                    events.by_ref().take(missing as usize).map(|event| poll(flow, event)).collect();
                port.send(&frames);
                counted.fetch_add(frames.len() as u64, Ordering::Relaxed);
                std::thread::park_timeout(INTERVAL);
            }
        });
        Flood { sent, stop, thread: Some(thread) }
    }

    /// Frames so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            eprintln!("the flood has failed");
        }
    }
}

/// A polling packet for a flow, with another source port for each event.
fn poll(flow: FlowKey, event: u32) -> Frame {
    let flow = FlowKey { sport: event as u16, ..flow };
    let polling = Polling { follow: Follow::VictimPath, hop_limit: 16, priority: 3, event, flow };
    let header = Ethernet { dst: [0xff; 6], src: [2, 0, 0, 0, 0, 4], ethertype: ETHERTYPE_POLLING };
    let mut frame = Frame::new(&header.to_bytes(), 0);
    frame.head.extend_from_slice(&polling.to_bytes());
    // The shortest frame has 60 bytes.
    frame.tail = 60u32.saturating_sub(frame.head.len() as u32);
    frame
}

/// Gives an agent a measurement of a slow flow.
pub(crate) fn slow_flow(agent: &mut Child, from: &str, to: &str) {
    let input = agent.stdin.as_mut().expect("piped");
    let flow = format!("{from}:10000>{to}:4791/udp");
    let opened = format!(r#"{{"event": "opened", "flow": "{flow}", "priority": 3, "base_ns": 9000}}"#);
    let slow = format!(r#"{{"event": "acknowledged", "flow": "{flow}", "rtt_ns": 100000000}}"#);
    writeln!(input, "{opened}\n{slow}").expect("the agent reads");
}
