//! Expressions and statements.

use super::{
    ActionId, Bits, CounterId, DigestId, HeaderId, MeterId, Pattern, RegisterId, ScalarId, ScalarKind,
    StackId, TableId,
};

/// An expression without side effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: ScalarKind,
}

/// The kind of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A constant.
    Const(Bits),
    /// The value of a scalar. A field of an invalid header reads as its stored value.
    Scalar(ScalarId),
    /// Field `field` of element `index` of a header stack; reads zero if out of bounds.
    StackField {
        /// The stack.
        stack: StackId,
        /// The element.
        index: Box<Expr>,
        /// The member, if the elements are unions.
        member: usize,
        /// The field's position in its header.
        field: usize,
    },
    /// Whether a header is valid (one bit).
    IsValid(HeaderRef),
    /// `stack.lastIndex` (32 bits).
    LastIndex(StackId),
    /// Packet bits after the parser's cursor, without consuming them. Fails with `PacketTooShort` if there are too few.
    Lookahead {
        /// The number of bits to skip first.
        offset_bits: u32,
    },
    /// `packet.length()` in bytes (32 bits).
    PacketLength,
    /// `-x`, `~x`, `!x`.
    Unary(UnaryOp, Box<Expr>),
    /// Operands have the same width, except for shifts and [`BinaryOp::Concat`].
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
    /// A cast to another width or sign: sign-extends a `Signed` operand, zero-extends an `Unsigned` one, or truncates.
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
    /// Concatenation: the left operand becomes the high bits; the width is the sum of both widths.
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

/// A header, static or selected from a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderRef {
    /// A header known at compile time.
    Static(HeaderId),
    /// Element `index` of a stack.
    Element {
        /// The stack.
        stack: StackId,
        /// The element.
        index: Box<Expr>,
        /// The member, if the elements are unions.
        member: usize,
    },
    /// `stack.next` (parsers only): extracting into it advances `nextIndex`; fails with `StackOutOfBounds` at the end.
    Next {
        /// The stack.
        stack: StackId,
        /// The member, if the elements are unions.
        member: usize,
    },
    /// `stack.last` (parsers only); fails with `StackOutOfBounds` if the stack is empty.
    Last {
        /// The stack.
        stack: StackId,
        /// The member, if the elements are unions.
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
    /// An assignment to a field of a stack element; no effect if out of bounds.
    AssignStackField {
        /// The stack.
        stack: StackId,
        /// The element.
        index: Expr,
        /// The member, if the elements are unions.
        member: usize,
        /// The field's position in its header.
        field: usize,
        /// The new value.
        value: Expr,
    },
    /// Copies validity and all fields between headers of the same type.
    CopyHeader {
        /// The header to write.
        target: HeaderRef,
        /// The header to read.
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
        /// The condition, one bit.
        condition: Expr,
        /// Executed if the condition is 1.
        then: Vec<Stmt>,
        /// Executed if the condition is 0.
        otherwise: Vec<Stmt>,
    },
    /// `switch`: executes the first case with a matching pattern. `switch (t.apply().action_run)` switches on the
    /// scalar that [`Stmt::ApplyTable`] has stored.
    Switch {
        /// The key.
        key: Expr,
        /// Patterns and bodies; fall-through is resolved.
        cases: Vec<(Vec<Pattern>, Vec<Stmt>)>,
        /// Executed if no case matches.
        default: Vec<Stmt>,
    },
    /// A loop: `body`, then `update`, while `condition` holds. [`Stmt::Break`] leaves it, [`Stmt::Continue`] jumps to
    /// `update`.
    While {
        /// The condition, one bit.
        condition: Expr,
        /// The body.
        body: Vec<Stmt>,
        /// Executed after each iteration.
        update: Vec<Stmt>,
    },
    /// Leaves the innermost loop.
    Break,
    /// Continues with the next iteration of the innermost loop.
    Continue,
    /// An inlined function, action or control: [`Stmt::Return`] leaves only this scope.
    Scope(Vec<Stmt>),
    /// Leaves the innermost scope, action or block.
    Return,
    /// Ends the block (ingress or egress) from any depth.
    Exit,
    /// Applies a table.
    ApplyTable {
        /// The table.
        table: TableId,
        /// Receives 1 if an entry matched.
        hit: Option<ScalarId>,
        /// Receives the position in [`super::Table::actions`] of the executed action.
        action_run: Option<ScalarId>,
    },
    /// Executes the body of an action whose parameters have been assigned.
    CallAction(ActionId),
    /// A call of an extern function or method.
    Extern(ExternCall),
    /// `packet.extract(header)` (parsers only).
    Extract(HeaderRef),
    /// `packet.extract(header, bits)`: the only `varbit` field of the header takes `bits` bits.
    ExtractVarbit(HeaderRef, Expr),
    /// `packet.advance(bits)`.
    Advance(Expr),
    /// `verify(condition, error)`: sets the error and rejects the packet if the condition is 0.
    Verify {
        /// The condition, one bit.
        condition: Expr,
        /// The number of the error.
        error: Expr,
    },
    /// `packet.emit(header)` (deparsers only); no effect if the header is invalid.
    Emit(HeaderRef),
}

