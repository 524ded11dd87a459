// All hash algorithms over "123456789", the check input of the CRC catalogue, and over sums with carries.
#include "frame.p4"

header data_t { bit<72> bytes; }
header out_t {
    bit<32> crc32; bit<32> crc32_custom; bit<16> crc16; bit<16> crc16_custom;
    bit<16> csum16; bit<16> xor16; bit<72> identity; bit<8> low; bit<16> none;
}
struct headers_t { data_t data; out_t sums; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.data); transition accept; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        hdr.sums.setValid();
        hash(hdr.sums.crc32, HashAlgorithm.crc32, 32w0, { hdr.data.bytes }, 64w0x1_0000_0000);
        hash(hdr.sums.crc32_custom, HashAlgorithm.crc32_custom, 32w0, { hdr.data.bytes }, 64w0x1_0000_0000);
        hash(hdr.sums.crc16, HashAlgorithm.crc16, 16w0, { hdr.data.bytes }, 32w0x1_0000);
        hash(hdr.sums.crc16_custom, HashAlgorithm.crc16_custom, 16w0, { hdr.data.bytes }, 32w0x1_0000);
        hash(hdr.sums.csum16, HashAlgorithm.csum16, 16w0, { hdr.data.bytes, 8w0 }, 32w0x1_0000);
        hash(hdr.sums.xor16, HashAlgorithm.xor16, 16w0, { hdr.data.bytes, 8w0 }, 32w0x1_0000);
        hash(hdr.sums.identity, HashAlgorithm.identity, 72w0, { hdr.data.bytes }, 64w0xffff_ffff_ffff_ffff);
        hash(hdr.sums.low, HashAlgorithm.crc16, 8w0xa0, { hdr.data.bytes }, 32w10);
        hash(hdr.sums.none, HashAlgorithm.crc16, 16w0x1234, { hdr.data.bytes }, 32w0);
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
