// Checksums, with and without payload, and hashes with known values.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> wrong; bit<32> a; bit<32> b; bit<8> c; bit<16> sum; bit<32> hash; }
struct headers_t { h_t h; }
struct meta_t { bit<1> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control Check(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.h.which == 1, { hdr.h.a, hdr.h.b }, hdr.h.sum, HashAlgorithm.csum16);
        verify_checksum_with_payload(hdr.h.which == 2, { hdr.h.a }, hdr.h.sum, HashAlgorithm.csum16);
    }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        hdr.h.wrong = (bit<8>)std.checksum_error;
        bit<72> text = hdr.h.a ++ hdr.h.b ++ hdr.h.c;
        if (hdr.h.which == 5) { hash(hdr.h.hash, HashAlgorithm.crc32, 32w0, { text }, 64w0x100000000); }
        if (hdr.h.which == 6) { hash(hdr.h.hash, HashAlgorithm.crc16, 32w0, { text }, 32w0x10000); }
        if (hdr.h.which == 7) { hash(hdr.h.hash, HashAlgorithm.csum16, 32w0, { hdr.h.a, hdr.h.b }, 32w0x10000); }
        if (hdr.h.which == 8) { hash(hdr.h.hash, HashAlgorithm.xor16, 32w0, { hdr.h.a, hdr.h.b }, 32w0x10000); }
        if (hdr.h.which == 9) { hash(hdr.h.hash, HashAlgorithm.identity, 32w0, { hdr.h.a }, 64w0x100000000); }
        if (hdr.h.which == 10) { hash(hdr.h.hash, HashAlgorithm.crc32, 32w100, { text }, 32w7); }
        if (hdr.h.which == 11) { hash(hdr.h.hash, HashAlgorithm.crc32, 32w100, { text }, 32w0); }
    }
}
control Out(STANDARD) { apply { } }
control Mend(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.h.which == 3, { hdr.h.a, hdr.h.b }, hdr.h.sum, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.h.which == 4, { hdr.h.a }, hdr.h.sum, HashAlgorithm.csum16);
    }
}
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(Read(), Check(), In(), Out(), Mend(), Write()) main;
