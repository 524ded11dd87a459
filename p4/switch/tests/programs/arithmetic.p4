// Operators on values of several widths and signs.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<16> a; bit<16> b; bit<32> result; }
struct headers_t { h_t h; }
struct meta_t { bit<1> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        bit<16> a = hdr.h.a;
        bit<16> b = hdr.h.b;
        int<16> x = (int<16>)a;
        int<16> y = (int<16>)b;
        bit<32> r = 0;
        switch (hdr.h.which) {
            1: { r = (bit<32>)(a |+| b); }
            2: { r = (bit<32>)(a |-| b); }
            3: { r = (bit<32>)(bit<16>)(x |+| y); }
            4: { r = (bit<32>)(bit<16>)(x |-| y); }
            5: { r = a ++ b; }
            6: { r = (bit<32>)(a[11:4] ++ b[3:0]); }
            7: { r = (bit<32>)(int<32>)x; }
            8: { r = (bit<32>)(bit<16>)(x >> 3); }
            9: { r = (bit<32>)(a >> 3) ; }
            10: { r = (bit<32>)(a << (bit<8>)b); }
            11: { r = (x < y ? 32w1 : 32w2) + (a < b ? 32w16 : 32w32); }
            12: { r = (bit<32>)(a * b); }
            13: { r = (bit<32>)(~a & (a | b) ^ b); }
            14: { r = (bit<32>)(bit<16>)(-x); }
            15: { r[23:8] = a; r[7:4] = b[3:0]; }
            16: { r = (bit<32>)((bit<100>)a << 84 >> 84) + (bit<32>)((bit<100>)b >> 200); }
            17: { r = (bit<32>)((((bit<65>)a << 49) |+| (65w1 << 64)) >> 40); }
            default: { r = 0xffffffff; }
        }
        hdr.h.result = r;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
