// `@noWarn` on a declaration or block suppresses one kind of warning inside it.
#include <v1model.p4>

header h_t { bit<8> a; }
struct headers_t { h_t h; }
struct meta_t { bit<8> x; }

@noWarn("unused") const bit<8> NEVER = 4;
@noWarn("uninitialized-use") const bit<8> OTHER = 4; // W0403
@pure @noWarn("unused") bit<8> twice(in bit<8> x) { return x + x; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    @noWarn("invalid-header")
    state start {
        hdr.h.a = 1;
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    @noWarn("unused") action never(bit<8> data) { bit<8> local; }
    apply @noWarn("uninitialized-use") {
        bit<8> value;
        meta.x = value;
        bit<8> alone; // W0403
        h_t own;
        own.a = 1; // W0409
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
