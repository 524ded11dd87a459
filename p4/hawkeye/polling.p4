// Polling: freeze, tell the controller, and pass the question on (Hawkeye, section 2.2).
//
// A packet asks to follow the victim's path (bit 0 of `follow`), the pauses that reach the port it came in by (bit 1), or
// both. Ingress freezes and sends it to the victim's port, or to every port when pauses are followed; egress decides
// for each port whether the copy leaves and what it asks for there. It ends at ports towards hosts.
//
// The controller asks again where a packet or a report was lost: its question comes by the CPU port, is treated as if it
// had come by the port that its Ethernet source address ends with, and is answered although it may be remembered. What
// it leads to is a question like any other, so that the neighbours that know it stay silent.

// What the controller is told about a polling packet that this switch had not seen before.
struct poll_report_t {
    bit<32> event;
    bit<128> source;
    bit<128> destination;
    bit<16> source_port;
    bit<16> destination_port;
    bit<8> protocol;
    // What the packet asked for, what of it was new here, and the class of the victim's data.
    bit<8> follow;
    bit<8> followed;
    bit<8> priority;
    bit<16> ingress_port;
    // Where the victim's own packets leave; 0 when there is no route.
    bit<16> victim_port;
    bit<48> time_ns;
    // Number of the epoch it came in. Its width tells how long an epoch lasts.
    epoch_t epoch;
    // 1: this packet froze the bank. 0: it was frozen before, for `frozen_event` at `frozen_ns`.
    bit<8> frozen_now;
    // Generation of the frozen bank; its lowest bit is the bank.
    bit<16> frozen_generation;
    bit<32> frozen_event;
    bit<48> frozen_ns;
    // Slots exported so far.
    bit<32> evictions;
}

// One question already answered: event, victim, and the port the packet came in by (0: the victim's path, which is
// the same from everywhere). Different events never suppress each other, and a trace of pauses passes each switch
// once a port, so that it ends even where the pauses form a loop.
control PollMemory(in bit<32> event, in flow_t flow, in bit<32> flow_hash, in port_t port, in bit<48> now_ns,
    out bit<1> is_new)
{
    @fields("event:32,port:9,source:128,destination:128,source_port:16,destination_port:16,protocol:8,time_ns:48")
    register<bit<385>>(1 << POLL_MEMORY_BITS) poll_memory;

    bit<385> found;
    bit<337> question;
    bit<32> place;
    bit<48> age_ns;

    apply {
        question = event ++ port ++ flow.source ++ flow.destination ++ flow.source_port
            ++ flow.destination_port ++ flow.protocol;
        place = (flow_hash ^ event ^ ((bit<32>)port << 7)) * 0x9e3779b1;
        place = (bit<32>)place[31 : 32 - POLL_MEMORY_BITS];
        poll_memory.read(found, place);
        age_ns = now_ns - found[47:0];
        is_new = 1;
        if (found[384:48] == question && age_ns >> POLL_MEMORY_SHIFT == 0) {
            is_new = 0;
        } else {
            poll_memory.write(place, question ++ now_ns);
        }
    }
}

// Ingress: `dropped` says that nothing is left to do with the packet.
control PollingIngress(
    inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata, out bit<1> dropped)
{
    PollMemory() memory;
    Freeze() freeze;

    bit<2> asked;
    bit<1> is_new = 0;
    bit<1> is_repeated = 0;
    bit<1> frozen_now;
    bit<128> lock;
    poll_report_t report;

    apply {
        asked = hdr.polling.follow;
        dropped = 1;
        meta.poll_port = standard_metadata.ingress_port;
        if (standard_metadata.ingress_port == CPU_PORT) {
            meta.poll_port = hdr.ethernet.source[8:0];
            is_repeated = 1;
        }
        if (hdr.polling.version == POLLING_VERSION && hdr.polling.hop_limit != 0) {
            if (asked[0:0] == 1) {
                memory.apply(hdr.polling.event, meta.flow, meta.flow_hash, 0,
                    standard_metadata.ingress_global_timestamp, is_new);
                hdr.polling.follow[0:0] = is_new | is_repeated;
            }
            if (asked[1:1] == 1) {
                memory.apply(hdr.polling.event, meta.flow, meta.flow_hash, meta.poll_port,
                    standard_metadata.ingress_global_timestamp, is_new);
                hdr.polling.follow[1:1] = is_new | is_repeated;
            }
            if (hdr.polling.follow != 0) {
                freeze.apply(hdr.polling.event, standard_metadata.ingress_global_timestamp, lock, frozen_now);
                report.event = hdr.polling.event;
                report.source = hdr.polling.source;
                report.destination = hdr.polling.destination;
                report.source_port = hdr.polling.source_port;
                report.destination_port = hdr.polling.destination_port;
                report.protocol = hdr.polling.protocol;
                report.follow = (bit<8>)asked;
                report.followed = (bit<8>)hdr.polling.follow;
                report.priority = hdr.polling.priority;
                report.ingress_port = (bit<16>)meta.poll_port;
                report.victim_port = (bit<16>)meta.route_port;
                report.time_ns = standard_metadata.ingress_global_timestamp;
                report.epoch = (epoch_t)meta.epoch;
                report.frozen_now = (bit<8>)frozen_now;
                report.frozen_generation = lock[127:112] - 1;
                report.frozen_event = lock[111:80];
                report.frozen_ns = lock[79:32];
                report.evictions = lock[31:0];
                digest<poll_report_t>(1, report);

                meta.priority = POLL_PRIORITY;
                standard_metadata.priority = POLL_PRIORITY;
                hdr.polling.hop_limit = hdr.polling.hop_limit - 1;
                if (hdr.polling.follow[0:0] == 1) {
                    meta.victim_port = meta.route_port;
                }
                if (hdr.polling.hop_limit != 0) {
                    if (hdr.polling.follow[1:1] == 1) {
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

// Egress, once a copy.
control PollingEgress(
    inout headers_t hdr, in metadata_t meta, inout standard_metadata_t standard_metadata)
{
    RecentPause() pause;
    RecentTraffic() traffic;

    port_t in_row;
    port_t out_row;
    bit<40> config;
    bit<2> follow = 0;
    bit<1> paused;
    bit<32> oldest;
    bit<1> fed = 0;

    apply {
        in_row = meta.poll_port - 1;
        out_row = standard_metadata.egress_port - 1;
        if (out_row < PORTS) {
            port_config.read(config, (bit<32>)out_row);
            if (config[39:39] == 0) {
                pause.apply(out_row[PORT_BITS - 1 : 0], hdr.polling.priority[2:0],
                    standard_metadata.ingress_global_timestamp, paused, oldest);
                if (standard_metadata.egress_port == meta.victim_port) {
                    follow = paused ++ 1w1;
                } else if (hdr.polling.follow[1:1] == 1 && paused == 1 && in_row < PORTS) {
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
