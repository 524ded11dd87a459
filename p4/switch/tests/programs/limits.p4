// Programs with endless loops, resubmits and copies, which the limits of the switch stop.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> code; }
struct headers_t { h_t h; }
struct meta_t {
    @field_list(1)
    bit<8> turns;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.which) { 1: round; default: accept; }
    }
    state round {
        meta.turns = meta.turns + 1;
        transition select(meta.turns) { 0 &&& 0: again; default: accept; }
    }
    state again { transition round; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        if (std.parser_error == error.ParserTimeout) { hdr.h.code = 0xee; }
        if (hdr.h.which == 2) {
            for (bit<64> i = 0; i < 0xffffffffffffffff; i = i + 1) { meta.turns = meta.turns + 1; }
        } else if (hdr.h.which == 3) {
            resubmit_preserving_field_list(1);
        } else if (hdr.h.which == 5) {
            clone(CloneType.I2E, 3);
        } else if (hdr.h.which == 6) {
            std.mcast_grp = 1;
        }
    }
}
control Out(STANDARD) {
    apply {
        if (hdr.h.which == 4 || hdr.h.which == 5 || hdr.h.which == 6) {
            recirculate_preserving_field_list(1);
        } else if (hdr.h.which == 7) {
            clone(CloneType.E2E, 3);
            recirculate_preserving_field_list(1);
        }
    }
}
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
