// Found without data-flow analysis.
#include <core.p4>

header h_t { bit<8> a; bit<8> b; bit<8>[4] list; }
const bit<8> known = 3;
const int<8> pattern = 0xff; // W0402 W0403
const bit<8> wide = 300; // W0402 W0403
const bit<8> shifted = 8w1 << 8; // W0402 W0403
extern void both(out bit<8> x, inout bit<8> y);
extern void whole(out h_t x, out bit<8> y);

parser p(packet_in packet, out h_t h) {
    state start {
        packet.extract(h);
        transition select(h.a) {
            9 .. 3: other; // W0406
            1 &&& 3: other;
            default: next;
        }
    }
    state next {
        transition select(h.a, h.b) { // W0405
            (1, 2): accept;
            default: accept;
        }
    }
    state other {
        transition select(8w5) {
            4: reject;
            5: accept;
            default: reject; // W0405
        }
    }
}

bit<8> twice(in bit<8> known) { // W0411
    return known << 1;
}

control c(inout h_t h, in bit<8> i) {
    bit<8> local = known;
    action a(bit<8> local) { h.a = local; } // W0411
    table t {
        key = {
            h.a : ternary;
            h.b : lpm;
            8w3 : exact @name("three"); // W0413
            known : exact; // W0413
        }
        actions = { a; NoAction; }
        entries = {
            priority = 5 : (0x1f &&& 0xf0, 1, 3, 3) : a(1); // W0414 W0415
            priority = 7 : (1, 0x11 &&& 0xf0, 3, 3) : a(2); // W0414
            priority = 6 : (2, 2, 3, 3) : a(3); // W0415
            priority = 6 : (3, 2, 3, 3) : a(3);
        }
    }
    table covered {
        key = { h.a : ternary; h.b : ternary; }
        actions = { a; NoAction; }
        const entries = {
            (0x10 &&& 0x10, _) : a(1);
            (0x30, 4) : a(2); // W0406
            (0x20, 4) : a(3);
        }
    }
    apply {
        if (i == 1) {
            bit<8> local = 2; // W0411
            h.b = local + twice(1);
        }
        bit<8> more = local;
        both(h.a, h.b);
        both(h.a, h.a); // W0412
        both(h.list[i], h.list[2]); // W0412
        both(h.list[1], h.list[2]);
        both(h.list[more], more); // W0412
        whole(h, h.a); // W0412
        @noWarn("ordering") { both(more, more); }
        @noWarn("shadow") { bit<8> local = 3; h.a = local; }
        h.a = h.a >> 9; // W0402
        t.apply();
        covered.apply();
    }
}
control proto(inout h_t h, in bit<8> i);
parser parses(packet_in packet, out h_t h);
package top(parses p, proto c);
top(p(), c()) main; // W0408
