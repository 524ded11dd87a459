// Egress parser: the first byte says what ingress or a mirror put in front of the packet. Only packets that telemetry uses are
// parsed further.

parser HawkeyeEgressParser(
    packet_in packet,
    out egress_headers_t hdr,
    out egress_metadata_t meta,
    out egress_intrinsic_metadata_t eg_intr_md)
{
    state start {
        packet.extract(eg_intr_md);
        // What no state below sets is zero.
        meta.source_port = 0;
        meta.destination_port = 0;
        meta.row = 0;
        meta.has_row = 0;
        meta.host_facing = 0;
        meta.class = 0;
        meta.generation = 0;
        meta.released = 0;
        meta.pause_ticks = 0;
        meta.pause_quanta = 0;
        meta.pause_part = 0;
        meta.pause_duration = 0;
        meta.pause_added = 0;
        meta.pause_end = 0;
        meta.pause_base = 0;
        meta.is_class_enabled = 0;
        meta.is_paused = 0;
        meta.bytes = 0;
        meta.depth = 0;
        meta.paused = 0;
        meta.flow_queued = 0;
        meta.flow_paused = 0;
        meta.digest = 0;
        meta.slot = 0;
        meta.key_slot = 0;
        meta.found_digest = 0;
        meta.is_evicted = 0;
        meta.is_new_key = 0;
        meta.evicted_packets = 0;
        meta.evicted_bytes = 0;
        meta.evicted_depth_sum = 0;
        meta.evicted_queued = 0;
        meta.evicted_paused = 0;
        meta.queue_row = 0;
        meta.pair_row = 0;
        meta.flow_row = 0;
        meta.port_row = 0;
        meta.meter_row = 0;
        meta.is_victim_port = 0;
        meta.is_fed = 0;
        meta.session = 0;
        meta.export_kind = 0;
        meta.export_priority = 0;
        transition select(packet.lookahead<bit<8>>()) {
            KIND_EXPORT: parse_export;
            default: parse_bridge;
        }
    }

    // A copy to the controller: it leaves as it is.
    state parse_export {
        packet.extract(hdr.export);
        transition accept;
    }

    state parse_bridge {
        packet.extract(hdr.bridge);
        transition select(hdr.bridge.kind) {
            KIND_DATA: parse_ethernet;
            KIND_PAUSE: parse_ethernet;
            KIND_POLLING: parse_ethernet;
            default: accept;
        }
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_MAC_CONTROL: parse_pfc;
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

    state parse_pfc {
        packet.extract(hdr.mac_control);
        packet.extract(hdr.pfc);
        transition accept;
    }

    state parse_polling {
        packet.extract(hdr.polling);
        transition accept;
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, PROTOCOL_UDP): parse_ports;
            (0, PROTOCOL_TCP): parse_ports;
            default: accept;
        }
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        transition select(hdr.ipv6.next_header) {
            PROTOCOL_UDP: parse_ports;
            PROTOCOL_TCP: parse_ports;
            default: accept;
        }
    }

    state parse_ports {
        packet.extract(hdr.ports);
        meta.source_port = hdr.ports.source_port;
        meta.destination_port = hdr.ports.destination_port;
        transition accept;
    }
}
