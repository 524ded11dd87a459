// All ways to copy a packet or to process it again.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> turns; bit<8> kind; bit<8> kept; }
struct headers_t { h_t h; }
struct meta_t {
    @field_list(1)
    bit<8> kept;
    @field_list(1, 2)
    bit<8> turns;
    bit<8> lost;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}

control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        if (std.instance_type == 0) {
            meta.kept = 0x5a;
            meta.lost = 0x77;
        }
        if (hdr.h.which == 1) {
            clone_preserving_field_list(CloneType.I2E, 3, 1);
            hdr.h.turns = 0x99;
        } else if (hdr.h.which == 2) {
            clone(CloneType.I2E, 4);
            hdr.h.turns = 0x99;
        } else if (hdr.h.which == 5) {
            if (meta.turns < 3) {
                meta.turns = meta.turns + 1;
                meta.kept = meta.kept + 1;
                resubmit_preserving_field_list(1);
            }
            hdr.h.turns = meta.turns;
            hdr.h.kept = meta.kept;
        } else if (hdr.h.which == 6) {
            meta.turns = meta.turns + 1;
            hdr.h.turns = hdr.h.turns + 0x10;
        } else if (hdr.h.which == 7) {
            std.mcast_grp = 6;
        } else if (hdr.h.which == 8) {
            truncate(6);
        } else if (hdr.h.which == 9) {
            clone(CloneType.I2E, 3);
            mark_to_drop(std);
        } else if (hdr.h.which == 10) {
            clone(CloneType.I2E, 77);
        }
    }
}
control Out(STANDARD) {
    apply {
        hdr.h.kind = (bit<8>)std.instance_type;
        if (std.instance_type == 5) {
            hdr.h.kept = (bit<8>)std.egress_rid;
            if (std.egress_rid == 9) { mark_to_drop(std); }
        } else if (std.instance_type == 1 || std.instance_type == 2) {
            hdr.h.kept = meta.kept + meta.lost;
        } else if (hdr.h.which == 3) {
            clone_preserving_field_list(CloneType.E2E, 3, 1);
            hdr.h.turns = hdr.h.turns + 1;
        } else if (hdr.h.which == 4) {
            clone(CloneType.E2E, 5);
        } else if (hdr.h.which == 6 && meta.turns < 3) {
            recirculate_preserving_field_list(2);
        }
    }
}
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
