// Parsers, controls and functions with type parameters: explicit, inferred from the constructor's argument,
// nested.
#include "frame.p4"

header one_t { bit<8> a; bit<8> b; }
header two_t { bit<16> a; bit<16> b; }
struct headers_t { one_t one; two_t two; }
struct meta_t { bit<8> unused; }
struct pair_t<A, B> { A first; B second; }

parser Peek<T>(packet_in packet, out T seen)(bit<32> skipped) {
    state start {
        seen = packet.lookahead<T>();
        packet.advance(skipped);
        transition accept;
    }
}
parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Peek<bit<8>>(8) byte;
    Peek<bit<16>>(16) word;
    state start {
        hdr.one.setValid();
        hdr.two.setValid();
        byte.apply(packet, hdr.one.a);
        byte.apply(packet, hdr.one.b);
        word.apply(packet, hdr.two.a);
        word.apply(packet, hdr.two.b);
        transition accept;
    }
}

T pick<T>(in bool left, in T a, in T b) {
    if (left) { return a; }
    return b;
}
void swap<T>(inout T a, inout T b) {
    T old = a;
    a = b;
    b = old;
}

control Exchange<A, B>(inout pair_t<A, B> value, inout A first, inout B second) {
    A kept;
    action exchange_first() {
        kept = value.first;
        value.first = first;
        first = kept;
    }
    table run {
        actions = { exchange_first; }
        const default_action = exchange_first();
    }
    apply {
        run.apply();
        swap(value.second, second);
    }
}
control Start<T>(inout T value, in bool use)(T start) {
    apply { value = pick(use, start, value); }
}
control Both<T>(inout pair_t<T, T> value, inout T first, in bool use)(T start) {
    Exchange<T, T>() exchange;
    Start<T>(start) set;
    apply {
        T spare = first;
        exchange.apply(value, first, spare);
        set.apply(value.second, use);
        first = spare;
    }
}

control In(STANDARD) {
    Exchange<bit<8>, bit<16>>() mixed;
    Both<bit<16>>(16w0xbeef) both;
    Start(8w0x77) inferred;
    apply {
        std.egress_spec = 1;
        pair_t<bit<8>, bit<16>> value = { hdr.one.a, hdr.two.a };
        mixed.apply(value, hdr.one.b, hdr.two.b);
        hdr.one.a = value.first;
        hdr.two.a = value.second;
        pair_t<bit<16>, bit<16>> same = { hdr.two.a, hdr.two.b };
        both.apply(same, hdr.two.b, hdr.two.a == hdr.two.b);
        hdr.two.a = same.second;
        inferred.apply(hdr.one.b, hdr.one.b == 1);
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
