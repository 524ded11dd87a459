// The core library of P4-16 (P4 language specification 1.2.5, appendix "P4 core library").
#ifndef _CORE_P4_
#define _CORE_P4_

/// What can go wrong in a parser.
error {
    NoError,
    PacketTooShort,
    NoMatch,
    StackOutOfBounds,
    HeaderTooShort,
    ParserTimeout,
    ParserInvalidArgument
}

/// The packet as the parser reads it.
extern packet_in {
    /// Fills a header of fixed size and moves on.
    void extract<T>(out T hdr);
    /// Fills a header with one varbit field, whose size is given, and moves on.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    /// What is ahead, without moving on.
    T lookahead<T>();
    /// Moves on.
    void advance(in bit<32> sizeInBits);
    /// Length of the packet in bytes.
    bit<32> length();
}

/// The packet as the deparser writes it.
extern packet_out {
    /// Appends a header if it is valid, or all valid ones of a stack, union or struct.
    void emit<T>(in T hdr);
}

/// Rejects the packet with the error unless the condition holds.
extern void verify(in bool check, in error toSignal);

/// Does nothing.
@noWarn("unused")
action NoAction() {}

match_kind {
    exact,
    ternary,
    lpm
}

/// Checked at compile time.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
