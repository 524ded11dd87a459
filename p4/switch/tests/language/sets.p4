// Value sets, cases with numbers and ranges, and cases with run-time values, in one `select`.
#include "frame.p4"

header h_t { bit<8> kind; bit<8> wanted; bit<8> found; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<8>>(4) known;
    value_set<tuple<bit<8>, bit<8>>>(4) pairs;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.kind, hdr.h.found) {
            pairs: in_pairs;
            (known, 0): in_known;
            (known, hdr.h.wanted): known_and_wanted;
            (3, 4 .. 9): fixed;
            (_, known): second;
            default: accept;
        }
    }
    state in_pairs { hdr.h.kind = 0xa0; transition accept; }
    state in_known { hdr.h.kind = 0xa1; transition accept; }
    state known_and_wanted { hdr.h.kind = 0xa2; transition accept; }
    state fixed { hdr.h.kind = 0xa5; transition accept; }
    state second { hdr.h.kind = 0xa6; transition accept; }
}
control In(STANDARD) { apply { std.egress_spec = 1; } }
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
