// Egress: all telemetry. Queue depth and pauses are known here, after the packet has left its queue, so registers belong to
// egress alone.

control HawkeyeEgress(
    inout egress_headers_t hdr,
    inout egress_metadata_t meta,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md)
{
    EgressClock() clock;
    PauseTime() pause_time;
    EgressPorts() ports;
    Freeze() freeze;
    Places() places;
    Rows() rows;
    Pause() pause;
    FlowDigest() digest;
    FlowSlots() flows;
    FlowPaused() flow_paused;
    PortSlots() port_slots;
    PortPaused() port_paused;
    Causality() causality;
    RecentTraffic() recent_traffic;
    PollingEgress() polling;

    action drop() {
        eg_dprsr_md.drop_ctl = 1;
    }

    action measure_ipv4() {
        meta.bytes = hdr.ipv4.total_length;
    }

    action measure_ipv6() {
        meta.bytes = hdr.ipv6.payload_length;
    }

    action measure_depth() {
        meta.depth = (bit<32>)eg_intr_md.enq_qdepth;
    }

    action of_data() {
        meta.class = hdr.bridge.priority;
        meta.pause_ticks = (int<32>)hdr.bridge.arrival;
    }

    action of_polling() {
        meta.class = hdr.bridge.priority;
        meta.pause_ticks = (int<32>)hdr.bridge.arrival - RECENT_TICKS;
    }

    action note_queued() {
        meta.flow_queued = 1;
    }

    action note_paused() {
        meta.flow_paused = 1;
        meta.paused = 1;
    }

    action export_key() {
        meta.session = EXPORT_SESSION;
        meta.export_kind = KIND_EXPORT;
        meta.export_priority = hdr.bridge.priority;
        eg_dprsr_md.mirror_type = MIRROR_EXPORT;
    }

    action remove_bridge() {
        hdr.bridge.setInvalid();
    }

    apply {
        if (hdr.bridge.isValid()) {
            if (hdr.bridge.kind == KIND_DATA) {
                of_data();
            } else if (hdr.bridge.kind == KIND_POLLING) {
                of_polling();
            } else {
                clock.apply(eg_prsr_md.global_tstamp, meta);
                pause_time.apply(hdr, eg_intr_md.egress_rid, meta);
            }
            ports.apply(eg_intr_md.egress_port, meta);
            places.apply(hdr, meta);
            freeze.apply(hdr, meta);
            if (hdr.bridge.kind == KIND_DATA) {
                digest.apply(hdr, eg_intr_md.egress_port, meta);
                if (hdr.ipv4.isValid()) {
                    measure_ipv4();
                } else {
                    measure_ipv6();
                }
                rows.apply(hdr, meta);
                measure_depth();
                if (eg_intr_md.enq_qdepth != 0) {
                    note_queued();
                }
            }
            if (eg_intr_md.egress_port == hdr.bridge.victim_port) {
                meta.is_victim_port = 1;
            }
            if (meta.has_row == 1) {
                if (hdr.bridge.kind != KIND_PAUSE) {
                    recent_traffic.apply(hdr, meta);
                }
                if (hdr.bridge.kind == KIND_DATA) {
                    flows.apply(hdr, meta);
                    port_slots.apply(hdr, meta);
                    causality.apply(hdr, meta);
                }
                pause.apply(hdr, meta);
                if (meta.is_paused == 1) {
                    note_paused();
                }
                if (hdr.bridge.kind == KIND_DATA) {
                    flow_paused.apply(hdr, meta);
                    port_paused.apply(hdr, meta);
                    if (meta.is_evicted == 1 || meta.is_new_key == 1) {
                        export_key();
                    }
                }
            }
            if (hdr.bridge.kind == KIND_POLLING) {
                polling.apply(hdr, meta, eg_dprsr_md);
            } else if (hdr.bridge.kind == KIND_PAUSE) {
                drop();
            }
            if (hdr.bridge.kind != KIND_TO_CONTROLLER) {
                remove_bridge();
            }
        }
    }
}
