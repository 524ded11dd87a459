// Polling packets: notify the controller with a digest, freeze telemetry, forward the packet (Hawkeye, section 2.2).
//
// A polling packet follows the victim's path, the pauses that reach its ingress port, or both. Ingress sends a copy to every
// port with telemetry, so that every pipe freezes. Egress decides for each port whether the copy leaves and what it follows
// from there. Copies to hosts are dropped.

// Ingress part. `reason` is set if the packet is dropped.
control PollingIngress(
    inout ingress_headers_t hdr,
    inout ingress_metadata_t meta,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md)
{
    PollMemory() memory;
    // Limits the polling packets of each host, whatever its agent does. The controller sets the rates.
    Meter<bit<INGRESS_ROW_BITS>>(1 << INGRESS_ROW_BITS, MeterType_t.PACKETS) poll_limit;

    action limit() {
        meta.poll_colour = poll_limit.execute(meta.row);
    }

    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }

    action accept_retry() {
        hdr.bridge.follow_victim = hdr.polling.follow_victim;
        hdr.bridge.follow_pauses = hdr.polling.follow_pauses;
    }

    action accept_new() {
        hdr.bridge.follow_victim = meta.is_new_victim;
        hdr.bridge.follow_pauses = meta.is_new_pauses;
    }

    action notify() {
        ig_dprsr_md.digest_type = DIGEST_POLL;
    }

    action forward() {
        ig_tm_md.mcast_grp_a = POLL_GROUP;
        ig_tm_md.qid = POLL_PRIORITY;
        ig_tm_md.ingress_cos = POLL_PRIORITY;
        hdr.bridge.kind = KIND_POLLING;
        hdr.bridge.victim_port = meta.route_port;
        hdr.bridge.priority = (bit<3>)hdr.polling.priority;
        hdr.polling.hop_limit = hdr.polling.hop_limit - 1;
    }

    apply {
        if (meta.host_facing == 1) {
            limit();
        }
        if (meta.poll_colour == 3 || hdr.polling.version != POLLING_VERSION || hdr.polling.hop_limit == 0) {
            drop();
        } else {
            memory.apply(hdr, meta);
            if (meta.is_retry == 1) {
                accept_retry();
            } else {
                accept_new();
            }
            if (hdr.bridge.follow_victim == 0 && hdr.bridge.follow_pauses == 0) {
                drop();
            } else {
                notify();
                forward();
            }
        }
    }
}

// Egress part, for each copy.
control PollingEgress(
    inout egress_headers_t hdr,
    inout egress_metadata_t meta,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md)
{
    action drop() {
        eg_dprsr_md.drop_ctl = 1;
    }

    action follow(bit<1> pauses, bit<1> victim) {
        hdr.polling.follow_pauses = pauses;
        hdr.polling.follow_victim = victim;
    }

    table poll_copies {
        key = {
            meta.has_row : ternary @name("has_row");
            meta.host_facing : ternary @name("host_facing");
            meta.is_victim_port : ternary @name("is_victim_port");
            hdr.bridge.follow_victim : ternary @name("follow_victim");
            hdr.bridge.follow_pauses : ternary @name("follow_pauses");
            meta.is_paused : ternary @name("is_paused");
            meta.is_fed : ternary @name("is_fed");
        }
        actions = { follow; drop; }
        const default_action = drop();
        const entries = {
            (0, _, _, _, _, _, _) : drop();
            (_, 1, _, _, _, _, _) : drop();
            (1, 0, 1, 1, _, 0, _) : follow(0, 1);
            (1, 0, 1, 1, _, 1, _) : follow(1, 1);
            (1, 0, _, _, 1, 1, 1) : follow(1, 0);
        }
        size = 8;
    }

    apply {
        poll_copies.apply();
    }
}
