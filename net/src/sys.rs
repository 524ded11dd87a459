//! The system calls of packet sockets that no safe wrapper offers: `packet(7)`, `netdevice(7)`, `recvmmsg(2)`,
//! `sendmmsg(2)`. `ring`: frames in memory that the kernel shares.
//!
//! This is the only module with unsafe code. Each function is safe to call: it takes references and slices, and builds
//! what the kernel reads and writes from them for the duration of one call.
#![allow(unsafe_code, reason = "system calls without a safe wrapper, with a proof at each")]

mod ring;

use std::ffi::{c_int, c_uint, c_ulong, c_void};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

use crate::offload::HEADER_BYTES;
use crate::ring::Instruction;

pub(crate) use self::ring::{SLOTS as RING_SLOTS, SharedRing};

/// Frames that one call receives or sends at most.
pub(crate) const BATCH: usize = 64;
/// Bytes in front of a received frame, for a VLAN tag that is put back.
pub(crate) const TAG_BYTES: usize = 4;
/// Longest received frame: an unsegmented packet of 64 KiB, which the sender left to segmentation offload.
pub(crate) const MAX_FRAME_BYTES: usize = (64 << 10) + 64;
/// Bytes of a frame that a ring receives.
pub(crate) const SNAP_BYTES: u32 = 128;
/// Bytes of one receive buffer.
const SLOT_BYTES: usize = TAG_BYTES + MAX_FRAME_BYTES;
/// Space for the control messages of one frame, in words: auxiliary data and a timestamp.
const CONTROL_WORDS: usize = 16;
/// Commands of `linux/ethtool.h`.
const ETHTOOL_GSET: u32 = 0x01;
const ETHTOOL_GSTRINGS: u32 = 0x1b;
const ETHTOOL_GSTATS: u32 = 0x1d;
const ETHTOOL_GSSET_INFO: u32 = 0x37;
/// The set of strings that names the statistics of a driver (`ETH_SS_STATS`).
const STATISTICS_SET: u32 = 1;
/// Length of a string of a driver (`ETH_GSTRING_LEN`).
const STRING_BYTES: usize = 32;
/// Maximum statistics of a driver.
const MAX_STATISTICS: usize = 16_384;
/// Space for statistics in a buffer: the driver states their number before it writes them, and the number of queues may
/// grow in between.
const STATISTICS_SPACE: usize = 4 * MAX_STATISTICS;

/// Zero bytes at the end of sent frames.
static ZEROES: [u8; MAX_FRAME_BYTES] = [0; MAX_FRAME_BYTES];
/// The header in front of a sent frame: complete, no offloads.
static NO_OFFLOAD: [u8; HEADER_BYTES] = [0; HEADER_BYTES];

/// Sets a socket option whose value is an `int`.
pub(crate) fn set_option(fd: BorrowedFd<'_>, level: c_int, option: c_int, value: c_int) -> io::Result<()> {
    set_raw(fd, level, option, &value)
}