/// A call of a v1model extern.
#[derive(Clone, Debug, PartialEq)]
pub enum ExternCall {
    /// `register.read(result, index)`. One target for each component of the element; reads zero if out of bounds.
    RegisterRead {
        /// The register array.
        register: RegisterId,
        /// The scalars that receive the components.
        targets: Vec<ScalarId>,
        /// The index of the element.
        index: Expr,
    },
    /// `register.write(index, value)`; no effect if out of bounds.
    RegisterWrite {
        /// The register array.
        register: RegisterId,
        /// The index of the element.
        index: Expr,
        /// The components of the element.
        values: Vec<Expr>,
    },
    /// `counter.count(index)`.
    CounterCount(CounterId, Expr),
    /// `direct_counter.count()`, for the matching entry.
    DirectCounterCount(CounterId),
    /// `meter.execute_meter(index, result)`.
    MeterExecute {
        /// The meter array.
        meter: MeterId,
        /// The index of the meter.
        index: Expr,
        /// The scalar that receives the colour: 0 green, 1 yellow, 2 red.
        target: ScalarId,
    },
    /// `direct_meter.read(result)`, for the matching entry.
    DirectMeterRead {
        /// The meter.
        meter: MeterId,
        /// The scalar that receives the colour.
        target: ScalarId,
    },
    /// `hash(result, algorithm, base, data, max)`: `base + hash(data) mod max`; `base` if `max` is 0.
    Hash {
        /// The scalar that receives the result.
        target: ScalarId,
        /// The algorithm.
        algorithm: HashAlgorithm,
        /// The base, which is added.
        base: Expr,
        /// The data, concatenated in order.
        data: Vec<Expr>,
        /// The divisor.
        max: Expr,
    },
    /// `random(result, low, high)`, both bounds included.
    Random {
        /// The scalar that receives the result.
        target: ScalarId,
        /// The lower bound.
        low: Expr,
        /// The upper bound.
        high: Expr,
    },
    /// `digest(receiver, data)`; sent when ingress ends.
    Digest {
        /// The digest type.
        digest: DigestId,
        /// The fields in order.
        fields: Vec<Expr>,
    },
    /// `clone` and `clone_preserving_field_list`.
    Clone {
        /// Whether the clone is made in egress (of the packet as it leaves), not in ingress (of the packet as it
        /// arrived).
        egress: bool,
        /// The clone session.
        session: Expr,
        /// The `@field_list` of the metadata to preserve.
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
    /// `verify_checksum` and its variant with payload: sets `checksum_error` to 1 on a mismatch.
    VerifyChecksum(Checksum),
    /// `update_checksum` and its variant with payload.
    UpdateChecksum(Checksum),
    /// `assert(condition)`; the text contains location and condition.
    Assert(Expr, String),
    /// `assume(condition)`; the text contains location and condition.
    Assume(Expr, String),
    /// `log_msg(format, arguments)`.
    LogMsg(String, Vec<Expr>),
}

/// A checksum to verify or update.
#[derive(Clone, Debug, PartialEq)]
pub struct Checksum {
    /// No effect if the condition is 0.
    pub condition: Expr,
    /// The data, concatenated in order.
    pub data: Vec<Expr>,
    /// The field that holds the checksum.
    pub field: ScalarId,
    /// The algorithm.
    pub algorithm: HashAlgorithm,
    /// Whether the payload (the part of the packet that the parser did not extract) is appended to the data.
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
