// `lookahead` of types with stacks and arrays; too short a packet is an error even if the value is not used.
#include "frame.p4"

header byte_t { bit<8> value; }
header pair_t { bit<4> high; bit<12> low; }
struct nested_t { byte_t first; pair_t[2] pairs; bit<8>[2] numbers; }
struct headers_t { byte_t b; byte_t[2] stack; pair_t p; byte_t[2] numbers; byte_t[2] kept; byte_t failed; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.b);
        transition select(hdr.b.value) {
            1: stack;
            2: element;
            3: structs;
            4: unused;
            default: accept;
        }
    }
    state stack {
        hdr.kept = packet.lookahead<byte_t[2]>();
        transition accept;
    }
    state element {
        byte_t[3] ahead = packet.lookahead<byte_t[3]>();
        hdr.p = { ahead[2].value[3:0], (bit<12>)ahead[1].value };
        transition accept;
    }
    state structs {
        nested_t ahead = packet.lookahead<nested_t>();
        hdr.p = ahead.pairs[1];
        hdr.numbers[0] = { ahead.numbers[0] };
        hdr.numbers[1] = { ahead.numbers[1] };
        transition accept;
    }
    state unused {
        packet.lookahead<byte_t[3]>();
        transition accept;
    }
}

control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        if (std.parser_error == error.PacketTooShort) {
            hdr.failed = { 0xee };
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
