//! The bytecode that programs are compiled to.
//!
//! Operands are limbs of the frame (see [`super::layout`]); constants are limbs too. Operations on values of up to 64
//! bits are single [`Op`]s; `cut` is 64 minus the width of the result. Wider operations, and operations with more
//! operands, are a [`WideOp`] or a [`Site`].

use super::layout::{HeaderLayout, Slot, Standard};
pub(crate) use super::plan::{Emission, Extraction, Part, Piece};
pub(crate) use super::site::{Data, MeterUnit, Site};

/// Index of the first limb of an operand.
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
    /// `dst = src` truncated to its low bits.
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
    /// `dst = (a >> by)`, truncated.
    Slice {
        dst: At,
        a: At,
        by: u8,
        cut: u8,
    },
    /// `dst = base | ((a << cut) >> by) << to`: inserts a piece of `a` into `base`.
    Place {
        dst: At,
        a: At,
        base: At,
        cut: u8,
        by: u8,
        to: u8,
    },
    /// Several moves of bits, in order: a range of [`Code::pieces`].
    Gather {
        first: u32,
        count: u32,
    },
    /// Sum of `count` limbs; the last limb is truncated.
    AddLimbs {
        dst: At,
        a: At,
        b: At,
        count: u8,
        cut: u8,
    },
    /// Difference of `count` limbs; the last limb is truncated.
    SubLimbs {
        dst: At,
        a: At,
        b: At,
        count: u8,
        cut: u8,
    },
    /// Replaces `width` bits of `dst`, starting at bit `low`.
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
    /// A backward jump; the number of these per pass is limited.
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
    /// Jumps if `a & mask != value`; `mask` and `value` are adjacent limbs.
    JumpNotMasked {
        a: At,
        mask: At,
        to: Pc,
    },
    /// Jumps if `a & mask == value`; `mask` and `value` are adjacent limbs.
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
    /// Jumps through a sorted table of values, an index into [`Code::switches`].
    JumpTable {
        a: At,
        table: u32,
    },
    Call {
        to: Pc,
    },
    /// Returns from an action.
    Return,
    /// Ends the block (end of code, `exit` or `accept`).
    End,
    /// Rejects the packet with the error in the limb.
    Reject {
        error: At,
    },

    /// Applies a table, an index into [`Code::applies`].
    Apply(u32),
    /// Reads a register of one limb.
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
    /// Reads a register of `count` limbs and one component.
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
    /// Any other operation, an index into [`Code::sites`].
    Site(u32),

    /// Makes a header valid; clears its fields if it was invalid.
    SetValid {
        header: At,
    },
    SetInvalid {
        header: At,
    },
    /// Copies validity and fields; the limbs hold header numbers.
    CopyHeader {
        dst: At,
        src: At,
    },
    HeaderValid {
        dst: At,
        header: At,
    },
    /// Extracts a header that is known at compile time.
    Extract {
        header: u32,
    },
    /// Extracts the header whose number is in the limb.
    ExtractAt {
        header: At,
    },
    /// Extracts the header whose number is in the limb, with the given length of its varbit field.
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
    /// Extracts selected fields of a header, an index into [`Code::extracts`].
    ExtractFields(u32),
    /// Emits a received header with modified fields, an index into [`Code::emits`].
    EmitFields(u32),
}

/// Number of a header that does not exist, for an index out of bounds.
pub(crate) const NO_HEADER: u64 = u64::MAX;

/// An operation with at least one value wider than 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideOp {
    pub(crate) kind: WideKind,
    pub(crate) dst: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    /// Lowest bit of a slice or insert.
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
    /// Conversion to one limb, saturated.
    Saturate,
    Slice,
    Insert,
}

/// One `apply` of a table.
#[derive(Clone, Debug)]
pub(crate) struct Apply {
    pub(crate) table: u32,
    /// Indexes of the actions that it may run.
    pub(crate) actions: Vec<u32>,
    /// First limb of the key, whose components are consecutive.
    pub(crate) key_at: At,
    pub(crate) key_limbs: u32,
    pub(crate) hit: Option<At>,
    pub(crate) action_run: Option<At>,
    /// Input of the selector's hash.
    pub(crate) selector_data: Vec<Slot>,
    pub(crate) direct: Direct,
    /// Whether the hit time of entries is recorded.
    pub(crate) keeps_time: bool,
}

/// Direct resources of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direct {
    pub(crate) counter: bool,
    /// Unit of the direct meter, if there is one.
    pub(crate) meter: Option<MeterUnit>,
    /// Destination of the direct meter's colour.
    pub(crate) meter_result: Option<Slot>,
}

