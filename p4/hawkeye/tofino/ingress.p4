// Ingress: sends PFC frames to the egress of their port, handles polling packets, sends LLDP frames to the controller, and
// forwards all other packets.

control HawkeyeIngress(
    inout ingress_headers_t hdr,
    inout ingress_metadata_t meta,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md)
{
    // Index: row of the ingress port, then reason. Packets between hosts that the program drops.
    Counter<bit<32>, bit<(INGRESS_ROW_BITS + 2)>>(1 << (INGRESS_ROW_BITS + 2), CounterType_t.PACKETS) losses;
    Hash<bit<(INGRESS_ROW_BITS + 2)>>(HashAlgorithm_t.IDENTITY) loss_row;

    Clock() clock;
    Classify() classify;
    VictimFamily() victim_family;
    FlowHash() flow_hash;
    Routing() routing;
    PollingIngress() polling;

    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }

    action set_loss(bit<2> reason) {
        meta.loss = reason;
    }

    action set_loss_row() {
        meta.loss_row = loss_row.get({ meta.row, meta.loss });
    }

    action count_loss() {
        ig_dprsr_md.drop_ctl = 1;
        losses.count(meta.loss_row);
    }

    action start_bridge() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_FORWARD;
        hdr.bridge.ingress_port = ig_intr_md.ingress_port;
    }

    action set_row(bit<INGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        hdr.bridge.ingress_row = row;
    }

    // Rows of the ingress ports. Row 0 is that of all ports without a row of their own.
    table ingress_ports {
        key = { meta.port : exact @name("port"); }
        actions = { set_row; }
        const default_action = set_row(0, 0);
        size = 512;
    }

    action copy_pause(MulticastGroupId_t group) {
        hdr.bridge.kind = KIND_PAUSE;
        ig_tm_md.mcast_grp_a = group;
        ig_tm_md.qid = POLL_PRIORITY;
        ig_tm_md.ingress_cos = POLL_PRIORITY;
    }

    // A group for each port: one copy to that port for each class that is recorded, with the class as replication id.
    table pause_groups {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { copy_pause; drop; }
        const default_action = drop();
        size = 512;
    }

    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
        ig_tm_md.qid = POLL_PRIORITY;
        ig_tm_md.ingress_cos = POLL_PRIORITY;
    }

    action route() {
        ig_tm_md.ucast_egress_port = meta.route_port;
        ig_tm_md.qid = (QueueId_t)meta.priority;
        ig_tm_md.ingress_cos = meta.priority;
        hdr.bridge.priority = meta.priority;
    }

    apply {
        start_bridge();
        clock.apply(ig_prsr_md.global_tstamp, hdr.bridge.arrival, hdr.bridge.epoch, hdr.bridge.ring);
        ingress_ports.apply();
        if (hdr.pfc.isValid()) {
            pause_groups.apply();
        } else if (hdr.mac_control.isValid()) {
            drop();
        } else if (hdr.packet_out.isValid() && !hdr.ethernet.isValid()) {
            send(hdr.packet_out.egress_port);
        } else if (hdr.polling.isValid() || hdr.ipv4.isValid() || hdr.ipv6.isValid()) {
            if (hdr.polling.isValid()) {
                victim_family.apply(hdr, meta);
            }
            flow_hash.apply(hdr, meta);
            routing.apply(hdr, meta);
            if (hdr.polling.isValid()) {
                polling.apply(hdr, meta, ig_dprsr_md, ig_tm_md);
            } else {
                classify.apply(hdr, meta);
                if (hdr.ipv4.isValid()) {
                    meta.ttl = hdr.ipv4.ttl;
                    hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
                } else {
                    meta.ttl = hdr.ipv6.hop_limit;
                    hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
                }
                if (meta.is_malformed == 1 || meta.checksum_failed) {
                    set_loss(LOSS_MALFORMED);
                } else if (meta.ttl == 0 || meta.ttl == 1) {
                    set_loss(LOSS_TTL);
                } else if (meta.is_routed == 0) {
                    set_loss(LOSS_NO_ROUTE);
                } else {
                    route();
                }
                if (meta.loss != LOSS_NONE) {
                    set_loss_row();
                    count_loss();
                }
            }
        } else if (hdr.ethernet.ether_type == ETHERTYPE_LLDP) {
            // IEEE 802.1AB: never forwarded, whatever its destination address.
            send(CPU_PORT);
            hdr.bridge.kind = KIND_TO_CONTROLLER;
        } else {
            drop();
        }
    }
}
