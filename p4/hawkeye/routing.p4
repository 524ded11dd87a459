// Routing: longest-prefix match to a port or to an ECMP group, of which the flow's hash selects one member.

// Different in every switch. Otherwise all switches of a tier would select the same members and leave links unused.
@fields("seed:32")
register<bit<32>>(1) ecmp_seed;

control Routing(inout headers_t hdr, inout metadata_t meta) {
    bit<16> group = 0;
    bit<16> group_size = 0;
    bit<16> member = 0;
    bit<32> mixed;

    action unroutable() {
        meta.route_port = 0;
    }

    action set_port(port_t port) {
        meta.route_port = port;
    }

    // For neighbours that check MAC addresses.
    action set_next_hop(port_t port, bit<48> source, bit<48> destination) {
        meta.route_port = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
    }

    action set_group(bit<16> group_id, bit<16> size) {
        group = group_id;
        group_size = size;
    }

    table ipv4_routes {
        key = { meta.flow.destination[31:0] : lpm @name("destination"); }
        actions = { set_port; set_next_hop; set_group; unroutable; }
        const default_action = unroutable();
        size = 16384;
    }

    table ipv6_routes {
        key = { meta.flow.destination : lpm @name("destination"); }
        actions = { set_port; set_next_hop; set_group; unroutable; }
        const default_action = unroutable();
        size = 16384;
    }

    table ecmp_members {
        key = {
            group : exact @name("group");
            member : exact @name("member");
        }
        actions = { set_port; set_next_hop; unroutable; }
        const default_action = unroutable();
        size = 16384;
    }

    apply {
        if (meta.is_ipv4 == 1) {
            ipv4_routes.apply();
        } else {
            ipv6_routes.apply();
        }
        if (group_size != 0) {
            // CRC-32 is linear: with only an XOR of the seed, flows that collide on one switch would collide on the
            // next as well. The product is not linear, and its upper half depends on all bits.
            ecmp_seed.read(mixed, 0);
            mixed = (mixed ^ meta.flow_hash) * 0x9e3779b1;
            mixed = (mixed ^ (mixed >> 15)) * 0x85ebca77;
            mixed = (bit<32>)mixed[31:16] * (bit<32>)group_size;
            member = mixed[31:16];
            ecmp_members.apply();
        }
    }
}
