// IPv4 header checksum: verified on arrival (RFC 1812 section 5.2.2) and recomputed after the TTL has changed.

control HawkeyeVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid() && !hdr.ipv4_options.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
        verify_checksum(
            hdr.ipv4.isValid() && hdr.ipv4_options.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4_options.options
            },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control HawkeyeComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid() && !hdr.ipv4_options.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(
            hdr.ipv4.isValid() && hdr.ipv4_options.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4_options.options
            },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}
