//! Forwards frames between two interfaces in one thread, without a program in between, through one kind of socket, and
//! reports what that costs. `scripts/bench-sockets.sh` compares the kinds; `docs/switch.md` has the figures.
//!
//! ```text
//! forward KIND A B [SECONDS]
//! ```
//! It ends after the seconds or with SIGTERM. Every kind but the last two receives each frame into a [`Frame`], as
//! `harrier switch` does, and sends it from there:
//!
//! - `packet`: [`Port`], exactly as the switch uses it; `packet-bypass`: it sends past the queueing discipline;
//! - `tpacket-v2`, `tpacket-v3`: a receive ring in shared memory, and [`Port`] to send;
//! - `tpacket-v3-tx`: that with a ring to send, past the queueing discipline;
//! - `xdp-generic`, `xdp-native`: AF_XDP behind an XDP program in the network stack or in the driver, in copy mode;
//! - `xdp-generic-move`, `xdp-native-move`: these, with the received buffer sent as it is, and frames in several buffers.
//!
//! The rings and AF_XDP restore neither VLAN tags nor what was left to offloads, which [`Port`] does: their figures are
//! bounds, not those of a complete port.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool that measures and prints")]

mod bpf;
mod mapping;
mod tpacket;
mod transmit;
mod xdp;

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use harrier_net::{Options, Port, wait};
use model::wire::Frame;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::SignalFd;

use crate::bpf::Mode;
use crate::tpacket::{Blocks, Slots};
use crate::transmit::TransmitRing;
use crate::xdp::{Copied, Moved};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Frames that are received from one interface before they are sent, as in the switch: four calls of 64.
const TURN_FRAMES: usize = 256;
/// Longest wait for frames.
const WAIT: Duration = Duration::from_millis(100);
/// An EtherType for local experiments (IEEE Std 802), so that a socket that only sends receives nothing.
const UNUSED_ETHERTYPE: u16 = 0x88b5;

/// Receives from one interface.
trait Receive {
    /// Returns the descriptor that is readable when frames have arrived.
    fn fd(&self) -> BorrowedFd<'_>;
    /// Appends frames that have arrived, at most about [`TURN_FRAMES`], without blocking.
    fn receive(&mut self, frames: &mut Vec<Frame>) -> Result<(), Failure>;
}

/// Sends to one interface.
trait Transmit {
    /// Sends frames without blocking; returns how many it passed to the kernel.
    fn send(&mut self, frames: &[Frame]) -> u64;
}

/// Two interfaces with frames that go from one to the other.
trait Path {
    /// Returns the descriptors that are readable when frames have arrived.
    fn fds(&self) -> [BorrowedFd<'_>; 2];
    /// Forwards what has arrived at the interfaces that are readable; returns the number of frames.
    fn turn(&mut self, readable: [bool; 2]) -> Result<u64, Failure>;
}

impl Receive for Port {
    fn fd(&self) -> BorrowedFd<'_> {
        self.as_fd()
    }

    fn receive(&mut self, frames: &mut Vec<Frame>) -> Result<(), Failure> {
        while frames.len() < TURN_FRAMES
            && Port::receive(self, |frame| frames.push(Frame::new(frame.bytes, 0)))?
        {}
        Ok(())
    }
}

impl Transmit for Port {
    fn send(&mut self, frames: &[Frame]) -> u64 {
        Port::send(self, frames);
        frames.len() as u64
    }
}

/// A socket that receives and one that sends.
struct Two<R, S>(R, S);

impl<R: Receive, S> Receive for Two<R, S> {
    fn fd(&self) -> BorrowedFd<'_> {
        self.0.fd()
    }

    fn receive(&mut self, frames: &mut Vec<Frame>) -> Result<(), Failure> {
        self.0.receive(frames)
    }
}

impl<R, S: Transmit> Transmit for Two<R, S> {
    fn send(&mut self, frames: &[Frame]) -> u64 {
        self.1.send(frames)
    }
}

/// Interfaces whose frames are copied on the way.
struct Copying<L> {
    lines: [L; 2],
    frames: Vec<Frame>,
}

impl<L: Receive + Transmit + 'static> Copying<L> {
    fn boxed(first: L, second: L) -> Box<dyn Path> {
        Box::new(Copying { lines: [first, second], frames: Vec::new() })
    }
}

