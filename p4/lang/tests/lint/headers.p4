// Fields of headers that may be invalid.
#include <v1model.p4>

header h_t { bit<8> a; }
header g_t { bit<8> b; }
header_union u_t { h_t h; g_t g; }
struct headers_t { h_t h; g_t g; u_t u; h_t[2] stack; }
struct meta_t { bit<8> x; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        hdr.g.b = 1; // W0409
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            1: more;
            2: end;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.stack.next);
        packet.extract(hdr.g);
        meta.x = hdr.g.b;
        transition end;
    }
    state end {
        hdr.g.b = hdr.h.a; // W0409
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action drop_g() { hdr.g.setInvalid(); }
    table choose {
        key = { hdr.h.a : exact; }
        actions = { drop_g; NoAction; }
        default_action = NoAction();
    }
    apply {
        h_t own;
        own.a = 1; // W0409
        own.setValid();
        own.a = 2;
        hdr.h = own;
        meta.x = hdr.h.a;
        hdr.h.setInvalid();
        meta.x = hdr.h.a; // W0409
        if (hdr.h.isValid()) {
            meta.x = hdr.h.a;
        }
        meta.x = hdr.h.isValid() && hdr.h.a == 1 ? 8w1 : 8w2;
        h_t literal = { 3 };
        meta.x = literal.a;
        literal = {#};
        meta.x = literal.a; // W0409
        choose.apply();
        meta.x = hdr.g.b; // W0409
        if (!hdr.g.isValid()) {
            return;
        }
        hdr.u.h.setValid();
        hdr.u.h.a = 1;
        hdr.u.g.setValid();
        hdr.u.h.a = 2; // W0409
        hdr.stack[0].setInvalid();
        meta.x = hdr.stack[0].a + hdr.stack[1].a; // W0409
        hdr.stack.push_front(1);
        meta.x = hdr.stack[0].a;
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
