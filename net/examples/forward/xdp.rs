//! AF_XDP sockets on queue 0 of an interface, in copy mode (`Documentation/networking/af_xdp.rst`).
#![allow(unsafe_code, reason = "buffers that are shared with the kernel, with a proof at each use")]

use std::cell::RefCell;
use std::ffi::CString;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::rc::Rc;

use model::wire::Frame;
use rustix::io::Errno;
use rustix::net::SendFlags;
use xdp::nic::NicIndex;
use xdp::slab::{HeapSlab, Slab};
use xdp::socket::XdpSocketBuilder;
use xdp::umem::UmemCfgBuilder;
use xdp::{Packet, RingConfigBuilder, Rings, Umem};

use crate::bpf::{Mode, Program};
use crate::{Failure, Path, Receive, TURN_FRAMES, Transmit};

/// Buffers of a ring: 8 MiB, as a port has.
const RING_BUFFERS: u32 = 2048;
/// Buffers that two sockets need: those to receive into and those on the way out.
const BUFFERS: u32 = 4 * RING_BUFFERS;
/// Maximum calls to send the frames of one turn. The kernel sends 32 in a call.
const CALLS: usize = 4 * TURN_FRAMES / 32;

/// The buffers. Two sockets may share them: each registers the same memory, and the free buffers are one list.
type Buffers = Rc<RefCell<Umem>>;

fn buffers() -> Result<Buffers, Failure> {
    let config = UmemCfgBuilder { frame_count: BUFFERS, ..UmemCfgBuilder::default() }.build()?;
    Ok(Rc::new(RefCell::new(Umem::map(config)?)))
}

/// A socket and its rings. The fields are dropped in this order: the buffers last.
struct Socket {
    _program: Program,
    rings: Rings,
    socket: XdpSocketBuilder,
    /// Buffers to be passed to the kernel for frames to receive.
    missing: usize,
    buffers: Buffers,
}

impl Socket {
    /// Opens a socket; `fragments`: for frames in several buffers.
    fn open(name: &str, mode: Mode, fragments: bool, buffers: &Buffers) -> Result<Socket, Failure> {
        let index = NicIndex::lookup_by_name(&CString::new(name)?)?.ok_or("no such interface")?;
        let mut socket = XdpSocketBuilder::new()?;
        let config = RingConfigBuilder {
            rx_count: RING_BUFFERS,
            tx_count: RING_BUFFERS,
            fill_count: RING_BUFFERS,
            completion_count: RING_BUFFERS,
        };
        let (rings, _) = socket.build_rings(&buffers.borrow(), config.build()?)?;
        bind(&socket, index.0, fragments)?;
        let program = Program::attach(index.0, socket.as_raw_fd(), mode)?;
        let missing = RING_BUFFERS as usize;
        let mut socket = Socket { _program: program, rings, socket, missing, buffers: Rc::clone(buffers) };
        socket.refill();
        Ok(socket)
    }

    fn fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the socket stays open for as long as `self` is borrowed.
        unsafe { BorrowedFd::borrow_raw(self.socket.as_raw_fd()) }
    }

    /// Passes buffers to the kernel in place of those that came with frames.
    fn refill(&mut self) {
        // SAFETY: the buffers outlive the rings, for this value holds them.
        self.missing -= unsafe { self.rings.fill_ring.enqueue(&mut self.buffers.borrow_mut(), self.missing) };
    }

    /// Receives buffers with frames as far as `packets` has space.
    fn take(&mut self, packets: &mut HeapSlab) {
        if let Some(ring) = &mut self.rings.rx_ring {
            // SAFETY: the caller frees or sends the packets, and holds the buffers meanwhile.
            self.missing += unsafe { ring.recv(&self.buffers.borrow(), packets) };
        }
    }

    /// Sends the packets, and frees those that do not fit into the ring. Returns how many were passed to the kernel.
    fn give(&mut self, packets: &mut HeapSlab) -> usize {
        let mut buffers = self.buffers.borrow_mut();
        let Some(ring) = &mut self.rings.tx_ring else { return 0 };
        // SAFETY: the buffers outlive the socket, for this value holds them.
        let given = unsafe { ring.send(packets) };
        while let Some(packet) = packets.pop_back() {
            buffers.free_packet(packet);
        }
        drop(buffers);
        for _ in 0..CALLS {
            // The kernel sends within the call, in copy mode.
            match rustix::net::send(self.fd(), &[], SendFlags::DONTWAIT) {
                Err(Errno::AGAIN | Errno::BUSY | Errno::NOBUFS) => {}
                _ => break,
            }
        }
        self.reclaim();
        given
    }

    /// Frees the buffers that were sent.
    fn reclaim(&mut self) {
        self.rings.completion_ring.dequeue(&mut self.buffers.borrow_mut(), RING_BUFFERS as usize);
    }
}

