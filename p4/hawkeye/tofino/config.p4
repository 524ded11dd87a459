// Sizes and durations. Each is a power of two, given by its exponent.
//
// A register of pairs holds at most 71,680 pairs on Tofino 1 and 47,104 on Tofino 2. Two banks of 2^14 rows, 32,768 pairs,
// fit into both.

#ifndef HAWKEYE_TOFINO_CONFIG
#define HAWKEYE_TOFINO_CONFIG

// Times are 32-bit numbers in units of 2^TICK_SHIFT ns (256 ns); they wrap after 2^40 ns, 18 minutes.
#define TICK_SHIFT 8

// An epoch lasts 2^EPOCH_SHIFT ns: 262 us.
#define EPOCH_SHIFT 18

// Epochs in the ring: 16, which is 4.2 ms, the span of the v1model program (32 epochs of 131 us).
#define RING_BITS 4

// Flow slots per bank and epoch: 1024.
#define FLOW_SLOT_BITS 10

// Egress ports with telemetry in a pipe, and ingress ports with telemetry in the switch: 16 and 64, a switch of 64 ports with
// four pipes. Tables map device ports to these rows.
#define EGRESS_ROW_BITS 4
#define INGRESS_ROW_BITS 6

// Polling packets remembered to suppress duplicates: 1024, for 2^22 ticks (1.07 s).
#define POLL_MEMORY_BITS 10
#define POLL_MEMORY_TICKS 0x400000

// A flow's full key is exported when the flow claims a slot and its key was not exported in the last 2^22 ticks (1.07 s).
// 4096 keys are remembered.
#define FLOW_KEY_BITS 12
#define FLOW_KEY_TICKS 0x400000

// Ticks in which a pause counts as recent: the span of the ring.
#define RECENT_TICKS (1 << (EPOCH_SHIFT + RING_BITS - TICK_SHIFT))

#define FLOW_ROW_BITS (1 + RING_BITS + FLOW_SLOT_BITS)
#define PORT_ROW_BITS (1 + RING_BITS + EGRESS_ROW_BITS + 3)
#define METER_ROW_BITS (1 + RING_BITS + INGRESS_ROW_BITS + EGRESS_ROW_BITS)
#define PAIR_ROW_BITS (INGRESS_ROW_BITS + EGRESS_ROW_BITS)
#define QUEUE_ROW_BITS (EGRESS_ROW_BITS + 3)

// Multicast group of all ports with telemetry.
#define POLL_GROUP 1
// Priority of polling packets, of PFC copies and of packets from the controller. It must not be a lossless priority.
#define POLL_PRIORITY 7
// Mirror session to the controller.
#define EXPORT_SESSION 1

#endif
