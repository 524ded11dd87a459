// Values that are unwritten on some path.
#include <v1model.p4>

header h_t { bit<8> a; bit<8> b; }
struct headers_t { h_t h; h_t[2] stack; }
struct pair_t { bit<8> left; bit<8> right; }
struct meta_t { bit<8> x; pair_t pair; }

void both(out bit<8> one, out bit<8> two) { // W0404
    one = 1;
}
bit<8> give(in bit<8> x) {
    bit<8> result;
    if (x > 3) {
        result = 1;
    } else {
        result = 2;
    }
    return result;
}
bit<8> early(in bit<8> x) {
    bit<8> result;
    if (x > 3) {
        result = 1;
    } else {
        return 0;
    }
    return result;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    bit<8> count;
    bit<8> known = 1;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            1: one;
            2: two;
            default: accept;
        }
    }
    state one {
        count = 4;
        transition two;
    }
    state two {
        meta.x = count; // W0404
        meta.pair.left = known;
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    bit<8> from_action;
    bit<8> from_table;
    action set(bit<8> data) { from_action = data; }
    action other() { meta.x = from_table; } // W0404
    action out_of_action(out bit<8> value) { } // W0403 W0404
    table chosen {
        key = { meta.x : exact; }
        actions = { set; other; NoAction; }
        default_action = NoAction();
    }
    table certain {
        actions = { set; }
        default_action = set(1);
    }
    apply {
        chosen.apply();
        meta.x = from_action; // W0404
        certain.apply();
        meta.x = from_action;
        bit<8> late;
        if (meta.x == 1) {
            late = 2;
        }
        meta.x = late; // W0404
        pair_t pair;
        pair.left = 1;
        meta.x = pair.left;
        meta.pair = pair; // W0404
        bit<8> part;
        part[3:0] = 5; // W0404
        meta.x = part;
        bit<8> written;
        bit<8> also;
        both(written, also);
        meta.x = written + also + give(1) + early(2);
        bit<8> sum;
        for (bit<8> i in 0 .. 3) {
            sum = sum + i; // W0404
        }
        bit<8> turn;
        for (bit<8> i in 0 .. 3) {
            turn = i;
            meta.x = turn;
        }
        bit<8> picked;
        switch (meta.x) {
            1: { picked = 1; }
            2: { picked = 2; }
            default: { exit; }
        }
        meta.x = picked;
        out_of_action(meta.x);
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