/// Binds a socket to queue 0 of an interface, in copy mode. The library's own `bind` has no frames in several buffers.
fn bind(socket: &XdpSocketBuilder, interface: u32, fragments: bool) -> Result<(), Failure> {
    let address = libc::sockaddr_xdp {
        sxdp_family: libc::AF_XDP as u16,
        sxdp_flags: libc::XDP_COPY | if fragments { libc::XDP_USE_SG } else { 0 },
        sxdp_ifindex: interface,
        sxdp_queue_id: 0,
        sxdp_shared_umem_fd: 0,
    };
    // SAFETY: the pointer and the length describe `address`, which outlives the call; the kernel only reads it.
    let result = unsafe {
        let length = size_of::<libc::sockaddr_xdp>() as libc::socklen_t;
        libc::bind(socket.as_raw_fd(), std::ptr::from_ref(&address).cast(), length)
    };
    if result < 0 { Err(std::io::Error::last_os_error().into()) } else { Ok(()) }
}

/// A socket whose frames are copied, as the switch would have to.
pub(crate) struct Copied {
    packets: HeapSlab,
    socket: Socket,
}

impl Copied {
    pub(crate) fn open(name: &str, mode: Mode) -> Result<Copied, Failure> {
        let packets = HeapSlab::with_capacity(TURN_FRAMES);
        Ok(Copied { packets, socket: Socket::open(name, mode, false, &buffers()?)? })
    }
}

impl Receive for Copied {
    fn fd(&self) -> BorrowedFd<'_> {
        self.socket.fd()
    }

    fn receive(&mut self, frames: &mut Vec<Frame>) -> Result<(), Failure> {
        self.socket.take(&mut self.packets);
        while let Some(packet) = self.packets.pop_back() {
            frames.push(Frame::new(packet.slice_at_offset(0, packet.len())?, 0));
            self.socket.buffers.borrow_mut().free_packet(packet);
        }
        self.socket.refill();
        Ok(())
    }
}

impl Transmit for Copied {
    fn send(&mut self, frames: &[Frame]) -> u64 {
        let mut sent = 0;
        for part in frames.chunks(TURN_FRAMES) {
            for frame in part {
                if let Some(packet) = copy(&mut self.socket.buffers.borrow_mut(), frame) {
                    self.packets.push_front(packet);
                }
            }
            sent += self.socket.give(&mut self.packets);
        }
        sent as u64
    }
}

/// Copies a received frame into a free buffer; `None` if there is none.
fn copy(buffers: &mut Umem, frame: &Frame) -> Option<Packet> {
    // SAFETY: the packet is sent or freed while the buffers exist.
    let mut packet = unsafe { buffers.alloc() }?;
    if packet.append(&frame.head).is_err() {
        buffers.free_packet(packet);
        return None;
    }
    Some(packet)
}

/// Two sockets that share their buffers; a received one is sent as it is.
pub(crate) struct Moved {
    packets: HeapSlab,
    sockets: [Socket; 2],
}

impl Moved {
    pub(crate) fn open(first: &str, second: &str, mode: Mode) -> Result<Moved, Failure> {
        let (packets, buffers) = (HeapSlab::with_capacity(TURN_FRAMES), buffers()?);
        let open = |name| Socket::open(name, mode, true, &buffers);
        Ok(Moved { packets, sockets: [open(first)?, open(second)?] })
    }
}

impl Path for Moved {
    fn fds(&self) -> [BorrowedFd<'_>; 2] {
        self.sockets.each_ref().map(Socket::fd)
    }

    /// Counts buffers, of which a jumbo frame has several.
    fn turn(&mut self, readable: [bool; 2]) -> Result<u64, Failure> {
        let mut forwarded = 0;
        for from in [0, 1] {
            if readable[from] {
                self.sockets[from].take(&mut self.packets);
                forwarded += self.sockets[1 - from].give(&mut self.packets);
                self.sockets[from].refill();
            }
        }
        Ok(forwarded as u64)
    }
}
