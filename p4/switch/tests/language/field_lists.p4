// Metadata that a resubmitted packet preserves; an enum member names the field list.
#include "frame.p4"

enum bit<8> Keep { none = 0, resubmitted = 3 }
header h_t { bit<8> kept; bit<8> lost; bit<8> rounds; }
struct headers_t { h_t h; }
struct meta_t {
    @field_list(1, Keep.resubmitted) bit<8> kept;
    @field_list[4] bit<8> lost;
    @field_list(Keep.resubmitted) bit<8> rounds;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        hdr.h.kept = meta.kept;
        hdr.h.lost = meta.lost;
        hdr.h.rounds = meta.rounds;
        if (meta.rounds < 2) {
            meta.kept = meta.kept + 5;
            meta.lost = 9;
            meta.rounds = meta.rounds + 1;
            resubmit_preserving_field_list((bit<8>)Keep.resubmitted);
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
