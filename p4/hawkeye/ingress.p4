// Ingress: handles PFC frames and polling packets, sends LLDP frames to the controller, and forwards all other packets.

// Indices of the counter `drops`. The traffic manager counts its own drops.
const bit<32> DROP_MALFORMED = 0;
const bit<32> DROP_MAC_CONTROL = 1;
const bit<32> DROP_UNKNOWN = 2;
const bit<32> DROP_TTL = 3;
const bit<32> DROP_NO_ROUTE = 4;
const bit<32> DROP_POLLING = 5;
const bit<32> DROP_POLL_LIMIT = 6;

control HawkeyeIngress(
    inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata)
{
    counter(8, CounterType.packets) drops;

    Classify() classify;
    Routing() routing;
    Priority() priority;
    EpochClock() clock;
    Pause() pause;
    Telemetry() telemetry;
    PollLimit() poll_limit;
    PollingIngress() polling;
    CountLoss() count_loss;

    bit<1> exceeded;
    bit<1> known;
    bit<1> dropped;
    bit<8> ttl = 0;
    bit<FREEZE_STATE_WIDTH> state;

    action drop(in bit<32> reason) {
        drops.count(reason);
        mark_to_drop(standard_metadata);
    }

    apply {
        if (standard_metadata.parser_error != error.NoError || standard_metadata.checksum_error == 1) {
            count_loss.apply(standard_metadata.ingress_port, LOSS_MALFORMED,
                standard_metadata.ingress_global_timestamp);
            drop(DROP_MALFORMED);
            exit;
        }
        if (hdr.packet_out.isValid() && hdr.packet_out.egress_port != 0) {
            meta.priority = POLL_PRIORITY;
            standard_metadata.priority = POLL_PRIORITY;
            standard_metadata.egress_spec = (port_t)hdr.packet_out.egress_port;
            exit;
        }
        if (hdr.mac_control.isValid()) {
            if (hdr.pfc.isValid()) {
                pause.apply(hdr.pfc, standard_metadata.ingress_port,
                    standard_metadata.ingress_global_timestamp);
            }
            drop(DROP_MAC_CONTROL);
            exit;
        }

        // First of all, because it costs the least.
        if (hdr.polling.isValid()) {
            poll_limit.apply(standard_metadata.ingress_port, standard_metadata.ingress_global_timestamp, exceeded);
            if (exceeded == 1) {
                drop(DROP_POLL_LIMIT);
                exit;
            }
        }

        classify.apply(hdr, meta, known);
        if (known == 0) {
            // IEEE 802.1AB: never forwarded, whatever its destination address.
            if (hdr.ethernet.ether_type == ETHERTYPE_LLDP) {
                hdr.packet_in.setValid();
                hdr.packet_in.ingress_port = (bit<16>)standard_metadata.ingress_port;
                standard_metadata.egress_spec = CPU_PORT;
                exit;
            }
            drop(DROP_UNKNOWN);
            exit;
        }
        routing.apply(hdr, meta);
        clock.apply(standard_metadata.ingress_global_timestamp, meta.epoch, meta.ring);

        if (hdr.polling.isValid()) {
            polling.apply(hdr, meta, standard_metadata, dropped);
            if (dropped == 1) {
                drop(DROP_POLLING);
            }
            exit;
        }

        if (hdr.ipv4.isValid()) {
            ttl = hdr.ipv4.ttl;
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        } else {
            ttl = hdr.ipv6.hop_limit;
            hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
        }
        if (ttl <= 1) {
            count_loss.apply(standard_metadata.ingress_port, LOSS_TTL, standard_metadata.ingress_global_timestamp);
            drop(DROP_TTL);
            exit;
        }
        if (meta.route_port == 0) {
            count_loss.apply(standard_metadata.ingress_port, LOSS_NO_ROUTE,
                standard_metadata.ingress_global_timestamp);
            drop(DROP_NO_ROUTE);
            exit;
        }
        priority.apply(hdr, meta);
        standard_metadata.priority = meta.priority;
        standard_metadata.egress_spec = meta.route_port;
        freeze_state.read(state, 0);
        meta.generation = FREEZE_STATE_GENERATION(state);
        telemetry.apply(meta, standard_metadata);
    }
}
