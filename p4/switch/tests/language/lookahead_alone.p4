// A `lookahead` fails on a packet that is too short, whether its value is used or not, or used in part.
#include "frame.p4"

header h_t { bit<8> kind; }
header wide_t { bit<8> first; bit<24> rest; }
header result_t { bit<8> failed; bit<8> seen; }
struct headers_t { result_t result; h_t h; }
struct meta_t { bit<8> seen; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.kind) {
            1: unused;
            2: part;
            default: accept;
        }
    }
    state unused {
        packet.lookahead<bit<32>>();
        meta.seen = 0xaa;
        transition accept;
    }
    state part {
        meta.seen = packet.lookahead<wide_t>().first;
        transition accept;
    }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        hdr.result.setValid();
        hdr.result.failed = (bit<8>)(bit<1>)(std.parser_error == error.PacketTooShort);
        hdr.result.seen = meta.seen;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
