// Header validity: writes to invalid headers are not sent, assignment copies validity, also through local variables and
// metadata, and comparison includes validity.
#include "../language/frame.p4"

header op_t { bit<8> which; bit<8> seen; }
header pair_t { bit<8> x; bit<8> y; }
struct two_t { pair_t a; pair_t b; }
struct headers_t { op_t op; pair_t a; pair_t b; two_t spare; }
struct meta_t { pair_t kept; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.op);
        transition select(hdr.op.which) {
            0x80 &&& 0x80 : both;
            default : first;
        }
    }
    state first { packet.extract(hdr.a); transition accept; }
    state both { packet.extract(hdr.a); packet.extract(hdr.b); transition accept; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        bit<8> seen = 0;
        if (hdr.a == hdr.b) { seen = seen | 1; }
        if (hdr.spare.a == hdr.spare.b) { seen = seen | 2; }
        switch (hdr.op.which & 0x7f) {
            1: { hdr.b.x = 0x77; }
            2: { hdr.b.setValid(); hdr.b.x = 0x11; hdr.b.y = 0x22; }
            3: { hdr.a.setInvalid(); }
            4: { hdr.b = hdr.a; hdr.a.setInvalid(); }
            5: { hdr.a = hdr.b; }
            6: { hdr.b = { 0xab, 0xcd }; }
            7: { hdr.a = (pair_t) {#}; }
            8: { hdr.spare = { hdr.a, { 1, 2 } }; }
            9: { meta.kept = hdr.a; hdr.a.setInvalid(); hdr.b = meta.kept; }
            10: { pair_t t = hdr.a; hdr.a = hdr.b; hdr.b = t; }
        }
        if (hdr.a.isValid()) { seen = seen | 4; }
        if (hdr.b.isValid()) { seen = seen | 8; }
        if (hdr.spare.b.isValid()) { seen = seen | 0x10; }
        hdr.op.seen = seen;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
