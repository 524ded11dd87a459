// Loops, functions, exit and return, switch on values, copy-in and copy-out.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> n; bit<16> result; }
struct headers_t { h_t h; }
struct meta_t { bit<1> unused; }

bit<16> largest<T>(in T ignored, in bit<16> a, in bit<16> b) {
    if (a > b) { return a; }
    return b;
}
void twice(inout bit<16> a, out bit<16> old) {
    old = a;
    a = a * 2;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    action add(in bit<16> what) { hdr.h.result = hdr.h.result + what; }
    action leave() { add(0x100); exit; }
    apply {
        std.egress_spec = 1;
        bit<16> sum = 0;
        if (hdr.h.which == 1) {
            for (bit<8> i = 0; i < hdr.h.n; i = i + 1) {
                if (i == 3) { continue; }
                if (i == 7) { break; }
                sum = sum + (bit<16>)i;
            }
            hdr.h.result = sum;
        } else if (hdr.h.which == 2) {
            for (bit<8> i in 8w1 .. 5) {
                for (bit<8> j in 8w1 .. 3) { sum = sum + (bit<16>)(i * j); }
            }
            hdr.h.result = sum;
        } else if (hdr.h.which == 3) {
            hdr.h.result = largest(8w0, (bit<16>)hdr.h.n, 9);
        } else if (hdr.h.which == 4) {
            bit<16> old;
            sum = 5;
            twice(sum, old);
            hdr.h.result = sum ++ old == 32w0x000a0005 ? 16w1 : 16w0;
        } else if (hdr.h.which == 5) {
            add(1);
            if (hdr.h.n == 1) { leave(); }
            add(2);
        } else if (hdr.h.which == 6) {
            add(1);
            return;
        } else {
            switch (hdr.h.n) {
                1:
                2: { hdr.h.result = 0x12; }
                3: { }
                default: { hdr.h.result = 0xdd; }
            }
        }
        if (hdr.h.which == 6) { hdr.h.result = 0; }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
