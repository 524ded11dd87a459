// Unused declarations. A variable that is only written counts as used.
#include <v1model.p4>

typedef bit<8> octet_t;
typedef bit<9> unused_t; // W0403
type bit<16> index_t; // W0403
const bit<8> LIMIT = 3;
const bit<8> NEVER = 4; // W0403
const bit<8> __INTERNAL = 5;
const bool CHECKED = static_assert(LIMIT == 3, "limit");
header h_t { octet_t a; }
struct pair_t<A, B> { A first; } // W0403
struct headers_t { h_t h; }
struct meta_t { pair_t<bit<8>, bit<8>> pair; }
enum choice_t { left, right }

bit<8> twice(in bit<8> x, in bit<8> ignored) { return x + x; }
bit<8> thrice(in bit<8> x) { return x + x + x; } // W0403
action shared() { }
action forgotten(bit<8> data) { } // W0403

control Extra(inout headers_t hdr) { // W0403
    bit<8> inside; // W0403
    apply { }
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<8>>(4) kinds; // W0403
    state start {
        bit<8> local; // W0403
        packet.extract(hdr.h);
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<8>>(4) cells; // W0403
    bit<8> written;
    action set(bit<8> used, bit<8> unread) { // W0403
        written = used;
    }
    action never() { } // W0403
    table applied {
        key = { hdr.h.a : exact; }
        actions = { set; shared; NoAction; }
        default_action = NoAction();
    }
    table alone { // W0403
        actions = { NoAction; }
        default_action = NoAction();
    }
    apply {
        applied.apply();
        hdr.h.a = twice(LIMIT, 1);
        for (bit<8> i in 0 .. 3) {
            hdr.h.a = hdr.h.a + 1;
        }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
