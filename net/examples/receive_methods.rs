//! Compares two ways to receive frames from a packet socket: `recvmmsg`, as [`Port`] does, and a ring in shared memory
//! (TPACKET_V3).
//!
//! ```text
//! receive_methods SEND RECEIVE BYTES SECONDS FRAMES_PER_SECOND
//! ```
//! The two interfaces are the ends of a veth pair. For each method it prints the processor time of the receiving thread
//! per frame and the frames that were lost, and the delay from sending a single frame to its arrival. `docs/switch.md`
//! has the figures.
#![allow(unsafe_code, reason = "the ring is shared memory")]
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool that measures and prints")]

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::time::{Duration, Instant};

use harrier_net::{Options, Port, wait};
use model::wire::Frame;
use rustix::net::{AddressFamily, SocketFlags, SocketType, netdevice, socket_with};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const BATCH: usize = 64;
const DRAIN: Duration = Duration::from_millis(300);
const BLOCK_BYTES: usize = 1 << 17;
const BLOCKS: usize = 64;
/// The shortest time after which the kernel hands over a block that is not full.
const RETIRE_MS: u32 = 1;
const PROBES: u32 = 200;

/// A way to receive.
trait Receive: Send {
    /// Waits up to `timeout` and receives what has arrived; returns the number of frames.
    fn receive(&mut self, timeout: Duration) -> Result<u64, Failure>;
}

impl Receive for Port {
    fn receive(&mut self, timeout: Duration) -> Result<u64, Failure> {
        wait(&[self.as_fd()], Some(timeout), &mut Vec::new())?;
        let mut frames = 0;
        let mut keep = |frame: harrier_net::Received<'_>| {
            std::hint::black_box(Frame::new(frame.bytes, 0));
            frames += 1;
        };
        while Port::receive(self, &mut keep)? {}
        Ok(frames)
    }
}

/// A TPACKET_V3 ring.
struct Ring {
    fd: OwnedFd,
    memory: *mut u8,
    next: usize,
}

// SAFETY: the memory belongs to the ring alone.
unsafe impl Send for Ring {}