/// Receives all frames of the interface, also those for other addresses, until the socket is closed.
pub(crate) fn set_promiscuous(fd: BorrowedFd<'_>, index: c_int) -> io::Result<()> {
    let request = libc::packet_mreq {
        mr_ifindex: index,
        mr_type: libc::PACKET_MR_PROMISC as u16,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    set_raw(fd, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &request)
}

fn set_raw<T: Copy>(fd: BorrowedFd<'_>, level: c_int, option: c_int, value: &T) -> io::Result<()> {
    // SAFETY: the pointer and the length describe `value`, which outlives the call; the kernel only reads it.
    let result = unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            level,
            option,
            ptr::from_ref(value).cast::<c_void>(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    check(result)
}

/// Lets a socket receive only what a filter selects. The kernel checks the filter.
pub(crate) fn attach_filter(fd: BorrowedFd<'_>, filter: &[Instruction]) -> io::Result<()> {
    let mut instructions: Vec<libc::sock_filter> = filter
        .iter()
        .map(|instruction| libc::sock_filter {
            code: instruction.code,
            jt: instruction.jump_true,
            jf: instruction.jump_false,
            k: instruction.operand,
        })
        .collect();
    let length = u16::try_from(instructions.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // The kernel copies the instructions, which outlive the call, and does not write to them.
    let program = libc::sock_fprog { len: length, filter: instructions.as_mut_ptr() };
    set_raw(fd, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)
}

/// Returns how many frames the kernel dropped since the last call, because the socket's buffer or ring was full.
pub(crate) fn take_drops(fd: BorrowedFd<'_>) -> io::Result<u32> {
    let mut stats = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
    let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
    // SAFETY: the pointers and the length describe `stats`, which outlives the call; all bit patterns are valid for it.
    let result = unsafe {
        libc::getsockopt(
            fd.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            ptr::from_mut(&mut stats).cast::<c_void>(),
            &mut length,
        )
    };
    check(result).map(|()| stats.tp_drops)
}

/// Binds a packet socket to an interface and an EtherType; it receives nothing before.
pub(crate) fn bind(fd: BorrowedFd<'_>, index: c_int, ethertype: u16) -> io::Result<()> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: ethertype.to_be(),
        sll_ifindex: index,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    // SAFETY: the pointer and the length describe `address`, which outlives the call; the kernel only reads it.
    let result = unsafe {
        libc::bind(
            fd.as_raw_fd(),
            ptr::from_ref(&address).cast::<libc::sockaddr>(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    check(result)
}

/// Properties of an interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interface {
    /// Hardware address.
    pub address: [u8; 6],
    /// ARP hardware type; 1 is Ethernet.
    pub kind: u16,
    /// Maximum payload of a frame in bytes.
    pub mtu: u32,
}

/// Returns the properties of an interface.
pub(crate) fn interface(fd: BorrowedFd<'_>, name: &str) -> io::Result<Interface> {
    let mut request = request(name)?;
    ioctl(fd, libc::SIOCGIFHWADDR, &mut request)?;
    // SAFETY: SIOCGIFHWADDR has set this field of the union, and all bit patterns are valid for it.
    let hardware = unsafe { request.ifr_ifru.ifru_hwaddr };
    ioctl(fd, libc::SIOCGIFMTU, &mut request)?;
    // SAFETY: SIOCGIFMTU has set this field of the union, and all bit patterns are valid for it.
    let mtu = unsafe { request.ifr_ifru.ifru_mtu };
    let address = std::array::from_fn(|at| hardware.sa_data[at] as u8);
    Ok(Interface { address, kind: hardware.sa_family, mtu: mtu.max(0) as u32 })
}

/// Returns whether the interface is administratively up, and whether its link is up.
pub(crate) fn is_up(fd: BorrowedFd<'_>, name: &str) -> io::Result<(bool, bool)> {
    let mut request = request(name)?;
    ioctl(fd, libc::SIOCGIFFLAGS, &mut request)?;
    // SAFETY: SIOCGIFFLAGS has set this field of the union, and all bit patterns are valid for it.
    let flags = c_int::from(unsafe { request.ifr_ifru.ifru_flags });
    Ok((flags & libc::IFF_UP != 0, flags & libc::IFF_RUNNING != 0))
}

/// `struct ethtool_cmd` of `linux/ethtool.h`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct EthtoolCommand {
    command: u32,
    supported: u32,
    advertising: u32,
    speed: u16,
    /// Duplex, port, address, transceiver, negotiation, MDIO.
    kinds: [u8; 6],
    packets: [u32; 2],
    speed_high: u16,
    mdix: [u8; 2],
    partner: u32,
    reserved: [u32; 2],
}

/// Returns the speed of the link in Mb/s; `None` if the driver does not know it.
pub(crate) fn speed_mbps(fd: BorrowedFd<'_>, name: &str) -> io::Result<Option<u32>> {
    let mut command = EthtoolCommand { command: ETHTOOL_GSET, ..EthtoolCommand::default() };
    let mut request = request(name)?;
    request.ifr_ifru.ifru_data = ptr::from_mut(&mut command).cast();
    match ioctl(fd, libc::SIOCETHTOOL as c_ulong, &mut request) {
        Ok(()) => {}
        Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => return Ok(None),
        Err(error) => return Err(error),
    }
    let speed = u32::from(command.speed_high) << 16 | u32::from(command.speed);
    Ok((speed != 0 && speed != u32::MAX).then_some(speed))
}

/// Returns names and values of the statistics of a driver; empty if it has none.
pub(crate) fn driver_statistics(fd: BorrowedFd<'_>, name: &str) -> io::Result<Vec<(String, u64)>> {
    // `ethtool_sset_info` in words of 32 bits: command, reserved, mask of 64 bits, size of the set.
    let mut info = vec![0u64; 3];
    info[0] = words(ETHTOOL_GSSET_INFO, 0);
    info[1] = 1 << STATISTICS_SET;
    if !ethtool(fd, name, &mut info)? || info[1] == 0 {
        return Ok(Vec::new());
    }
    let count = low_word(info[2]) as usize;
    if count > MAX_STATISTICS {
        return Err(io::Error::other(format!("it has {count}, more than {MAX_STATISTICS}")));
    }
    // `ethtool_gstrings`: command, set, length, then the strings.
    let mut strings = vec![0u64; 2 + STATISTICS_SPACE * STRING_BYTES / size_of::<u64>()];
    strings[0] = words(ETHTOOL_GSTRINGS, STATISTICS_SET);
    strings[1] = words(count as u32, 0);
    // `ethtool_stats`: command, number, then the values.
    let mut values = vec![0u64; 1 + STATISTICS_SPACE];
    values[0] = words(ETHTOOL_GSTATS, count as u32);
    if count == 0 || !ethtool(fd, name, &mut strings)? || !ethtool(fd, name, &mut values)? {
        return Ok(Vec::new());
    }
    // The strings start after three words of 32 bits.
    let bytes: Vec<u8> =
        strings.iter().flat_map(|word| word.to_ne_bytes()).skip(12).take(count * STRING_BYTES).collect();
    let found = (low_word(strings[1]) as usize).min(high_word(values[0]) as usize);
    let text = |string: &[u8]| {
        let end = string.iter().position(|byte| *byte == 0).unwrap_or(string.len());
        String::from_utf8_lossy(&string[..end]).trim().to_string()
    };
    let named = bytes.chunks_exact(STRING_BYTES).map(text).zip(values.iter().skip(1).copied());
    Ok(named.take(found).collect())
}

/// Two words of 32 bits that follow each other in memory.
fn words(first: u32, second: u32) -> u64 {
    let (first, second) = (first.to_ne_bytes(), second.to_ne_bytes());
    u64::from_ne_bytes(std::array::from_fn(|at| if at < 4 { first[at] } else { second[at - 4] }))
}

/// The first word of 32 bits.
fn low_word(words: u64) -> u32 {
    let bytes = words.to_ne_bytes();
    u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The second word of 32 bits.
fn high_word(words: u64) -> u32 {
    let bytes = words.to_ne_bytes();
    u32::from_ne_bytes([bytes[4], bytes[5], bytes[6], bytes[7]])
}

/// Executes an ethtool command on a buffer that starts with it. Returns `false` if the driver does not support it.
///
/// The buffer must have space for what the command writes: [`driver_statistics`] allows four times the largest number
/// of statistics that it accepts.
fn ethtool(fd: BorrowedFd<'_>, name: &str, buffer: &mut [u64]) -> io::Result<bool> {
    let mut request = request(name)?;
    request.ifr_ifru.ifru_data = buffer.as_mut_ptr().cast();
    match ioctl(fd, libc::SIOCETHTOOL as c_ulong, &mut request) {
        Ok(()) => Ok(true),
        Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns an interface request for a name.
fn request(name: &str) -> io::Result<libc::ifreq> {
    // SAFETY: `ifreq` consists of bytes and a union of plain data, for which zero bytes are valid.
    let mut request: libc::ifreq = unsafe { zeroed() };
    if name.len() >= request.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(request)
}

fn ioctl(fd: BorrowedFd<'_>, operation: c_ulong, request: &mut libc::ifreq) -> io::Result<()> {
    // SAFETY: the operations of this module read and write one `ifreq`, which `request` borrows exclusively. With
    // SIOCETHTOOL it points to an `EthtoolCommand`, which has the layout of `ethtool_cmd`, or to the words of `ethtool`,
    // whose length covers what the command writes; both outlive the call.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), operation as _, ptr::from_mut(request)) })
}

fn check(result: c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What the kernel reports about a received frame, apart from its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    /// Bytes of the frame; more than the buffer has if it was cut off.
    pub bytes: usize,
    /// The header in front of the frame.
    pub offload: [u8; HEADER_BYTES],
    /// Whether this machine sent the frame.
    pub outgoing: bool,
    /// VLAN tag that the kernel moved out of the frame: EtherType and control information.
    pub tag: Option<(u16, u16)>,
    /// When the kernel received or sent the frame, in ns since 1970.
    pub at_ns: Option<u64>,
}

/// Buffers for a batch of received frames.
pub(crate) struct Batch {
    slots: Vec<u8>,
    metas: Vec<Meta>,
    /// Frames that the next call asks for: preparing a message costs time, and most calls receive few frames.
    wanted: usize,
}

/// Frames that a call asks for at least.
const LEAST_WANTED: usize = 4;

impl Batch {
    pub(crate) fn new() -> Batch {
        Batch { slots: vec![0; BATCH * SLOT_BYTES], metas: Vec::with_capacity(BATCH), wanted: LEAST_WANTED }
    }

    /// Receives the frames that have arrived, without blocking, at most [`BATCH`]. Returns whether there may be more.
    pub(crate) fn receive(&mut self, fd: BorrowedFd<'_>) -> io::Result<bool> {
        let wanted = self.wanted;
        let mut offloads = [[0u8; HEADER_BYTES]; BATCH];
        let mut controls = [[0u64; CONTROL_WORDS]; BATCH];
        // SAFETY: these are plain data with integers and pointers, for which zero bytes are valid.
        let (mut names, mut vectors, mut messages): (
            [libc::sockaddr_ll; BATCH],
            [[libc::iovec; 2]; BATCH],
            [libc::mmsghdr; BATCH],
        ) = unsafe { (zeroed(), zeroed(), zeroed()) };
        for (at, slot) in self.slots.chunks_exact_mut(SLOT_BYTES).take(wanted).enumerate() {
            let frame = &mut slot[TAG_BYTES..];
            vectors[at] = [
                libc::iovec { iov_base: offloads[at].as_mut_ptr().cast(), iov_len: HEADER_BYTES },
                libc::iovec { iov_base: frame.as_mut_ptr().cast(), iov_len: frame.len() },
            ];
            let header = &mut messages[at].msg_hdr;
            header.msg_name = ptr::from_mut(&mut names[at]).cast();
            header.msg_namelen = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
            header.msg_iov = vectors[at].as_mut_ptr();
            header.msg_iovlen = 2;
            header.msg_control = controls[at].as_mut_ptr().cast();
            header.msg_controllen = size_of::<[u64; CONTROL_WORDS]>() as _;
        }
        let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
        // SAFETY: each of the first `wanted` messages, of which there are at most `BATCH`, points to a name, vectors and
        // control words of its own in the arrays above, and its vectors to an offload header and to a part of `slots` of
        // its own; all of them outlive the call, and no other reference to them is used during it.
        let received = unsafe {
            libc::recvmmsg(
                fd.as_raw_fd(),
                messages.as_mut_ptr(),
                wanted as c_uint,
                flags as _,
                ptr::null_mut(),
            )
        };
        check(received)?;
        let received = (received as usize).min(wanted);
        self.wanted = (2 * received).clamp(LEAST_WANTED, BATCH);
        self.metas.clear();
        for (at, message) in messages[..received].iter().enumerate() {
            let mut meta = Meta {
                bytes: (message.msg_len as usize).saturating_sub(HEADER_BYTES),
                offload: offloads[at],
                outgoing: names[at].sll_pkttype == libc::PACKET_OUTGOING,
                tag: None,
                at_ns: None,
            };
            read_control(&message.msg_hdr, &mut meta);
            self.metas.push(meta);
        }
        Ok(received == wanted)
    }

    /// Forgets the received frames.
    pub(crate) fn forget(&mut self) {
        self.metas.clear();
    }

    /// Returns the frames that the last [`Batch::receive`] received: space for a tag, then the frame.
    pub(crate) fn frames(&mut self) -> impl Iterator<Item = (Meta, &mut [u8])> {
        self.metas.iter().copied().zip(self.slots.chunks_exact_mut(SLOT_BYTES))
    }
}

/// Reads the control messages of a received message.
fn read_control(header: &libc::msghdr, meta: &mut Meta) {
    // SAFETY: `header` is as `recvmmsg` left it, so its control pointer and length describe the control messages of a
    // frame, and the macro stays within them.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(header) };
    // SAFETY: a pointer of the macros that is not null refers to a control message of `header`, which stays borrowed.
    while let Some(control) = unsafe { next.as_ref() } {
        match (control.cmsg_level, control.cmsg_type) {
            (libc::SOL_PACKET, libc::PACKET_AUXDATA) => {
                // SAFETY: the kernel writes this structure, which is plain data, under this level and type.
                let aux = unsafe { control_data::<libc::tpacket_auxdata>(control) };
                meta.tag = aux.and_then(|aux| tag(&aux));
            }
            (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                // SAFETY: the kernel writes this structure, which is plain data, under this level and type.
                let time = unsafe { control_data::<libc::timespec>(control) };
                meta.at_ns = time.and_then(|time| {
                    u64::try_from(i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)).ok()
                });
            }
            _ => {}
        }
        // SAFETY: `control` is a control message of `header`.
        next = unsafe { libc::CMSG_NXTHDR(header, control) };
    }
}

/// Returns the content of a control message; `None` if it is too short.
///
/// # Safety
/// The content must be a valid `T`, and `control` must be in the control buffer of a message.
unsafe fn control_data<T: Copy>(control: &libc::cmsghdr) -> Option<T> {
    // SAFETY: CMSG_LEN only calculates.
    let needed = unsafe { libc::CMSG_LEN(size_of::<T>() as c_uint) } as usize;
    if control.cmsg_len < needed {
        return None;
    }
    // SAFETY: the message has at least the length of a `T` after its header, as checked, and the caller guarantees that
    // it is one. The read does not need alignment.
    Some(unsafe { libc::CMSG_DATA(control).cast::<T>().read_unaligned() })
}

/// Returns EtherType and control information of the VLAN tag that the kernel moved out of a frame.
fn tag(aux: &libc::tpacket_auxdata) -> Option<(u16, u16)> {
    let has = |status| aux.tp_status & status != 0;
    let ethertype =
        if has(libc::TP_STATUS_VLAN_TPID_VALID) { aux.tp_vlan_tpid } else { model::wire::ETHERTYPE_VLAN };
    has(libc::TP_STATUS_VLAN_VALID).then_some((ethertype, aux.tp_vlan_tci))
}

/// Sends up to [`BATCH`] frames, each of leading bytes and a number of zero bytes, without blocking. The result is how
/// many were sent.
///
/// # Errors
/// If the first frame could not be sent.
pub(crate) fn send<'a>(
    fd: BorrowedFd<'_>,
    frames: impl Iterator<Item = (&'a [u8], usize)>,
) -> io::Result<usize> {
    // SAFETY: these are plain data with integers and pointers, for which zero bytes are valid.
    let (mut vectors, mut messages): ([[libc::iovec; 3]; BATCH], [libc::mmsghdr; BATCH]) =
        unsafe { (zeroed(), zeroed()) };
    let mut count = 0;
    for (head, tail) in frames.take(BATCH) {
        let vector =
            |bytes: &[u8]| libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        vectors[count] = [vector(&NO_OFFLOAD), vector(head), vector(&ZEROES[..tail.min(ZEROES.len())])];
        messages[count].msg_hdr.msg_iov = vectors[count].as_mut_ptr();
        messages[count].msg_hdr.msg_iovlen = 3;
        count += 1;
    }
    // SAFETY: the first `count` messages point to vectors of their own in the array above, and these to frames that are
    // borrowed for longer than the call and to constants; the kernel only reads them.
    let sent = unsafe {
        libc::sendmmsg(fd.as_raw_fd(), messages.as_mut_ptr(), count as c_uint, libc::MSG_DONTWAIT as _)
    };
    check(sent)?;
    Ok(sent as usize)
}
