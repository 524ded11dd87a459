// Arrays of numbers, structs and arrays: in headers and metadata, with indexes from the packet, as arguments,
// and slices whose position comes from the packet.
#include "frame.p4"

struct pair_t { bit<8> left; bit<8> right; }
header h_t {
    bit<8> index;
    bit<8> other;
    bit<8>[4] bytes;
    pair_t pairs[2];
    bit<4> nibbles[2][2];
}
header slice_t { bit<32> word; bit<8> at; bit<8> part; }
struct headers_t { h_t h; slice_t s; }
struct meta_t { bit<8>[3] copy; pair_t[2] pairs; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        meta.pairs[1].left = hdr.h.pairs[0].right;
        transition select(hdr.h.bytes[3]) {
            0xee: more;
            default: accept;
        }
    }
    state more { packet.extract(hdr.s); transition accept; }
}

void swap(inout bit<8> a, inout bit<8> b) {
    bit<8> t = a;
    a = b;
    b = t;
}

bit<8> total(in bit<8>[4] values) {
    bit<8> sum = 0;
    for (bit<8> value in values) { sum = sum + value; }
    return sum;
}

control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        bit<8>[4] before = hdr.h.bytes;
        // Out of bounds, writes are ignored and reads return zero.
        hdr.h.bytes[hdr.h.index] = 0xaa;
        hdr.h.other = before[hdr.h.index];
        hdr.h.pairs[hdr.h.index & 1].left = meta.pairs[1].left;
        hdr.h.nibbles[hdr.h.index[0:0]][hdr.h.index[1:1]] = 0xf;
        if (hdr.h.bytes == before) { hdr.h.pairs[1] = { 0x77, total(before) }; }
        @noWarn("ordering") { swap(hdr.h.bytes[hdr.h.index[1:0]], hdr.h.bytes[0]); }
        if (hdr.s.isValid()) {
            hdr.s.part = hdr.s.word[hdr.s.at +: 8];
            hdr.s.word[hdr.s.at +: 4] = 0x5;
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
