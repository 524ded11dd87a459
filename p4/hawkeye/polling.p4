// Polling packets: freeze telemetry, send a digest to the controller, forward the packet (Hawkeye, section 2.2).
//
// A polling packet follows the victim's path (bit 0 of `follow`), the pauses that reach its ingress port (bit 1), or
// both. Ingress freezes the bank and sends the packet to the victim's port, or to every port when it follows pauses.
// Egress decides for each port whether the copy leaves and what it follows from there. Copies to hosts are dropped.
//
// The controller retries when a packet or a digest was lost. A retry arrives at the CPU port, with egress port 0, and is
// handled as if it had arrived at the port in the low bits of its Ethernet source address. It is processed even if this
// switch remembers the request; the copies that it sends are ordinary polling packets, which neighbours suppress if they
// remember them.

// Digest of a polling packet that this switch had not seen before, or of a retry.
struct poll_report_t {
    bit<32> event;
    bit<128> source;
    bit<128> destination;
    bit<16> source_port;
    bit<16> destination_port;
    bit<8> protocol;
    // `follow` of the packet, the bits of it that were new to this switch, and the priority of the victim's data.
    bit<8> follow;
    bit<8> followed;
    bit<8> priority;
    bit<16> ingress_port;
    // Egress port of the victim's packets; 0 without a route.
    bit<16> victim_port;
    bit<48> time_ns;
    // Epoch of arrival. The controller derives the duration of an epoch from the width of this field.
    epoch_t epoch;
    // 1: this packet froze the bank. 0: the bank was frozen before, for `frozen_event` at `frozen_ns`.
    bit<8> frozen_now;
    // Generation of the frozen bank; its lowest bit is the bank.
    bit<16> frozen_generation;
    bit<32> frozen_event;
    bit<48> frozen_ns;
    // Slots exported so far.
    bit<32> evictions;
}

// Recently processed requests, to suppress duplicates: event, victim and ingress port (0 for requests to follow the
// victim's path, which does not depend on the ingress port). Different events never suppress each other. A pause trace
// passes each switch once per port, so it ends even in a cyclic buffer dependency.
control PollMemory(in bit<32> event, in flow_t flow, in bit<32> flow_hash, in port_t port, in bit<48> now_ns,
    out bit<1> is_new)
{
    @fields("event:32,port:9,source:128,destination:128,source_port:16,destination_port:16,protocol:8,time_ns:48")
    register<bit<POLL_MEMORY_WIDTH>>(1 << POLL_MEMORY_BITS) poll_memory;

    bit<POLL_MEMORY_WIDTH> found;
    bit<POLL_MEMORY_WIDTH> request;
    bit<32> place;
    bit<48> age_ns;

    apply {
        request = POLL_MEMORY(event, port, flow.source, flow.destination, flow.source_port,
            flow.destination_port, flow.protocol, now_ns);
        place = (flow_hash ^ event ^ ((bit<32>)port << 7)) * 0x9e3779b1;
        place = (bit<32>)place[31 : 32 - POLL_MEMORY_BITS];
        poll_memory.read(found, place);
        age_ns = now_ns - POLL_MEMORY_TIME_NS(found);
        is_new = 1;
        if (POLL_MEMORY_EVENT_TO_PROTOCOL(found) == POLL_MEMORY_EVENT_TO_PROTOCOL(request)
            && age_ns >> POLL_MEMORY_SHIFT == 0)
        {
            is_new = 0;
        } else {
            poll_memory.write(place, request);
        }
    }
}

// Limits the polling packets of each host, whatever its agent does: every new one costs a digest and collection. Packets
// from other switches are not limited here, since they have passed the limits of their hosts.
//
// This is the generic cell rate algorithm (ITU-T I.371, annex A): `due_ns` is when the packet would have arrived at the
// permitted rate.
control PollLimit(in port_t port, in bit<48> now_ns, out bit<1> exceeded) {
    // Index: port - 1.
    @fields("due_ns:48")
    register<bit<48>>(PORTS) poll_limit;

    port_t row;
    bit<PORT_CONFIG_WIDTH> config;
    bit<48> due_ns;

    apply {
        exceeded = 0;
        row = port - 1;
        if (row < PORTS) {
            port_config.read(config, (bit<32>)row);
            if (PORT_CONFIG_HOST_FACING(config) == 1) {
                poll_limit.read(due_ns, (bit<32>)row);
                if (due_ns < now_ns) {
                    due_ns = now_ns;
                }
                if (due_ns - now_ns > ((1 << POLL_BURST_BITS) - 1) << POLL_INTERVAL_SHIFT) {
                    exceeded = 1;
                } else {
                    poll_limit.write((bit<32>)row, due_ns + (1 << POLL_INTERVAL_SHIFT));
                }
            }
        }
    }
}