impl<L: Receive + Transmit> Path for Copying<L> {
    fn fds(&self) -> [BorrowedFd<'_>; 2] {
        self.lines.each_ref().map(Receive::fd)
    }

    fn turn(&mut self, readable: [bool; 2]) -> Result<u64, Failure> {
        let mut forwarded = 0;
        for from in [0, 1] {
            if readable[from] {
                self.lines[from].receive(&mut self.frames)?;
                forwarded += self.lines[1 - from].send(&self.frames);
                self.frames.clear();
            }
        }
        Ok(forwarded)
    }
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kind, first, second, seconds @ ..] = &args[..] else {
        return Err("expected KIND A B [SECONDS]".into());
    };
    let seconds: Option<u64> = seconds.first().map(|seconds| seconds.parse()).transpose()?;
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.thread_block()?;
    let stop = SignalFd::new(&signals)?;
    let mut path = open(kind, first, second)?;
    let started = Instant::now();
    let end = seconds.map(|seconds| started + Duration::from_secs(seconds));
    let before = processor_time()?;
    let frames = forward(path.as_mut(), &stop, end)?;
    let after = processor_time()?;
    let (user, system) = (after.0 - before.0, after.1 - before.1);
    println!(
        "{kind}: forwarded {frames} frames in {:.1} s; user {} ms, system {} ms, {} ns a frame",
        started.elapsed().as_secs_f64(),
        user.as_millis(),
        system.as_millis(),
        (user + system).as_nanos() / u128::from(frames.max(1))
    );
    Ok(())
}

fn open(kind: &str, first: &str, second: &str) -> Result<Box<dyn Path>, Failure> {
    let port = |name, bypass| Port::open(name, &Options { bypass, ..Options::default() });
    let sender =
        |name| Port::open(name, &Options { ethertype: Some(UNUSED_ETHERTYPE), ..Options::default() });
    Ok(match kind {
        "packet" => Copying::boxed(port(first, false)?, port(second, false)?),
        "packet-bypass" => Copying::boxed(port(first, true)?, port(second, true)?),
        "tpacket-v2" => {
            let line = |name| -> Result<_, Failure> { Ok(Two(Slots::open(name)?, sender(name)?)) };
            Copying::boxed(line(first)?, line(second)?)
        }
        "tpacket-v3" => {
            let line = |name| -> Result<_, Failure> { Ok(Two(Blocks::open(name)?, sender(name)?)) };
            Copying::boxed(line(first)?, line(second)?)
        }
        "tpacket-v3-tx" => {
            let line =
                |name| -> Result<_, Failure> { Ok(Two(Blocks::open(name)?, TransmitRing::open(name)?)) };
            Copying::boxed(line(first)?, line(second)?)
        }
        "xdp-generic" => {
            Copying::boxed(Copied::open(first, Mode::Generic)?, Copied::open(second, Mode::Generic)?)
        }
        "xdp-native" => {
            Copying::boxed(Copied::open(first, Mode::Native)?, Copied::open(second, Mode::Native)?)
        }
        "xdp-generic-move" => Box::new(Moved::open(first, second, Mode::Generic)?),
        "xdp-native-move" => Box::new(Moved::open(first, second, Mode::Native)?),
        _ => return Err(format!("unknown kind {kind}").into()),
    })
}

/// Forwards frames until a signal arrives or the time has come; returns their number.
fn forward(path: &mut dyn Path, stop: &SignalFd, end: Option<Instant>) -> Result<u64, Failure> {
    let (mut frames, mut ready) = (0, Vec::new());
    while end.is_none_or(|end| Instant::now() < end) {
        let [first, second] = path.fds();
        wait(&[stop.as_fd(), first, second], Some(WAIT), &mut ready)?;
        let [stopped, first, second] = ready[..] else { continue };
        if stopped.readable {
            break;
        }
        if first.failed || second.failed {
            return Err("an interface went down".into());
        }
        frames += path.turn([first.readable, second.readable])?;
    }
    Ok(frames)
}

/// Returns the processor time of this process: in the program and in the system.
fn processor_time() -> Result<(Duration, Duration), Failure> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = |time: nix::sys::time::TimeVal| {
        Duration::from_micros((time.tv_sec() * 1_000_000 + time.tv_usec()).unsigned_abs())
    };
    Ok((micros(usage.user_time()), micros(usage.system_time())))
}
