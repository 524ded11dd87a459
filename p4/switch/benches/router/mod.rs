//! The router of `tests/programs/router.p4` with a table of each match kind, and packets for it.

use std::sync::Arc;

use model::Rate;
use model::wire::Frame;
use p4_lang::ir::{Bits, Block, MatchKind, Program};
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::control::{ActionCall, FieldMatch, TableEntry};
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};

/// A match kind and a number of table entries.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Match kind of the table; `None` for a router that only parses and deparses.
    pub(crate) kind: Option<MatchKind>,
    pub(crate) entries: u64,
}

/// All cases.
pub(crate) const CASES: &[Case] = &[
    Case { name: "parse and deparse", kind: None, entries: 1 },
    Case { name: "1 route", kind: Some(MatchKind::Lpm), entries: 1 },
    Case { name: "10,000 routes", kind: Some(MatchKind::Lpm), entries: 10_000 },
    Case { name: "1 exact entry", kind: Some(MatchKind::Exact), entries: 1 },
    Case { name: "10,000 exact entries", kind: Some(MatchKind::Exact), entries: 10_000 },
    Case { name: "1 ternary entry", kind: Some(MatchKind::Ternary), entries: 1 },
    Case { name: "500 ternary entries", kind: Some(MatchKind::Ternary), entries: 500 },
    Case { name: "1 range", kind: Some(MatchKind::Range), entries: 1 },
    Case { name: "500 ranges", kind: Some(MatchKind::Range), entries: 500 },
];

/// Prefix lengths, approximately as frequent as on the Internet.
const LENGTHS: [u32; 16] = [24, 24, 22, 24, 23, 24, 16, 20, 24, 21, 24, 19, 24, 32, 12, 18];

impl Case {
    /// Creates a switch that runs the router with its entries.
    pub(crate) fn switch(self) -> Switch {
        let mut program = router();
        match self.kind {
            Some(kind) => program.tables[0].keys.iter_mut().for_each(|key| key.match_kind = kind),
            None => {
                program.verify_checksum = Block::default();
                program.compute_checksum = Block::default();
                program.ingress = Block::default();
            }
        }
        let tm = TmConfig::lossy((0..=4).map(|port| (port, Rate::from_gbps(100))), 1 << 20);
        let mut switch = Switch::new(SwitchConfig::new(tm));
        switch.load(Arc::new(program)).expect("the program fits");
        let Some(kind) = self.kind else { return switch };
        let action = switch.control().action("forward").expect("the program declares the action");
        for number in 0..self.entries {
            let port = u128::from(number % 5);
            let args = vec![Bits::new(48, 0x0600_0000_0000 + u128::from(number)), Bits::new(9, port)];
            let priority =
                if matches!(kind, MatchKind::Ternary | MatchKind::Range) { 1 + number as i32 } else { 0 };
            let entry = TableEntry::new(vec![matched(kind, number)], priority, ActionCall { action, args });
            switch
                .control()
                .table_insert("routes", entry)
                .expect("invariant: every number has a distinct match");
        }
        switch
    }

    /// Returns packets that match entries in all parts of the table.
    pub(crate) fn frames(self) -> Vec<Frame> {
        (0..1_024).map(|number| packet(self.destination(number * 37 % self.entries))).collect()
    }

    /// Returns an address that an entry matches, unless another entry with a longer prefix or higher priority does.
    fn destination(self, number: u64) -> u32 {
        match self.kind {
            Some(MatchKind::Lpm) => {
                let (address, length) = prefix(number);
                address | 0x0055_aa33 & u32::MAX.checked_shr(length).unwrap_or(0)
            }
            _ => block(number),
        }
    }
}

/// Returns the match of the entry with this number.
fn matched(kind: MatchKind, number: u64) -> FieldMatch {
    let bits = |value: u32| Bits::new(32, u128::from(value));
    let first = block(number);
    match kind {
        MatchKind::Lpm => {
            let (address, prefix_bits) = prefix(number);
            FieldMatch::Lpm { value: bits(address), prefix_bits }
        }
        MatchKind::Ternary => {
            let mask = 0xffff_ff00 | (0x11 * (number % 16)) as u32;
            FieldMatch::Ternary { value: bits(first & mask), mask: bits(mask) }
        }
        MatchKind::Range => FieldMatch::Range { low: bits(first), high: bits(first | 0xff) },
        _ => FieldMatch::Exact(bits(first)),
    }
}

/// Returns a block of 256 addresses that no other number has.
fn block(number: u64) -> u32 {
    0x0a00_0000 | (number as u32) << 8
}

/// Returns a prefix that no other number has: numbers are spread by an odd factor, and no length exceeds its
/// capacity.
fn prefix(number: u64) -> (u32, u32) {
    let length = LENGTHS[(number % 16) as usize];
    let spread = (number as u32).wrapping_mul(0x9e37_79b1) >> (32 - length);
    (spread << (32 - length), length)
}

fn router() -> Program {
    let loader = MemoryLoader::new().with("router.p4", include_str!("../../tests/programs/router.p4"));
    compile("router.p4", &loader, &Options::default()).program.expect("the router compiles")
}

/// Returns a packet of 64 bytes to an address.
fn packet(destination: u32) -> Frame {
    let mut head = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    let mut ip = vec![0x45, 0, 0, 50, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1];
    ip.extend(destination.to_be_bytes());
    let sum = model::wire::ipv4::checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    head.extend(ip);
    head.resize(64, 0);
    Frame::new(&head, 0)
}
