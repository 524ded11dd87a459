//! The compact code that programs are compiled to.
//!
//! Operands are limbs of the frame (see [`super::layout`]); constants are limbs too. Operations on values of up
//! to 64 bits are single [`Op`]s; `cut` is 64 less the width of the result. Wider ones and everything with more
//! operands is a [`Site`] or a [`WideOp`].

use super::layout::{HeaderLayout, Slot, Standard};
pub(crate) use super::plan::{Emission, Extraction, Part, Piece};
pub(crate) use super::site::{Data, MeterUnit, Site};

/// First limb of an operand.
pub(crate) type At = u32;
/// An index into [`Code::ops`].
pub(crate) type Pc = u32;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Copy {
        dst: At,
        src: At,
    },
    CopyMany {
        dst: At,
        src: At,
        count: u32,
    },
    Clear {
        dst: At,
        count: u32,
    },
    /// `dst = src` cut to its low bits.
    Cut {
        dst: At,
        src: At,
        cut: u8,
    },
    /// Sign-extends a value of `64 - from` bits.
    SignExtend {
        dst: At,
        src: At,
        from: u8,
        cut: u8,
    },
    Add {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    Sub {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    Mul {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    And {
        dst: At,
        a: At,
        b: At,
    },
    Or {
        dst: At,
        a: At,
        b: At,
    },
    Xor {
        dst: At,
        a: At,
        b: At,
    },
    Not {
        dst: At,
        a: At,
        cut: u8,
    },
    Negate {
        dst: At,
        a: At,
        cut: u8,
    },
    ShiftLeft {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    ShiftRight {
        dst: At,
        a: At,
        b: At,
    },
    ShiftRightSigned {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    AddSaturating {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    SubSaturating {
        dst: At,
        a: At,
        b: At,
    },
    AddSaturatingSigned {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    SubSaturatingSigned {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    Div {
        dst: At,
        a: At,
        b: At,
    },
    Mod {
        dst: At,
        a: At,
        b: At,
    },
    /// `dst = a << low_width | b`.
    Concat {
        dst: At,
        a: At,
        b: At,
        low_width: u8,
    },
    /// `dst = (a >> by)` cut.
    Slice {
        dst: At,
        a: At,
        by: u8,
        cut: u8,
    },
    /// `dst = base | ((a << cut) >> by) << to`: a piece of `a` beside what `base` holds.
    Place {
        dst: At,
        a: At,
        base: At,
        cut: u8,
        by: u8,
        to: u8,
    },
    /// Several moves of bits, in order: so many of [`Code::pieces`].
    Gather {
        first: u32,
        count: u32,
    },
    /// A sum of `count` limbs, the last one cut.
    AddLimbs {
        dst: At,
        a: At,
        b: At,
        count: u8,
        cut: u8,
    },
    /// A difference of `count` limbs, the last one cut.
    SubLimbs {
        dst: At,
        a: At,
        b: At,
        count: u8,
        cut: u8,
    },
    /// Replaces `width` bits of `dst` from `low` on.
    Insert {
        dst: At,
        a: At,
        low: u8,
        width: u8,
    },
    Equal {
        dst: At,
        a: At,
        b: At,
    },
    NotEqual {
        dst: At,
        a: At,
        b: At,
    },
    Less {
        dst: At,
        a: At,
        b: At,
    },
    LessEqual {
        dst: At,
        a: At,
        b: At,
    },
    LessSigned {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    LessEqualSigned {
        dst: At,
        a: At,
        b: At,
        cut: u8,
    },
    /// An operation on wide values, an index into [`Code::wide`].
    Wide(u32),

    Jump {
        to: Pc,
    },
    /// A jump backwards, of which a pass has a limited number.
    JumpBack {
        to: Pc,
    },
    JumpIf {
        a: At,
        to: Pc,
    },
    JumpUnless {
        a: At,
        to: Pc,
    },
    JumpEqual {
        a: At,
        b: At,
        to: Pc,
    },
    JumpNotEqual {
        a: At,
        b: At,
        to: Pc,
    },
    /// `a & mask != value`, where `mask` and `value` are neighbours.
    JumpNotMasked {
        a: At,
        mask: At,
        to: Pc,
    },
    /// `a & mask == value`, where `mask` and `value` are neighbours.
    JumpMasked {
        a: At,
        mask: At,
        to: Pc,
    },
    JumpLess {
        a: At,
        b: At,
        to: Pc,
    },
    JumpNotLess {
        a: At,
        b: At,
        to: Pc,
    },
    /// Through a sorted table of values, an index into [`Code::switches`].
    JumpTable {
        a: At,
        table: u32,
    },
    Call {
        to: Pc,
    },
    /// Returns from an action.
    Return,
    /// The block is complete (by its end, by `exit`, by `accept`).
    End,
    /// Parsing has failed with the error in the limb.
    Reject {
        error: At,
    },

    /// Applies a table, an index into [`Code::applies`].
    Apply(u32),
    /// One-limb registers.
    RegisterRead {
        register: u32,
        dst: At,
        index: At,
    },
    RegisterWrite {
        register: u32,
        index: At,
        src: At,
    },
    /// Registers of `count` limbs and one component.
    RegisterReadLimbs {
        register: u32,
        dst: At,
        index: At,
        count: u8,
    },
    RegisterWriteLimbs {
        register: u32,
        index: At,
        src: At,
        count: u8,
    },
    Count {
        counter: u32,
        index: At,
    },
    /// Anything else, an index into [`Code::sites`].
    Site(u32),

    /// Makes a header valid, its fields zero if it was not.
    SetValid {
        header: At,
    },
    SetInvalid {
        header: At,
    },
    /// Copies validity and fields; numbers of headers are in the limbs.
    CopyHeader {
        dst: At,
        src: At,
    },
    HeaderValid {
        dst: At,
        header: At,
    },
    /// Extracts a header known at compile time.
    Extract {
        header: u32,
    },
    /// Extracts the header whose number is in the limb.
    ExtractAt {
        header: At,
    },
    /// Extracts the header whose number is in the limb, its varbit of so many bits.
    ExtractVarbit {
        header: At,
        bits: At,
    },
    Advance {
        bits: At,
    },
    Lookahead {
        dst: At,
        offset: u32,
        width: u32,
    },
    PacketLength {
        dst: At,
    },
    Emit {
        header: u32,
    },
    EmitAt {
        header: At,
    },
    /// Extracts some fields, an index into [`Code::extracts`].
    ExtractFields(u32),
    /// Emits a header as it came in but for some fields, an index into [`Code::emits`].
    EmitFields(u32),
}

/// Number of a header that does not exist (out of bounds).
pub(crate) const NO_HEADER: u64 = u64::MAX;

/// An operation on values of which one at least is wider than 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideOp {
    pub(crate) kind: WideKind,
    pub(crate) dst: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    /// Lowest bit of slices and inserts.
    pub(crate) low: u32,
}

/// What a [`WideOp`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WideKind {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    AddSaturating,
    SubSaturating,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    Concat,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Not,
    Negate,
    Cast,
    /// To one limb, the largest number when it does not fit.
    Saturate,
    Slice,
    Insert,
}

/// One `apply` of a table.
#[derive(Clone, Debug)]
pub(crate) struct Apply {
    pub(crate) table: u32,
    /// Numbers of the actions that it may run.
    pub(crate) actions: Vec<u32>,
    /// The key, components one behind the other.
    pub(crate) key_at: At,
    pub(crate) key_limbs: u32,
    pub(crate) hit: Option<At>,
    pub(crate) action_run: Option<At>,
    /// Input of the selector's hash.
    pub(crate) selector_data: Vec<Slot>,
    pub(crate) direct: Direct,
    /// Whether the time of the last match matters.
    pub(crate) keeps_time: bool,
}

/// What belongs to a table's entries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direct {
    pub(crate) counter: bool,
    /// Whether the direct meter counts bytes.
    pub(crate) meter: Option<MeterUnit>,
    /// Where the direct meter's colour goes.
    pub(crate) meter_result: Option<Slot>,
}

/// Where to continue for each of some values, sorted.
#[derive(Clone, Debug)]
pub(crate) struct JumpTable {
    pub(crate) values: Vec<u64>,
    pub(crate) targets: Vec<Pc>,
    pub(crate) otherwise: Pc,
}

/// Neighbouring limbs that a packet carries from ingress to egress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) at: At,
    pub(crate) count: u32,
    /// Whether all their values are below 2^32: two share a word then.
    pub(crate) narrow: bool,
}

impl Carried {
    /// The words that they take.
    pub(crate) fn words(self) -> usize {
        let count = self.count as usize;
        if self.narrow { count.div_ceil(2) } else { count }
    }

    /// Fewer narrow neighbours than this are carried as wide ones: another run costs more time than they save room.
    const LEAST: u32 = 5;

    /// Neighbours, split where narrow limbs end or begin.
    pub(crate) fn split(at: At, count: u32, narrow: &[bool]) -> Vec<Carried> {
        let is_narrow = |limb: At| narrow.get(limb as usize).copied().unwrap_or(false);
        let mut made: Vec<Carried> = Vec::new();
        for limb in at..at + count {
            match made.last_mut() {
                Some(last) if last.narrow == is_narrow(limb) => last.count += 1,
                _ => made.push(Carried { at: limb, count: 1, narrow: is_narrow(limb) }),
            }
        }
        let mut merged: Vec<Carried> = Vec::new();
        for run in made {
            let run = Carried { narrow: run.narrow && run.count >= Carried::LEAST, ..run };
            match merged.last_mut() {
                Some(last) if !last.narrow && !run.narrow => last.count += run.count,
                _ => merged.push(run),
            }
        }
        merged
    }
}

/// Where an action's parameters and code are.
#[derive(Clone, Debug)]
pub(crate) struct ActionCode {
    pub(crate) params: Vec<Slot>,
    /// First limb and number of limbs when the parameters lie one behind the other.
    pub(crate) contiguous: Option<(At, u32)>,
    pub(crate) entry: Pc,
    /// Whether its body is empty.
    pub(crate) empty: bool,
}

/// Parser errors that the architecture itself raises: limbs that hold their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorNumbers {
    pub(crate) packet_too_short: u64,
    pub(crate) header_too_short: u64,
    pub(crate) invalid_argument: u64,
    pub(crate) parser_timeout: u64,
}

/// Where the blocks begin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entries {
    pub(crate) parser: Pc,
    pub(crate) verify_checksum: Pc,
    pub(crate) ingress: Pc,
    pub(crate) egress: Pc,
    pub(crate) compute_checksum: Pc,
    pub(crate) deparser: Pc,
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) wide: Vec<WideOp>,
    pub(crate) sites: Vec<Site>,
    pub(crate) applies: Vec<Apply>,
    pub(crate) switches: Vec<JumpTable>,
    pub(crate) actions: Vec<ActionCode>,
    pub(crate) headers: Vec<HeaderLayout>,
    /// Headers of each stack's elements and the limb of `nextIndex`.
    pub(crate) stacks: Vec<(Vec<Vec<u32>>, At)>,
    pub(crate) standard: Standard,
    pub(crate) entries: Entries,
    pub(crate) errors: ErrorNumbers,
    /// Metadata to keep, by field list.
    pub(crate) field_lists: Vec<(u8, Vec<Slot>)>,
    /// Limbs that live as long as the packet.
    pub(crate) carried: u32,
    /// Carried limbs that are metadata, not headers, begin here.
    pub(crate) metadata_at: u32,
    /// Limbs of carried scalars and locals; temporaries and constants follow.
    pub(crate) scalars: u32,
    /// The frame as it is before the first packet: zeros and constants.
    pub(crate) frame: Vec<u64>,
    /// Limbs that hold constants, in order.
    pub(crate) constants: Vec<(At, u64)>,
    /// Moves of bits, and terms of sums.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) extracts: Vec<Extraction>,
    pub(crate) emits: Vec<Emission>,
    /// What must be zero when a block begins, in the order of the blocks: first limb and number.
    pub(crate) clears: [Vec<(At, u32)>; 6],
    /// What a packet carries from ingress to egress.
    pub(crate) carry: Vec<Carried>,
    /// Of each limb that lives as long as the packet, whether its values are below 2^32.
    pub(crate) narrow: Vec<bool>,
}

impl Code {
    /// The value of a limb that always has the same one.
    pub(crate) fn constant(&self, at: At) -> Option<u64> {
        let found = self.constants.binary_search_by_key(&at, |(limb, _)| *limb).ok()?;
        self.constants.get(found).map(|(_, value)| *value)
    }
}
