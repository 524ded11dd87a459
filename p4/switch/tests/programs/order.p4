// Copy-in and copy-out, the order of evaluation, and short-circuit operators; the packet shows all effects.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> a; bit<8> b; bit<8> c; bit<8> trail; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

bit<8> note(inout bit<8> trail, in bit<8> mark) {
    trail = (trail << 4) | mark;
    return mark;
}
// Both parameters are copies: the second one is copied out last.
void both(inout bit<8> x, inout bit<8> y) {
    x = x + 1;
    y = y + 0x10;
}
void swap(inout bit<8> x, inout bit<8> y) {
    bit<8> t = x;
    x = y;
    y = t;
}
void set_twice(out bit<8> x, out bit<8> y) {
    x = 0x11;
    y = 0x22;
}
bit<8> reads_old(inout bit<8> x, in bit<8> y) {
    x = x + 1;
    return y;
}

control Inner(inout bit<8> x, in bit<8> y, out bit<8> z) {
    apply {
        x = 0x40;
        z = y;
    }
}
parser Sub(packet_in packet, inout bit<8> x, in bit<8> y) {
    state start {
        x = x + 1;
        transition select(y) { 5: more; default: accept; }
    }
    state more { x = x + y; transition accept; }
}
parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Sub() sub;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.which) { 9: nested; default: accept; }
    }
    state nested { sub.apply(packet, hdr.h.a, hdr.h.a); sub.apply(packet, hdr.h.b, hdr.h.a); transition accept; }
}
control In(STANDARD) {
    Inner() inner;
    action bump(inout bit<8> x, in bit<8> y) { x = x + y; x = x + y; }
    apply {
        std.egress_spec = 1;
        switch (hdr.h.which) {
            1: { both(hdr.h.a, hdr.h.a); }
            2: { swap(hdr.h.a, hdr.h.b); }
            3: { swap(hdr.h.a, hdr.h.a); }
            4: { set_twice(hdr.h.c, hdr.h.c); }
            5: { bump(hdr.h.a, hdr.h.a); }
            6: {
                // Operands are evaluated from left to right, arguments before the call.
                hdr.h.c = note(hdr.h.trail, 1) + note(hdr.h.trail, 2);
            }
            7: {
                if (note(hdr.h.trail, 1) == 2 && note(hdr.h.trail, 3) == 3) { hdr.h.c = 1; }
                if (note(hdr.h.trail, 4) == 4 || note(hdr.h.trail, 5) == 5) { hdr.h.c = hdr.h.c + 2; }
            }
            8: { inner.apply(hdr.h.a, hdr.h.a, hdr.h.b); }
            10: { hdr.h.c = hdr.h.a > 5 ? note(hdr.h.trail, 6) : note(hdr.h.trail, 7); }
            11: { hdr.h.c = reads_old(hdr.h.a, hdr.h.a); }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
