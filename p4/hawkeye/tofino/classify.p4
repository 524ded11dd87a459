// Classification: whether a packet counts as data, and its priority.
//
// Every packet between hosts is data except RoCEv2 acknowledgements and CNPs and TCP segments without payload.

control Classify(inout ingress_headers_t hdr, inout ingress_metadata_t meta) {
    action set_data() {
        hdr.bridge.kind = KIND_DATA;
    }

    action set_control() {
        hdr.bridge.kind = KIND_FORWARD;
    }

    // A TCP segment has no payload if the length is that of its headers: 4 bytes for each unit of the data offset, and
    // 20 bytes for the header of IPv4.
    table kinds {
        key = {
            hdr.bth.isValid() : exact @name("is_roce");
            hdr.bth.opcode : ternary @name("opcode");
            hdr.tcp.isValid() : exact @name("is_tcp");
            hdr.tcp.data_offset : ternary @name("data_offset");
            meta.is_ipv4 : ternary @name("is_ipv4");
            meta.ip_length : ternary @name("ip_length");
        }
        actions = { set_data; set_control; }
        const default_action = set_data();
        const entries = {
            // Acknowledge and atomic acknowledge of the reliable transports; CNP.
            (true, 0x11, false, _, _, _) : set_control();
            (true, 0x12, false, _, _, _) : set_control();
            (true, 0x51, false, _, _, _) : set_control();
            (true, 0x52, false, _, _, _) : set_control();
            (true, 0xb1, false, _, _, _) : set_control();
            (true, 0xb2, false, _, _, _) : set_control();
            (true, 0x80 &&& 0xe0, false, _, _, _) : set_control();
            (false, _, true, 5, 1, 40) : set_control();
            (false, _, true, 6, 1, 44) : set_control();
            (false, _, true, 7, 1, 48) : set_control();
            (false, _, true, 8, 1, 52) : set_control();
            (false, _, true, 9, 1, 56) : set_control();
            (false, _, true, 10, 1, 60) : set_control();
            (false, _, true, 11, 1, 64) : set_control();
            (false, _, true, 12, 1, 68) : set_control();
            (false, _, true, 13, 1, 72) : set_control();
            (false, _, true, 14, 1, 76) : set_control();
            (false, _, true, 15, 1, 80) : set_control();
            (false, _, true, 5, 0, 20) : set_control();
            (false, _, true, 6, 0, 24) : set_control();
            (false, _, true, 7, 0, 28) : set_control();
            (false, _, true, 8, 0, 32) : set_control();
            (false, _, true, 9, 0, 36) : set_control();
            (false, _, true, 10, 0, 40) : set_control();
            (false, _, true, 11, 0, 44) : set_control();
            (false, _, true, 12, 0, 48) : set_control();
            (false, _, true, 13, 0, 52) : set_control();
            (false, _, true, 14, 0, 56) : set_control();
            (false, _, true, 15, 0, 60) : set_control();
        }
        size = 32;
    }

    // Not in the parser, which cannot extract a field from two offsets within a byte.
    action use_dscp_of_ipv4() {
        meta.dscp = hdr.ipv4.dscp;
    }

    action use_dscp_of_ipv6() {
        meta.dscp = hdr.ipv6.dscp;
    }

    action set_priority(bit<3> priority) {
        meta.priority = priority;
    }

    action keep_tag() {
        meta.priority = hdr.vlan.pcp;
    }

    table dscp_priorities {
        key = { meta.dscp : exact @name("dscp"); }
        actions = { set_priority; }
        default_action = set_priority(0);
        size = 64;
    }

    apply {
        kinds.apply();
        if (hdr.ipv4.isValid()) {
            use_dscp_of_ipv4();
        } else if (hdr.ipv6.isValid()) {
            use_dscp_of_ipv6();
        }
        if (hdr.vlan.isValid()) {
            keep_tag();
        } else {
            dscp_priorities.apply();
        }
    }
}
