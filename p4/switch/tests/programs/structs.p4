// Nested structs, tuples, lists and initialisers: assigned, compared, passed, returned, and stored in headers.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> a; bit<8> b; bit<16> c; bit<8> out1; bit<8> out2; }
struct pair_t { bit<8> x; bit<8> y; }
struct nest_t { pair_t first; pair_t second; bool flag; bit<4> odd; }
struct headers_t { h_t h; }
struct meta_t { nest_t kept; tuple<bit<8>, bit<16>> both; }

const nest_t START = { { 1, 2 }, { x = 3, y = 4 }, true, 0xf };

pair_t turned(in pair_t p) { return { p.y, p.x }; }
bit<8> total(in nest_t n) { return n.first.x + n.first.y + n.second.x + n.second.y + (bit<8>)n.odd; }
void fill(out nest_t n, in bit<8> v) {
    n = { first = { v, v + 1 }, second = turned({ v, v + 1 }), flag = v > 5, odd = v[3:0] };
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); meta.kept = START; transition accept; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        pair_t p = { hdr.h.a, hdr.h.b };
        nest_t n;
        switch (hdr.h.which) {
            1: { p = turned(p); hdr.h.out1 = p.x; hdr.h.out2 = p.y; }
            2: { fill(n, hdr.h.a); hdr.h.out1 = total(n); hdr.h.out2 = n.flag ? 8w1 : 8w0; }
            3: {
                if (p == { 8w1, 8w2 }) { hdr.h.out1 = 1; }
                if (p == meta.kept.first) { hdr.h.out2 = 1; }
            }
            4: {
                meta.both = { hdr.h.a, hdr.h.c };
                tuple<bit<8>, bit<16>> other = { hdr.h.b, hdr.h.c };
                if (meta.both == other) { hdr.h.out1 = 1; }
                hdr.h.out2 = meta.both[0] + meta.both[1][7:0];
            }
            5: {
                n = meta.kept;
                n.second = n.first;
                n.first.x = 9;
                hdr.h.out1 = total(n);
                hdr.h.out2 = total(meta.kept);
            }
            6: { hdr.h = { 0x66, hdr.h.b, hdr.h.a, hdr.h.c + 1, 0x77, ... }; }
            7: {
                n = meta.kept;
                if (n == meta.kept) { hdr.h.out1 = 1; }
                n.flag = false;
                if (n != meta.kept) { hdr.h.out2 = 1; }
            }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
