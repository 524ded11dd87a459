// Egress deparser: the export of a flow, and the headers. Only packets to the controller still have the bridge.

control HawkeyeEgressDeparser(
    packet_out packet,
    inout egress_headers_t hdr,
    in egress_metadata_t meta,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    in egress_intrinsic_metadata_t eg_intr_md)
{
    Mirror(MIRROR_EXPORT) exports;

    apply {
        if (eg_dprsr_md.mirror_type == MIRROR_EXPORT) {
            exports.emit<export_t>(meta.session, {
                meta.export_kind, 0, meta.export_priority, meta.is_evicted, meta.is_new_key, 0, meta.slot, 0,
                hdr.bridge.ingress_port, 0, eg_intr_md.egress_port, hdr.bridge.epoch, meta.found_digest,
                meta.evicted_packets, meta.evicted_bytes, meta.evicted_depth_sum, meta.evicted_queued,
                meta.evicted_paused
            });
        }
        packet.emit(hdr.export);
        packet.emit(hdr.bridge);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.mac_control);
        packet.emit(hdr.pfc);
        packet.emit(hdr.polling);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.ports);
    }
}
