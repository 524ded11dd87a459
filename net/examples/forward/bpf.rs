//! The XDP program that passes the frames of an interface to an AF_XDP socket: `bpf(2)`.
//!
//! It is six instructions. A library that loads programs (`aya`) would bring an ELF parser and a compiler for it.
#![allow(unsafe_code, reason = "a system call without a safe wrapper, with a proof")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::Failure;

/// Where the program runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    /// In the network stack, after the driver has made a socket buffer (`XDP_FLAGS_SKB_MODE`).
    Generic,
    /// In the driver (`XDP_FLAGS_DRV_MODE`).
    Native,
}

/// Commands of `linux/bpf.h`.
const MAP_CREATE: libc::c_long = 0;
const MAP_UPDATE: libc::c_long = 2;
const PROGRAM_LOAD: libc::c_long = 5;
const LINK_CREATE: libc::c_long = 28;
const MAP_TYPE_XSKMAP: u32 = 17;
const PROGRAM_TYPE_XDP: u32 = 6;
const ATTACH_XDP: u32 = 37;
/// The program accepts frames in several buffers (`BPF_F_XDP_HAS_FRAGS`).
const HAS_FRAGMENTS: u32 = 1 << 5;

/// The first fields of `union bpf_attr` for each command; the rest is zero.
#[repr(C)]
struct MapCreate {
    kind: u32,
    key_bytes: u32,
    value_bytes: u32,
    entries: u32,
}

#[repr(C)]
struct MapUpdate {
    map: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

#[repr(C)]
struct ProgramLoad {
    kind: u32,
    instructions: u32,
    code: u64,
    license: u64,
    log_level: u32,
    log_bytes: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
}

#[repr(C)]
struct LinkCreate {
    program: u32,
    interface: u32,
    attach: u32,
    flags: u32,
}

/// The program on an interface, until this value is dropped.
pub(crate) struct Program {
    /// Holds the program, which holds the map.
    _link: OwnedFd,
}

impl Program {
    /// Passes the frames of queue 0 of an interface to a bound socket, and those of other queues to the kernel.
    pub(crate) fn attach(interface: u32, socket: RawFd, mode: Mode) -> Result<Program, Failure> {
        let map =
            bpf(MAP_CREATE, &MapCreate { kind: MAP_TYPE_XSKMAP, key_bytes: 4, value_bytes: 4, entries: 1 })?;
        let map = fd(map);
        let (key, value) = (0u32, socket as u32);
        bpf(
            MAP_UPDATE,
            &MapUpdate {
                map: map.as_raw_fd() as u32,
                padding: 0,
                key: address(&key),
                value: address(&value),
                flags: 0,
            },
        )?;
        let code = instructions(map.as_raw_fd());
        let program = bpf(
            PROGRAM_LOAD,
            &ProgramLoad {
                kind: PROGRAM_TYPE_XDP,
                instructions: code.len() as u32,
                code: address(&code),
                license: c"Apache-2.0".as_ptr().addr() as u64,
                log_level: 0,
                log_bytes: 0,
                log: 0,
                kernel_version: 0,
                flags: HAS_FRAGMENTS,
            },
        )?;
        let program = fd(program);
        let flags = match mode {
            Mode::Generic => 1 << 1,
            Mode::Native => 1 << 2,
        };
        let program = program.as_raw_fd() as u32;
        let link = bpf(LINK_CREATE, &LinkCreate { program, interface, attach: ATTACH_XDP, flags })?;
        Ok(Program { _link: fd(link) })
    }
}

/// `return bpf_redirect_map(&map, context->rx_queue_index, XDP_PASS)`, as `struct bpf_insn`: operation, registers (source
/// above destination), offset, operand.
fn instructions(map: RawFd) -> [u64; 6] {
    let instruction = |operation: u8, registers: u8, offset: i16, operand: i32| {
        let [low, high] = offset.to_ne_bytes();
        let [a, b, c, d] = operand.to_ne_bytes();
        u64::from_ne_bytes([operation, registers, low, high, a, b, c, d])
    };
    [
        instruction(0x61, 0x12, 16, 0),  // r2 = *(u32 *)(r1 + 16): the queue
        instruction(0x18, 0x11, 0, map), // r1 = map
        instruction(0x00, 0x00, 0, 0),   // (second half)
        instruction(0xb7, 0x03, 0, 2),   // r3 = XDP_PASS
        instruction(0x85, 0x00, 0, 51),  // call bpf_redirect_map
        instruction(0x95, 0x00, 0, 0),   // exit
    ]
}

fn address<T>(value: &T) -> u64 {
    std::ptr::from_ref(value).addr() as u64
}

/// Calls `bpf(2)` with the attributes of the command.
fn bpf<T>(command: libc::c_long, attributes: &T) -> io::Result<RawFd> {
    // SAFETY: the pointer and the length describe `attributes`, in the layout of the command, which the kernel only
    // reads; the addresses in it are those of values of the caller that outlive the call, and the kernel copies them.
    let result =
        unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attributes), size_of::<T>()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as RawFd) }
}

/// Takes ownership of a descriptor that `bpf` has just returned.
fn fd(raw: RawFd) -> OwnedFd {
    // SAFETY: the commands that this is called for return a new descriptor, which nothing else owns.
    unsafe { OwnedFd::from_raw_fd(raw) }
}