/// Jump targets by value, sorted.
#[derive(Clone, Debug)]
pub(crate) struct JumpTable {
    pub(crate) values: Vec<u64>,
    pub(crate) targets: Vec<Pc>,
    pub(crate) otherwise: Pc,
}

/// Consecutive limbs that a packet carries from ingress to egress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) at: At,
    pub(crate) count: u32,
    /// Whether all values are below 2^32, so that two limbs share a word.
    pub(crate) narrow: bool,
}

impl Carried {
    /// Returns the number of words that they take.
    pub(crate) fn words(self) -> usize {
        let count = self.count as usize;
        if self.narrow { count.div_ceil(2) } else { count }
    }

    /// Minimum length of a run of narrow limbs. Shorter runs are carried as wide limbs, because a separate run costs
    /// more time than the memory that it saves is worth.
    const MIN_NARROW_RUN: u32 = 5;

    /// Splits consecutive limbs into narrow and wide runs.
    pub(crate) fn split(at: At, count: u32, widths: &[u8]) -> Vec<Carried> {
        let is_narrow = |limb: At| widths.get(limb as usize).is_some_and(|width| *width <= 32);
        let mut made: Vec<Carried> = Vec::new();
        for limb in at..at + count {
            match made.last_mut() {
                Some(last) if last.narrow == is_narrow(limb) => last.count += 1,
                _ => made.push(Carried { at: limb, count: 1, narrow: is_narrow(limb) }),
            }
        }
        let mut merged: Vec<Carried> = Vec::new();
        for run in made {
            let run = Carried { narrow: run.narrow && run.count >= Carried::MIN_NARROW_RUN, ..run };
            match merged.last_mut() {
                Some(last) if !last.narrow && !run.narrow => last.count += run.count,
                _ => merged.push(run),
            }
        }
        merged
    }
}

/// Location of an action's parameters and code.
#[derive(Clone, Debug)]
pub(crate) struct ActionCode {
    pub(crate) params: Vec<Slot>,
    /// First limb and number of limbs, if the parameters are consecutive.
    pub(crate) contiguous: Option<(At, u32)>,
    pub(crate) entry: Pc,
    /// Whether its body is empty.
    pub(crate) empty: bool,
}

/// Limbs that hold the numbers of the parser errors that the architecture raises.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorNumbers {
    pub(crate) packet_too_short: u64,
    pub(crate) header_too_short: u64,
    pub(crate) invalid_argument: u64,
    pub(crate) parser_timeout: u64,
}

/// Start of each block.
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
    /// The headers of each stack's elements, and the limb of `nextIndex`.
    pub(crate) stacks: Vec<(Vec<Vec<u32>>, At)>,
    pub(crate) standard: Standard,
    pub(crate) entries: Entries,
    pub(crate) errors: ErrorNumbers,
    /// The preserved metadata of each field list.
    pub(crate) field_lists: Vec<(u8, Vec<Slot>)>,
    /// Number of limbs that are kept for the lifetime of the packet.
    pub(crate) carried: u32,
    /// The first of these limbs that holds metadata instead of headers.
    pub(crate) metadata_at: u32,
    /// Number of limbs of carried scalars and locals; temporaries and constants follow.
    pub(crate) scalars: u32,
    /// The initial frame: zeros and constants.
    pub(crate) frame: Vec<u64>,
    /// Limbs that hold constants, in ascending order.
    pub(crate) constants: Vec<(At, u64)>,
    /// Moves of bits, and terms of sums.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) extracts: Vec<Extraction>,
    pub(crate) emits: Vec<Emission>,
    /// Limbs that must be zero when a block starts, by block: first limb and number.
    pub(crate) clears: [Vec<(At, u32)>; 6],
    /// Limbs that a packet carries from ingress to egress.
    pub(crate) carry: Vec<Carried>,
    /// For each limb that is kept for the lifetime of the packet: the number of bits that its values have at most.
    pub(crate) widths: Vec<u8>,
}

impl Code {
    /// Returns the number of bits that the values of a limb have at most.
    pub(crate) fn width(&self, at: At) -> u32 {
        self.widths.get(at as usize).map_or(64, |width| u32::from(*width))
    }

    /// Returns the value of a constant limb.
    pub(crate) fn constant(&self, at: At) -> Option<u64> {
        let found = self.constants.binary_search_by_key(&at, |(limb, _)| *limb).ok()?;
        self.constants.get(found).map(|(_, value)| *value)
    }
}
