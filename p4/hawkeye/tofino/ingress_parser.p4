// Ingress parser: the controller's header at the CPU port, Ethernet with at most one VLAN tag, then PFC, a polling packet, or
// IP with UDP, TCP and RoCEv2. IPv4 with options is malformed here: the parsers of the chips have no headers of variable
// length.

parser HawkeyeIngressParser(
    packet_in packet,
    out ingress_headers_t hdr,
    out ingress_metadata_t meta,
    out ingress_intrinsic_metadata_t ig_intr_md)
{
    Checksum() ipv4_checksum;
    // UDP destination ports that carry RoCEv2, in addition to 4791.
    value_set<bit<16>>(8) roce_ports;

    state start {
        packet.extract(ig_intr_md);
        packet.advance(PORT_METADATA_SIZE);
        // What no state below sets is zero.
        meta.destination_v4 = 0;
        meta.is_ipv4 = 0;
        meta.is_malformed = 0;
        meta.checksum_failed = false;
        meta.is_retry = 0;
        meta.host_facing = 0;
        meta.is_routed = 0;
        meta.ttl = 0;
        meta.dscp = 0;
        meta.priority = 0;
        meta.source_port = 0;
        meta.destination_port = 0;
        meta.ip_length = 0;
        meta.row = 0;
        meta.route_port = 0;
        meta.flow_hash = 0;
        meta.victim_digest = 0;
        meta.pauses_digest = 0;
        meta.victim_slot = 0;
        meta.pauses_slot = 0;
        meta.is_new_victim = 0;
        meta.is_new_pauses = 0;
        meta.poll_colour = 0;
        meta.loss = LOSS_NONE;
        meta.loss_row = 0;
        transition select(ig_intr_md.ingress_port) {
            CPU_PORT: parse_packet_out;
            default: parse_network;
        }
    }

    state parse_network {
        meta.port = ig_intr_md.ingress_port;
        transition parse_ethernet;
    }

    // A packet for a given port is not processed: all of it is payload.
    state parse_packet_out {
        packet.extract(hdr.packet_out);
        meta.is_retry = 1;
        meta.port = hdr.packet_out.poll_port;
        transition select(hdr.packet_out.egress_port) {
            0x1ff: parse_ethernet;
            default: accept;
        }
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_MAC_CONTROL: parse_mac_control;
            ETHERTYPE_POLLING: parse_polling;
            default: accept;
        }
    }

    state parse_vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            ETHERTYPE_POLLING: parse_polling;
            default: accept;
        }
    }

    state parse_mac_control {
        packet.extract(hdr.mac_control);
        transition select(hdr.mac_control.opcode) {
            MAC_CONTROL_PFC: parse_pfc;
            default: accept;
        }
    }

    state parse_pfc {
        packet.extract(hdr.pfc);
        transition accept;
    }

    state parse_polling {
        packet.extract(hdr.polling);
        meta.source_port = hdr.polling.source_port;
        meta.destination_port = hdr.polling.destination_port;
        meta.destination_v4 = IPV4_PART(hdr.polling.destination);
        transition accept;
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        ipv4_checksum.add(hdr.ipv4);
        meta.is_ipv4 = 1;
        meta.destination_v4 = hdr.ipv4.destination;
        meta.ip_length = hdr.ipv4.total_length;
        meta.checksum_failed = ipv4_checksum.verify();
        transition select(hdr.ipv4.version, hdr.ipv4.ihl) {
            (4, 5): parse_ipv4_payload;
            default: malformed;
        }
    }

    // Only the first fragment has ports.
    state parse_ipv4_payload {
        transition select(hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, PROTOCOL_UDP): parse_udp;
            (0, PROTOCOL_TCP): parse_tcp;
            default: accept;
        }
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        meta.ip_length = hdr.ipv6.payload_length;
        transition select(hdr.ipv6.version, hdr.ipv6.next_header) {
            (6, PROTOCOL_UDP): parse_udp;
            (6, PROTOCOL_TCP): parse_tcp;
            (6, _): accept;
            default: malformed;
        }
    }

    state malformed {
        meta.is_malformed = 1;
        transition accept;
    }

    state parse_udp {
        packet.extract(hdr.ports);
        packet.extract(hdr.udp);
        meta.source_port = hdr.ports.source_port;
        meta.destination_port = hdr.ports.destination_port;
        transition select(hdr.ports.destination_port) {
            UDP_ROCE_V2: parse_bth;
            roce_ports: parse_bth;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.ports);
        packet.extract(hdr.tcp);
        meta.source_port = hdr.ports.source_port;
        meta.destination_port = hdr.ports.destination_port;
        transition accept;
    }

    state parse_bth {
        packet.extract(hdr.bth);
        transition accept;
    }
}
