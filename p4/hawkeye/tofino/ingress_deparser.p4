// Ingress deparser: the digest of a polling packet, the checksum of IPv4 after the change of the TTL, and the headers. The
// header of a packet from the controller is not emitted.

// A polling packet that this switch had not seen before, or a retry: 46 bytes in whole containers. The controller reads
// generation, event and time of the freeze from the registers.
struct poll_report_t {
    bit<32> event;
    bit<96> source_prefix;
    bit<32> source_low;
    bit<128> destination;
    bit<16> source_port;
    bit<16> destination_port;
    bit<8> protocol;
    PortId_t ingress_port;
    PortId_t victim_port;
    bit<1> follow_pauses;
    bit<1> follow_victim;
}

control HawkeyeIngressDeparser(
    packet_out packet,
    inout ingress_headers_t hdr,
    in ingress_metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md)
{
    Checksum() ipv4_checksum;
    Digest<poll_report_t>(DIGEST_POLL) poll_reports;

    apply {
        if (ig_dprsr_md.digest_type == DIGEST_POLL) {
            poll_reports.pack({
                hdr.polling.event, hdr.polling.source_prefix, hdr.polling.source_low, hdr.polling.destination,
                hdr.polling.source_port, hdr.polling.destination_port, hdr.polling.protocol, meta.port,
                hdr.bridge.victim_port, hdr.bridge.follow_pauses, hdr.bridge.follow_victim
            });
        }
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = ipv4_checksum.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            });
        }
        packet.emit(hdr.bridge);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.mac_control);
        packet.emit(hdr.pfc);
        packet.emit(hdr.polling);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.ports);
        packet.emit(hdr.udp);
        packet.emit(hdr.tcp);
        packet.emit(hdr.bth);
    }
}
