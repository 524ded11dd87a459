// Register layout: the width and the fields of every register element that has more than one field.
//
// v1model registers hold `bit<W>`, so a field is a slice of the element. This is the only file with bit positions; all
// others use these names:
//
// - `bit<PAUSE_STATUS_WIDTH>` is an element of the register `pause_status`; `x_bank0` and `x_bank1` share one
//   definition.
// - `PAUSE_STATUS_PAUSED(e)` is the field `paused` of element `e`.
// - `PAUSE_STATUS(...)` builds an element from all of its fields.
// - `METER_EPOCH_TO_GENERATION(e)` are the adjacent fields `epoch` to `generation`.
// - `FLOW_IDS_BANK(e)` is the bank of the field `generation`: its lowest bit.
//
// The `@fields` annotation at each register lists its fields, the most significant first; the controller decodes
// registers by it. controller/tests/bit_positions.rs checks every definition below against the annotations.
//
// The widths are macros and not typedefs because p4c omits registers with a typedef as type from P4Info.

#ifndef HAWKEYE_LAYOUT
#define HAWKEYE_LAYOUT

// Bank that packets of `generation` write.
#define BANK(generation) generation[0:0]

#define FREEZE_STATE_WIDTH 128
#define FREEZE_STATE_GENERATION(e) e[127:112]
#define FREEZE_STATE_BANK(e) e[112:112]
#define FREEZE_STATE_EVENT(e) e[111:80]
#define FREEZE_STATE_FROZEN_NS(e) e[79:32]
#define FREEZE_STATE_EVICTIONS(e) e[31:0]
#define FREEZE_STATE(generation, event, frozen_ns, evictions) \
    ((generation) ++ (event) ++ (frozen_ns) ++ (evictions))

#define PAUSE_STATUS_WIDTH 209
#define PAUSE_STATUS_PAUSED(e) e[208:208]
#define PAUSE_STATUS_START_NS(e) e[207:160]
#define PAUSE_STATUS_UNTIL_NS(e) e[159:112]
#define PAUSE_STATUS_FRAMES(e) e[111:80]
#define PAUSE_STATUS_ENDED_NS(e) e[79:32]
#define PAUSE_STATUS_INTERVALS(e) e[31:0]
#define PAUSE_STATUS(paused, start_ns, until_ns, frames, ended_ns, intervals) \
    ((paused) ++ (start_ns) ++ (until_ns) ++ (frames) ++ (ended_ns) ++ (intervals))

#define PAUSE_LOG_WIDTH 112
#define PAUSE_LOG(start_ns, lasted_ns, frames, priority, number) \
    ((start_ns) ++ (lasted_ns) ++ (frames) ++ (priority) ++ (number))

#define PORT_CONFIG_WIDTH 40
#define PORT_CONFIG_HOST_FACING(e) e[39:39]
#define PORT_CONFIG_QUANTUM(e) e[38:0]

#define FLOW_IDS_WIDTH 365
#define FLOW_IDS_EPOCH(e) e[364:333]
#define FLOW_IDS_GENERATION(e) e[332:317]
#define FLOW_IDS_BANK(e) e[317:317]
#define FLOW_IDS_INGRESS_PORT_TO_PROTOCOL(e) e[316:0]
#define FLOW_IDS(epoch, generation, ingress_port, egress_port, priority, source, destination, source_port, \
        destination_port, protocol) \
    ((epoch) ++ (generation) ++ (ingress_port) ++ (egress_port) ++ (priority) ++ (source) ++ (destination) \
        ++ (source_port) ++ (destination_port) ++ (protocol))

#define FLOW_COUNTS_WIDTH 192
#define FLOW_COUNTS_PACKETS(e) e[191:160]
#define FLOW_COUNTS_QUEUED_PACKETS(e) e[111:80]
#define FLOW_COUNTS(packets, bytes, queued_packets, depth_sum, paused_packets) \
    ((packets) ++ (bytes) ++ (queued_packets) ++ (depth_sum) ++ (paused_packets))

#define FLOW_MARKS_WIDTH 240
#define FLOW_MARKS_PSN_LAST(e) e[215:192]
#define FLOW_MARKS_SEEN_LAST_NS(e) e[143:96]
#define FLOW_MARKS_QUEUED_FIRST_NS(e) e[95:48]
#define FLOW_MARKS_QUEUED_LAST_NS(e) e[47:0]
#define FLOW_MARKS(psn_first, psn_last, seen_first_ns, seen_last_ns, queued_first_ns, queued_last_ns) \
    ((psn_first) ++ (psn_last) ++ (seen_first_ns) ++ (seen_last_ns) ++ (queued_first_ns) ++ (queued_last_ns))

#define PORT_SLOTS_WIDTH 160
#define PORT_SLOTS_EPOCH(e) e[159:128]
#define PORT_SLOTS_GENERATION(e) e[127:112]
#define PORT_SLOTS_EPOCH_TO_GENERATION(e) e[159:112]
#define PORT_SLOTS(epoch, generation, packets, depth_sum, paused_packets) \
    ((epoch) ++ (generation) ++ (packets) ++ (depth_sum) ++ (paused_packets))

#define METER_WIDTH 128
#define METER_EPOCH(e) e[127:96]
#define METER_GENERATION(e) e[95:80]
#define METER_EPOCH_TO_GENERATION(e) e[127:80]
#define METER_PACKETS(e) e[79:48]
#define METER(epoch, generation, packets, bytes) ((epoch) ++ (generation) ++ (packets) ++ (bytes))

#define LAST_TRAFFIC_WIDTH 33
#define LAST_TRAFFIC_SEEN(e) e[32:32]
#define LAST_TRAFFIC_EPOCH(e) e[31:0]
#define LAST_TRAFFIC(seen, epoch) ((seen) ++ (epoch))

#define LOSSES_WIDTH 128
#define LOSSES_PACKETS(e) e[127:96]
#define LOSSES_FIRST_NS(e) e[95:48]
#define LOSSES(packets, first_ns, last_ns) ((packets) ++ (first_ns) ++ (last_ns))

#define POLL_MEMORY_WIDTH 385
#define POLL_MEMORY_EVENT_TO_PROTOCOL(e) e[384:48]
#define POLL_MEMORY_TIME_NS(e) e[47:0]
#define POLL_MEMORY(event, port, source, destination, source_port, destination_port, protocol, time_ns) \
    ((event) ++ (port) ++ (source) ++ (destination) ++ (source_port) ++ (destination_port) ++ (protocol) \
        ++ (time_ns))

#endif
