// Checksums of hosts: of an IPv4 header, and of UDP with its pseudo header and a payload of any length.
#include "../language/frame.p4"

header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> total; bit<16> id; bit<3> flags; bit<13> offset;
    bit<8> ttl; bit<8> protocol; bit<16> sum; bit<32> src; bit<32> dst;
}
header udp_t { bit<16> sport; bit<16> dport; bit<16> length; bit<16> sum; }
struct headers_t { ipv4_t ip; udp_t udp; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.ip); packet.extract(hdr.udp); transition accept; }
}
#define IP_FIELDS { hdr.ip.version, hdr.ip.ihl, hdr.ip.tos, hdr.ip.total, hdr.ip.id, hdr.ip.flags, hdr.ip.offset, \
    hdr.ip.ttl, hdr.ip.protocol, hdr.ip.src, hdr.ip.dst }
#define UDP_FIELDS { hdr.ip.src, hdr.ip.dst, 8w0, hdr.ip.protocol, hdr.udp.length, hdr.udp.sport, hdr.udp.dport, \
    hdr.udp.length }
control Check(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.ip.isValid(), IP_FIELDS, hdr.ip.sum, HashAlgorithm.csum16);
        verify_checksum_with_payload(hdr.udp.sum != 0, UDP_FIELDS, hdr.udp.sum, HashAlgorithm.csum16);
    }
}
control In(STANDARD) {
    apply {
        // Packets with a wrong checksum go to port 2; the others get a lower TTL and another source port.
        std.egress_spec = std.checksum_error == 1 ? 9w2 : 9w1;
        if (std.checksum_error == 0) {
            hdr.ip.ttl = hdr.ip.ttl - 1;
            hdr.udp.sport = 4791;
        }
    }
}
control Out(STANDARD) { apply { } }
control Mend(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.ip.isValid(), IP_FIELDS, hdr.ip.sum, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.udp.sum != 0, UDP_FIELDS, hdr.udp.sum, HashAlgorithm.csum16);
    }
}
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(Read(), Check(), In(), Out(), Mend(), Write()) main;
