// Selector groups with a CRC over several fields, weights, and a hash truncated to few bits.
#include "../language/frame.p4"

header h_t { bit<8> group; bit<32> src; bit<16> sport; bit<12> tag; bit<4> pad; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    action_selector(HashAlgorithm.crc16, 64, 14) wide;
    action_selector(HashAlgorithm.crc32, 64, 3) narrow;
    action send(bit<9> port) { std.egress_spec = port; }
    table by_crc16 {
        key = { hdr.h.group : exact; hdr.h.src : selector; hdr.h.sport : selector; }
        actions = { send; NoAction; }
        implementation = wide;
    }
    table by_crc32 {
        key = { hdr.h.group : exact; hdr.h.src : selector; hdr.h.tag : selector; hdr.h.pad : selector; }
        actions = { send; NoAction; }
        implementation = narrow;
    }
    apply {
        std.egress_spec = 9;
        if (hdr.h.group < 0x80) { by_crc16.apply(); } else { by_crc32.apply(); }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
