// Hashes of fields that fill no whole bytes, of several fields and of one bit, and reduced to ranges.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<12> a; bit<4> b; bit<32> c; bit<1> d; bit<7> e; bit<64> result; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        bit<32> r = 0;
        bit<16> s = 0;
        switch (hdr.h.which) {
            1: { hash(r, HashAlgorithm.crc32, 32w0, { hdr.h.a, hdr.h.b, hdr.h.c }, 64w0x1_0000_0000); }
            2: { hash(r, HashAlgorithm.crc32, 32w1000, { hdr.h.c }, 32w1000); }
            3: { hash(r, HashAlgorithm.crc16, 32w0, { hdr.h.c, hdr.h.a, hdr.h.b }, 32w0x10000); }
            4: { hash(r, HashAlgorithm.crc16, 32w5, { hdr.h.d, hdr.h.e }, 32w11); }
            5: { hash(r, HashAlgorithm.xor16, 32w0, { hdr.h.c, hdr.h.a, hdr.h.b }, 32w0x10000); }
            6: { hash(r, HashAlgorithm.csum16, 32w0, { hdr.h.c, hdr.h.a, hdr.h.b }, 32w0x10000); }
            7: { hash(r, HashAlgorithm.identity, 32w7, { hdr.h.d, hdr.h.e }, 32w100); }
            8: { hash(s, HashAlgorithm.crc32, 16w3, { hdr.h.c }, 32w60000); r = (bit<32>)s; }
        }
        hdr.h.result = (bit<64>)r;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