impl Ring {
    fn open(name: &str) -> Result<Ring, Failure> {
        let fd = socket_with(AddressFamily::PACKET, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
        let index = netdevice::name_to_index(&fd, name)?;
        let set = |option: i32, value: *const libc::c_void, length: usize| {
            // SAFETY: the pointer and the length describe a value of the caller that outlives the call.
            let result = unsafe {
                libc::setsockopt(fd.as_raw_fd(), libc::SOL_PACKET, option, value, length as libc::socklen_t)
            };
            if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        };
        let version = libc::tpacket_versions::TPACKET_V3 as i32;
        set(libc::PACKET_VERSION, ptr::from_ref(&version).cast(), size_of::<i32>())?;
        let request = libc::tpacket_req3 {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: 2048,
            tp_frame_nr: (BLOCK_BYTES / 2048 * BLOCKS) as u32,
            tp_retire_blk_tov: RETIRE_MS,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        set(libc::PACKET_RX_RING, ptr::from_ref(&request).cast(), size_of::<libc::tpacket_req3>())?;
        // SAFETY: a new mapping of the socket's ring, whose size is that of the request.
        let memory = unsafe {
            libc::mmap(
                ptr::null_mut(),
                BLOCK_BYTES * BLOCKS,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error().into());
        }
        let address = libc::sockaddr_ll {
            sll_family: libc::AF_PACKET as u16,
            sll_protocol: 3u16.to_be(),
            sll_ifindex: i32::try_from(index)?,
            sll_hatype: 0,
            sll_pkttype: 0,
            sll_halen: 0,
            sll_addr: [0; 8],
        };
        // SAFETY: the pointer and the length describe `address`.
        let bound = unsafe {
            let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
            libc::bind(fd.as_raw_fd(), ptr::from_ref(&address).cast(), length)
        };
        if bound < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        Ok(Ring { fd, memory: memory.cast(), next: 0 })
    }
}

impl Receive for Ring {
    fn receive(&mut self, timeout: Duration) -> Result<u64, Failure> {
        wait(&[self.fd.as_fd()], Some(timeout), &mut Vec::new())?;
        let mut frames = 0;
        loop {
            // SAFETY: block `next` is inside the mapping, and begins with a block descriptor. The status is shared with
            // the kernel and is only accessed atomically; the rest belongs to this thread while the status says so.
            unsafe {
                let block = self.memory.add(self.next * BLOCK_BYTES);
                let header = &mut (*block.cast::<libc::tpacket_block_desc>()).hdr.bh1;
                let status = AtomicU32::from_ptr(&mut header.block_status);
                if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
                    return Ok(frames);
                }
                let mut packet = block.add(header.offset_to_first_pkt as usize);
                for _ in 0..header.num_pkts {
                    let of = &*packet.cast::<libc::tpacket3_hdr>();
                    let bytes = std::slice::from_raw_parts(
                        packet.add(usize::from(of.tp_mac)),
                        of.tp_snaplen as usize,
                    );
                    std::hint::black_box(Frame::new(bytes, 0));
                    packet = packet.add(of.tp_next_offset as usize);
                }
                frames += u64::from(header.num_pkts);
                fence(Ordering::SeqCst);
                status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
            }
            self.next = (self.next + 1) % BLOCKS;
        }
    }
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [send, receive, bytes, seconds, rate] = &args[..] else {
        return Err("expected SEND RECEIVE BYTES SECONDS FRAMES_PER_SECOND".into());
    };
    let frame = Frame::new(&[2; 64], bytes.parse::<u32>()?.saturating_sub(64));
    let (seconds, rate) = (Duration::from_secs(seconds.parse()?), rate.parse()?);
    let mut sender = Port::open(send, &Options::default())?;
    let quiet = Options { promiscuous: true, ..Options::default() };
    measure("recvmmsg", Port::open(receive, &quiet)?, &mut sender, &frame, seconds, rate)?;
    measure("TPACKET_V3", Ring::open(receive)?, &mut sender, &frame, seconds, rate)
}

fn measure(
    name: &str,
    mut method: impl Receive,
    sender: &mut Port,
    frame: &Frame,
    time: Duration,
    rate: f64,
) -> Result<(), Failure> {
    let mut delays = probe(&mut method, sender, frame)?;
    delays.sort();
    let before = sender.counters().sent;
    let done = AtomicBool::new(false);
    let (frames, busy) = std::thread::scope(|scope| -> Result<_, Failure> {
        let count = scope.spawn(|| -> Result<(u64, Duration), Failure> {
            let mut frames = 0;
            let start = thread_time();
            while !done.load(Ordering::Relaxed) {
                frames += method.receive(Duration::from_millis(50))?;
            }
            Ok((frames, thread_time() - start))
        });
        blast(sender, frame, time, rate);
        std::thread::sleep(DRAIN);
        done.store(true, Ordering::Relaxed);
        count.join().map_err(|_| "the receiving thread panicked")?
    })?;
    let sent = sender.counters().sent - before;
    println!(
        "{name}: {} frames/s, {} lost, {} ns of processor time a frame; delay of a single frame: median {:?}, 99 % \
         {:?}",
        frames / time.as_secs().max(1),
        sent.saturating_sub(frames),
        busy.as_nanos() / u128::from(frames.max(1)),
        delays[delays.len() / 2],
        delays[delays.len() * 99 / 100]
    );
    Ok(())
}

/// Sends single frames and measures when each has arrived.
fn probe(method: &mut impl Receive, sender: &mut Port, frame: &Frame) -> Result<Vec<Duration>, Failure> {
    let mut delays = Vec::new();
    for _ in 0..PROBES {
        let start = Instant::now();
        sender.send(std::slice::from_ref(frame));
        while method.receive(Duration::from_secs(1))? == 0 {}
        delays.push(start.elapsed());
    }
    Ok(delays)
}

fn blast(port: &mut Port, frame: &Frame, time: Duration, rate: f64) {
    let batch = vec![frame.clone(); BATCH];
    let start = Instant::now();
    let mut sent = 0.0;
    while start.elapsed() < time {
        if sent < start.elapsed().as_secs_f64() * rate {
            port.send(&batch);
            sent += BATCH as f64;
        } else {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}
