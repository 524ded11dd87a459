//! Expressions and statements.

use super::{
    ActionId, Bits, CounterId, DigestId, HeaderId, MeterId, Pattern, RegisterId, ScalarId, ScalarKind,
    StackId, TableId,
};

/// An expression without side effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: ScalarKind,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A constant.
    Const(Bits),
    /// The value of a scalar. A field of an invalid header reads as whatever it holds.
    Scalar(ScalarId),
    /// Field number `field` of element `index` of a stack of headers; out of bounds reads zero.
    StackField {
        /// The stack.
        stack: StackId,
        /// The element.
        index: Box<Expr>,
        /// Which member, where the elements are unions.
        member: usize,
        /// The field's position in its header.
        field: usize,
    },
    /// Whether a header is valid (one bit).
    IsValid(HeaderRef),
    /// `stack.lastIndex` (32 bits).
    LastIndex(StackId),
    /// Packet bytes ahead of the parser's cursor, not consumed. Error `PacketTooShort` when there are too few.
    Lookahead {
        /// Bits to skip before the wanted ones.
        offset_bits: u32,
    },
    /// `packet.length()` in bytes (32 bits).
    PacketLength,
    /// `-x`, `~x`, `!x`.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands of one width, except shifts and [`BinaryOp::Concat`].
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`.
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Bits `low..=high` of an operand.
    Slice {
        /// The operand.
        of: Box<Expr>,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
    },
    /// To another width or sign: sign-extends a `Signed` operand, zero-extends an `Unsigned` one, cuts off.
    Cast(Box<Expr>),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// Two's complement.
    Negate,
    /// All bits flipped.
    BitNot,
    /// Logical not (one bit).
    Not,
}

/// An operator with two operands. Comparison, division and right shift follow the sign of the left operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are P4's operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    AddSaturating,
    SubSaturating,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    /// Left operand in the high bits; the result is as wide as both together.
    Concat,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Short-circuit and (one bit).
    And,
    /// Short-circuit or (one bit).
    Or,
}

/// A header, known at compile time or picked from a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderRef {
    /// This one.
    Static(HeaderId),
    /// Element `index` of a stack.
    Element {
        /// The stack.
        stack: StackId,
        /// The element.
        index: Box<Expr>,
        /// Which member, where the elements are unions.
        member: usize,
    },
    /// `stack.next` (parsers only): extracting into it moves on; error `StackOutOfBounds` beyond the end.
    Next {
        /// The stack.
        stack: StackId,
        /// Which member, where the elements are unions.
        member: usize,
    },
    /// `stack.last` (parsers only); error `StackOutOfBounds` when there is none.
    Last {
        /// The stack.
        stack: StackId,
        /// Which member, where the elements are unions.
        member: usize,
    },
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `target = value`.
    Assign(ScalarId, Expr),
    /// `target[high:low] = value`.
    AssignSlice {
        /// The scalar.
        target: ScalarId,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
        /// The new bits.
        value: Expr,
    },
    /// A field of a stack's element; out of bounds does nothing.
    AssignStackField {
        /// The stack.
        stack: StackId,
        /// The element.
        index: Expr,
        /// Which member, where the elements are unions.
        member: usize,
        /// The field's position in its header.
        field: usize,
        /// The new value.
        value: Expr,
    },
    /// Copies validity and all fields; both headers have one type.
    CopyHeader {
        /// Copied into.
        target: HeaderRef,
        /// Copied from.
        source: HeaderRef,
    },
    /// `setValid()` or `setInvalid()`.
    SetValid(HeaderRef, bool),
    /// `push_front(count)`.
    StackPush(StackId, u32),
    /// `pop_front(count)`.
    StackPop(StackId, u32),
    /// `if`.
    If {
        /// One bit.
        condition: Expr,
        /// When it is 1.
        then: Vec<Stmt>,
        /// When it is 0.
        otherwise: Vec<Stmt>,
    },
    /// `switch`: the first case with a matching pattern. `switch (t.apply().action_run)` switches on the
    /// scalar that [`Stmt::ApplyTable`] stored.
    Switch {
        /// The key.
        key: Expr,
        /// Patterns and what to do; fall-through is resolved.
        cases: Vec<(Vec<Pattern>, Vec<Stmt>)>,
        /// When none matches.
        default: Vec<Stmt>,
    },
    /// A loop: `body` then `update` while `condition` holds. [`Stmt::Break`] leaves it, [`Stmt::Continue`] goes
    /// to `update`.
    While {
        /// One bit.
        condition: Expr,
        /// The body.
        body: Vec<Stmt>,
        /// Run after each turn.
        update: Vec<Stmt>,
    },
    /// Leaves the innermost loop.
    Break,
    /// Goes to the next turn of the innermost loop.
    Continue,
    /// An inlined function, action or control: [`Stmt::Return`] inside leaves just this scope.
    Scope(Vec<Stmt>),
    /// Leaves the innermost scope, or the action or block.
    Return,
    /// Ends the block (ingress or egress) at once, from any depth.
    Exit,
    /// Applies a table.
    ApplyTable {
        /// The table.
        table: TableId,
        /// Receives 1 when an entry matched.
        hit: Option<ScalarId>,
        /// Receives the position in [`super::Table::actions`] of the action that ran.
        action_run: Option<ScalarId>,
    },
    /// Runs an action's body; its parameters have been assigned before.
    CallAction(ActionId),
    /// A call of an extern function or method.
    Extern(ExternCall),
    /// `packet.extract(header)` (parsers only).
    Extract(HeaderRef),
    /// `packet.extract(header, bits)`: the header's only varbit field takes `bits`.
    ExtractVarbit(HeaderRef, Expr),
    /// `packet.advance(bits)`.
    Advance(Expr),
    /// `verify(condition, error)`: sets the error and rejects when the condition is 0.
    Verify {
        /// One bit.
        condition: Expr,
        /// Number of the error.
        error: Expr,
    },
    /// `packet.emit(header)` (deparsers only); nothing when it is invalid.
    Emit(HeaderRef),
}

/// A call of a v1model extern.
#[derive(Clone, Debug, PartialEq)]
pub enum ExternCall {
    /// `register.read(result, index)`. One target a component of the element; out of bounds reads zero.
    RegisterRead {
        /// The array.
        register: RegisterId,
        /// Receive the element's components.
        targets: Vec<ScalarId>,
        /// Which element.
        index: Expr,
    },
    /// `register.write(index, value)`; out of bounds does nothing.
    RegisterWrite {
        /// The array.
        register: RegisterId,
        /// Which element.
        index: Expr,
        /// The element's components.
        values: Vec<Expr>,
    },
    /// `counter.count(index)`.
    CounterCount(CounterId, Expr),
    /// `direct_counter.count()`, for the entry that matched.
    DirectCounterCount(CounterId),
    /// `meter.execute_meter(index, result)`.
    MeterExecute {
        /// The array.
        meter: MeterId,
        /// Which meter.
        index: Expr,
        /// Receives the colour: 0 green, 1 yellow, 2 red.
        target: ScalarId,
    },
    /// `direct_meter.read(result)`, for the entry that matched.
    DirectMeterRead {
        /// The meter.
        meter: MeterId,
        /// Receives the colour.
        target: ScalarId,
    },
    /// `hash(result, algorithm, base, data, max)`: `base + hash(data) mod max`; `base` when `max` is 0.
    Hash {
        /// Receives the result.
        target: ScalarId,
        /// The algorithm.
        algorithm: HashAlgorithm,
        /// Added.
        base: Expr,
        /// The data, concatenated in order.
        data: Vec<Expr>,
        /// Divisor.
        max: Expr,
    },
    /// `random(result, low, high)`, both included.
    Random {
        /// Receives the result.
        target: ScalarId,
        /// The lowest.
        low: Expr,
        /// The highest.
        high: Expr,
    },
    /// `digest(receiver, data)`; sent when ingress ends.
    Digest {
        /// Its type.
        digest: DigestId,
        /// The fields in order.
        fields: Vec<Expr>,
    },
    /// `clone` and `clone_preserving_field_list`.
    Clone {
        /// From ingress (the packet as it arrived) or from egress (as it leaves).
        egress: bool,
        /// The mirror session.
        session: Expr,
        /// Metadata to keep.
        field_list: Option<u8>,
    },
    /// `resubmit_preserving_field_list`.
    Resubmit(Option<u8>),
    /// `recirculate_preserving_field_list`.
    Recirculate(Option<u8>),
    /// `truncate(bytes)`.
    Truncate(Expr),
    /// `mark_to_drop(standard_metadata)`.
    MarkToDrop,
    /// `verify_checksum` and its variant with payload: `checksum_error` becomes 1 on a mismatch.
    VerifyChecksum(Checksum),
    /// `update_checksum` and its variant with payload.
    UpdateChecksum(Checksum),
    /// `assert(condition)`; the text names the place.
    Assert(Expr, String),
    /// `assume(condition)`; the text names the place.
    Assume(Expr, String),
    /// `log_msg(format, arguments)`.
    LogMsg(String, Vec<Expr>),
}

/// A checksum to verify or to update.
#[derive(Clone, Debug, PartialEq)]
pub struct Checksum {
    /// Nothing happens when it is 0.
    pub condition: Expr,
    /// The data, concatenated in order.
    pub data: Vec<Expr>,
    /// The field that holds it.
    pub field: ScalarId,
    /// The algorithm.
    pub algorithm: HashAlgorithm,
    /// Whether the payload (what the parser did not extract) follows the data.
    pub with_payload: bool,
}

/// A hash or checksum algorithm of v1model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are v1model's")]
pub enum HashAlgorithm {
    Crc32,
    Crc32Custom,
    Crc16,
    Crc16Custom,
    Random,
    Identity,
    Csum16,
    Xor16,
}
