// `ingress_port` is 0 after resubmit and recirculate, as in the reference switch, unless the field list preserves it.
#include "frame.p4"

header h_t { bit<8> kind; bit<8> passes; bit<8> port; }
struct headers_t { h_t h; }
struct meta_t {
    @field_list(1) bit<9> from;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}
control In(STANDARD) {
    apply {
        hdr.h.port = (bit<8>)std.ingress_port;
        if (hdr.h.kind == 3 && std.instance_type != 0) {
            hdr.h.port = (bit<8>)meta.from;
        }
        meta.from = std.ingress_port;
        std.egress_spec = 1;
        if (std.instance_type == 0 && (hdr.h.kind == 1 || hdr.h.kind == 3)) {
            resubmit_preserving_field_list(1);
        }
    }
}
control Out(STANDARD) {
    apply {
        if (hdr.h.kind == 2 && hdr.h.passes == 0) {
            hdr.h.passes = 1;
            recirculate_preserving_field_list(1);
        }
    }
}
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
