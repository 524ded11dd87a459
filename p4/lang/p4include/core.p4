// The core library of P4-16 (P4 language specification 1.2.5, appendix "P4 core library").
#ifndef _CORE_P4_
#define _CORE_P4_

/// Parser errors.
error {
    NoError,
    PacketTooShort,
    NoMatch,
    StackOutOfBounds,
    HeaderTooShort,
    ParserTimeout,
    ParserInvalidArgument
}

/// The packet that the parser reads.
extern packet_in {
    /// Extracts a header of fixed size and advances.
    void extract<T>(out T hdr);
    /// Extracts a header with one varbit field of the given size and advances.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    /// Reads ahead without advancing.
    T lookahead<T>();
    /// Skips bits.
    void advance(in bit<32> sizeInBits);
    /// Length of the packet in bytes.
    bit<32> length();
}

/// The packet that the deparser writes.
extern packet_out {
    /// Appends a valid header, or all valid headers of a stack, union or struct.
    void emit<T>(in T hdr);
}

/// Rejects the packet with the error if the condition is false.
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
