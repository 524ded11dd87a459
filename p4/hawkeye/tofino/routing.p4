// Routing: longest-prefix match to a next hop or to a group of next hops, of which the selector chooses one by the flow's
// hash. A polling packet is routed by the victim's 5-tuple and gets the port of the victim's packets.

// 16 bits of the 5-tuple's CRC. The variants give equal values for a flow's packets and for a polling packet about it.
control FlowHash(inout ingress_headers_t hdr, inout ingress_metadata_t meta) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) hash_v4;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) hash_v6;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) hash_polling_v4;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) hash_polling_v6;

    action of_ipv4() {
        meta.flow_hash = hash_v4.get({
            hdr.ipv4.source, hdr.ipv4.destination, meta.source_port, meta.destination_port, hdr.ipv4.protocol
        });
    }

    action of_ipv6() {
        meta.flow_hash = hash_v6.get({
            hdr.ipv6.source, hdr.ipv6.destination, meta.source_port, meta.destination_port, hdr.ipv6.next_header
        });
    }

    action of_polling_v4() {
        meta.flow_hash = hash_polling_v4.get({
            hdr.polling.source_low, meta.destination_v4, meta.source_port, meta.destination_port,
            hdr.polling.protocol
        });
    }

    action of_polling_v6() {
        meta.flow_hash = hash_polling_v6.get({
            hdr.polling.source_prefix, hdr.polling.source_low, hdr.polling.destination, meta.source_port,
            meta.destination_port, hdr.polling.protocol
        });
    }

    apply {
        if (hdr.ipv4.isValid()) {
            of_ipv4();
        } else if (hdr.ipv6.isValid()) {
            of_ipv6();
        } else if (meta.is_ipv4 == 1) {
            of_polling_v4();
        } else {
            of_polling_v6();
        }
    }
}

// Whether the victim of a polling packet has IPv4 addresses: its destination is ::ffff:a.b.c.d.
control VictimFamily(inout ingress_headers_t hdr, inout ingress_metadata_t meta) {
    action is_ipv4() {
        meta.is_ipv4 = 1;
    }

    action is_ipv6() {
        meta.is_ipv4 = 0;
    }

    table victim_families {
        key = { hdr.polling.destination : ternary @name("destination"); }
        actions = { is_ipv4; is_ipv6; }
        const default_action = is_ipv6();
        const entries = {
            0x0000_0000_0000_0000_0000_ffff_0000_0000 &&& 0xffff_ffff_ffff_ffff_ffff_ffff_0000_0000 : is_ipv4();
        }
        size = 1;
    }

    apply {
        victim_families.apply();
    }
}

control Routing(inout ingress_headers_t hdr, inout ingress_metadata_t meta) {
    Hash<bit<16>>(HashAlgorithm_t.IDENTITY) member_hash;
    ActionProfile(4096) next_hops;
    ActionSelector(next_hops, member_hash, SelectorMode_t.FAIR, 64, 64) next_hop_groups;

    bit<16> next_hop;

    action unroutable() {
        next_hop = 0;
    }

    action set_next_hop(bit<16> id) {
        next_hop = id;
    }

    action set_port(PortId_t port) {
        meta.route_port = port;
        meta.is_routed = 1;
    }

    // For neighbours that check MAC addresses.
    action set_neighbour(PortId_t port, bit<48> source, bit<48> destination) {
        meta.route_port = port;
        meta.is_routed = 1;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
    }

    table ipv4_routes {
        key = { meta.destination_v4 : lpm @name("destination"); }
        actions = { set_next_hop; unroutable; }
        const default_action = unroutable();
        size = 8192;
    }

    table ipv6_routes {
        key = { hdr.ipv6.destination : lpm @name("destination"); }
        actions = { set_next_hop; unroutable; }
        const default_action = unroutable();
        size = 2048;
    }

    table polling_ipv6_routes {
        key = { hdr.polling.destination : lpm @name("destination"); }
        actions = { set_next_hop; unroutable; }
        const default_action = unroutable();
        size = 2048;
    }

    // Without an entry, as for `next_hop` 0, the packet has no route.
    table next_hops_and_groups {
        key = {
            next_hop : exact @name("next_hop");
            meta.flow_hash : selector;
        }
        actions = { set_port; set_neighbour; }
        implementation = next_hop_groups;
        size = 1024;
    }

    apply {
        if (meta.is_ipv4 == 1) {
            ipv4_routes.apply();
        } else if (hdr.ipv6.isValid()) {
            ipv6_routes.apply();
        } else {
            polling_ipv6_routes.apply();
        }
        next_hops_and_groups.apply();
    }
}