// Ingress part. Sets `dropped` if no copy of the packet is to be forwarded.
control PollingIngress(
    inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata, out bit<1> dropped)
{
    PollMemory() memory;
    Freeze() freeze;

    bit<2> requested;
    bit<1> is_new = 0;
    bit<1> is_repeated = 0;
    bit<1> frozen_now;
    bit<FREEZE_STATE_WIDTH> state;
    poll_report_t report;

    apply {
        requested = hdr.polling.follow;
        dropped = 1;
        meta.poll_port = standard_metadata.ingress_port;
        if (standard_metadata.ingress_port == CPU_PORT) {
            meta.poll_port = hdr.ethernet.source[8:0];
            is_repeated = 1;
        }
        if (hdr.polling.version == POLLING_VERSION && hdr.polling.hop_limit != 0) {
            if (FOLLOW_VICTIM(requested) == 1) {
                memory.apply(hdr.polling.event, meta.flow, meta.flow_hash, 0,
                    standard_metadata.ingress_global_timestamp, is_new);
                FOLLOW_VICTIM(hdr.polling.follow) = is_new | is_repeated;
            }
            if (FOLLOW_PAUSES(requested) == 1) {
                memory.apply(hdr.polling.event, meta.flow, meta.flow_hash, meta.poll_port,
                    standard_metadata.ingress_global_timestamp, is_new);
                FOLLOW_PAUSES(hdr.polling.follow) = is_new | is_repeated;
            }
            if (hdr.polling.follow != 0) {
                freeze.apply(hdr.polling.event, standard_metadata.ingress_global_timestamp, state, frozen_now);
                report.event = hdr.polling.event;
                report.source = hdr.polling.source;
                report.destination = hdr.polling.destination;
                report.source_port = hdr.polling.source_port;
                report.destination_port = hdr.polling.destination_port;
                report.protocol = hdr.polling.protocol;
                report.follow = (bit<8>)requested;
                report.followed = (bit<8>)hdr.polling.follow;
                report.priority = hdr.polling.priority;
                report.ingress_port = (bit<16>)meta.poll_port;
                report.victim_port = (bit<16>)meta.route_port;
                report.time_ns = standard_metadata.ingress_global_timestamp;
                report.epoch = (epoch_t)meta.epoch;
                report.frozen_now = (bit<8>)frozen_now;
                report.frozen_generation = FREEZE_STATE_GENERATION(state) - 1;
                report.frozen_event = FREEZE_STATE_EVENT(state);
                report.frozen_ns = FREEZE_STATE_FROZEN_NS(state);
                report.evictions = FREEZE_STATE_EVICTIONS(state);
                digest<poll_report_t>(1, report);

                meta.priority = POLL_PRIORITY;
                standard_metadata.priority = POLL_PRIORITY;
                hdr.polling.hop_limit = hdr.polling.hop_limit - 1;
                if (FOLLOW_VICTIM(hdr.polling.follow) == 1) {
                    meta.victim_port = meta.route_port;
                }
                if (hdr.polling.hop_limit != 0) {
                    if (FOLLOW_PAUSES(hdr.polling.follow) == 1) {
                        standard_metadata.mcast_grp = POLL_GROUP;
                        dropped = 0;
                    } else if (meta.victim_port != 0) {
                        standard_metadata.egress_spec = meta.victim_port;
                        dropped = 0;
                    }
                }
            }
        }
    }
}

// Egress part, for each copy.
control PollingEgress(
    inout headers_t hdr, in metadata_t meta, inout standard_metadata_t standard_metadata)
{
    RecentPause() pause;
    RecentTraffic() traffic;

    port_t in_row;
    port_t out_row;
    bit<PORT_CONFIG_WIDTH> config;
    bit<2> follow = 0;
    bit<1> paused;
    bit<32> oldest;
    bit<1> fed = 0;

    apply {
        in_row = meta.poll_port - 1;
        out_row = standard_metadata.egress_port - 1;
        if (out_row < PORTS) {
            port_config.read(config, (bit<32>)out_row);
            if (PORT_CONFIG_HOST_FACING(config) == 0) {
                pause.apply(out_row[PORT_BITS - 1 : 0], hdr.polling.priority[2:0],
                    standard_metadata.ingress_global_timestamp, paused, oldest);
                if (standard_metadata.egress_port == meta.victim_port) {
                    follow = paused ++ 1w1;
                } else if (FOLLOW_PAUSES(hdr.polling.follow) == 1 && paused == 1 && in_row < PORTS) {
                    traffic.apply(in_row[PORT_BITS - 1 : 0], out_row[PORT_BITS - 1 : 0], meta.epoch, oldest, fed);
                    follow = fed ++ 1w0;
                }
            }
        }
        if (follow == 0) {
            mark_to_drop(standard_metadata);
        } else {
            hdr.polling.follow = follow;
        }
    }
}
