// One table with all match kinds, on fields of odd widths, on an expression, on a slice and on
// validity.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> found; bit<12> tag; bit<4> class; bit<40> wide; bit<16> port; }
header more_t { bit<8> x; }
struct headers_t { h_t h; more_t more; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.which) { 0x80 &&& 0x80 : more; default : accept; }
    }
    state more { packet.extract(hdr.more); transition accept; }
}
control In(STANDARD) {
    action found(bit<8> mark) { hdr.h.found = mark; }
    table all {
        key = {
            hdr.h.tag : exact @name("tag");
            hdr.h.class : ternary @name("class");
            hdr.h.port : range @name("port");
            hdr.more.isValid() : optional @name("valid");
        }
        actions = { found; }
        default_action = found(0xff);
    }
    table prefix {
        key = {
            hdr.h.wide : lpm @name("wide");
            hdr.h.class : exact @name("class");
            hdr.more.isValid() : exact @name("valid");
        }
        actions = { found; }
        default_action = found(0xff);
    }
    table computed {
        key = {
            hdr.h.port + 1 : exact @name("next");
            hdr.h.wide[23:8] : ternary @name("middle");
        }
        actions = { found; }
        default_action = found(0xff);
    }
    apply {
        std.egress_spec = 1;
        switch (hdr.h.which & 0x7f) {
            1: { all.apply(); }
            2: { prefix.apply(); }
            3: { computed.apply(); }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
