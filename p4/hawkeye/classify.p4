// Classification: a packet's 5-tuple, and whether it counts as data.
//
// Every packet between hosts is data except RoCEv2 acknowledgements and CNPs and TCP segments without payload. These
// queue like data and count in the queue depth, but they hardly contribute to congestion and are not metered.

control Classify(in headers_t hdr, inout metadata_t meta, out bit<1> known) {
    bit<5> operation;
    bit<3> transport;
    bit<16> headers_length;
    bit<16> ip_length;

    apply {
        known = 1;
        headers_length = 0;
        ip_length = 0;
        if (hdr.ipv4.isValid()) {
            meta.is_ipv4 = 1;
            meta.dscp = hdr.ipv4.dscp;
            meta.flow.source = 96w0xffff ++ hdr.ipv4.source;
            meta.flow.destination = 96w0xffff ++ hdr.ipv4.destination;
            meta.flow.protocol = hdr.ipv4.protocol;
            headers_length = (bit<16>)hdr.ipv4.ihl << 2;
            ip_length = hdr.ipv4.total_length;
        } else if (hdr.ipv6.isValid()) {
            meta.dscp = hdr.ipv6.dscp;
            meta.flow.source = hdr.ipv6.source;
            meta.flow.destination = hdr.ipv6.destination;
            meta.flow.protocol = hdr.ipv6.next_header;
            ip_length = hdr.ipv6.payload_length;
        } else if (hdr.polling.isValid()) {
            // Routing and hashing use the victim's flow.
            if (hdr.polling.destination[127:32] == 0xffff) {
                meta.is_ipv4 = 1;
            }
            meta.flow.source = hdr.polling.source;
            meta.flow.destination = hdr.polling.destination;
            meta.flow.source_port = hdr.polling.source_port;
            meta.flow.destination_port = hdr.polling.destination_port;
            meta.flow.protocol = hdr.polling.protocol;
        } else {
            known = 0;
        }

        if (hdr.udp.isValid()) {
            meta.flow.source_port = hdr.udp.source_port;
            meta.flow.destination_port = hdr.udp.destination_port;
        } else if (hdr.tcp.isValid()) {
            meta.flow.source_port = hdr.tcp.source_port;
            meta.flow.destination_port = hdr.tcp.destination_port;
            headers_length = headers_length + ((bit<16>)hdr.tcp.data_offset << 2);
        }

        meta.is_data = 1;
        if (hdr.polling.isValid() || (hdr.tcp.isValid() && ip_length <= headers_length)) {
            meta.is_data = 0;
        } else if (hdr.bth.isValid()) {
            meta.psn = hdr.bth.psn;
            operation = hdr.bth.opcode[4:0];
            transport = hdr.bth.opcode[7:5];
            if (transport == 4) {
                // CNP, the only operation of this transport.
                meta.is_data = 0;
            } else if ((operation == 0x11 || operation == 0x12) && transport != 1 && transport != 3) {
                // Acknowledge and atomic acknowledge of the reliable transports.
                meta.is_data = 0;
            }
        }

        hash(meta.flow_hash, HashAlgorithm.crc32, 32w0, {
            meta.flow.source, meta.flow.destination, meta.flow.source_port, meta.flow.destination_port,
            meta.flow.protocol
        }, 33w0x100000000);
    }
}
