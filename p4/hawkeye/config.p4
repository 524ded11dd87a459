// Sizes and durations. Each is a power of two, given by its exponent, and can be set on the compiler's command line.
// The controller derives them from the compiled program (register sizes, width of `epoch_t`), not from this file.

#ifndef HAWKEYE_CONFIG
#define HAWKEYE_CONFIG

// An epoch lasts 2^EPOCH_SHIFT ns: 131 us, about as long as a queue that delays a packet. At 16 or above, an epoch number of
// the 48-bit clock fits into 32 bits.
#ifndef EPOCH_SHIFT
#define EPOCH_SHIFT 17
#endif
#if EPOCH_SHIFT < 16 || EPOCH_SHIFT > 40
#error EPOCH_SHIFT must be 16 to 40
#endif

// Epochs in the ring: 32, which is 4.2 ms: a delay of milliseconds needs records of the time before it.
#ifndef EPOCH_RING_BITS
#define EPOCH_RING_BITS 5
#endif
#if EPOCH_RING_BITS < 1 || EPOCH_RING_BITS > 8
#error EPOCH_RING_BITS must be 1 to 8
#endif

// Flow slots per epoch: 512. A flow that finds its slot taken exports what is in it to the controller.
#ifndef FLOW_SLOT_BITS
#define FLOW_SLOT_BITS 9
#endif

// Ports with telemetry: 64, numbered from 1. Row p - 1 of a register belongs to port p.
#ifndef PORT_BITS
#define PORT_BITS 6
#endif
#if PORT_BITS < 1 || PORT_BITS > 8
#error PORT_BITS must be 1 to 8
#endif

// Closed pause intervals kept per bank and port: 128.
#ifndef PAUSE_LOG_BITS
#define PAUSE_LOG_BITS 7
#endif
#if PAUSE_LOG_BITS < 1 || PAUSE_LOG_BITS > 16
#error PAUSE_LOG_BITS must be 1 to 16
#endif

// Polling packets remembered to suppress duplicates: 1024, for 2^POLL_MEMORY_SHIFT ns (1.07 s).
#ifndef POLL_MEMORY_BITS
#define POLL_MEMORY_BITS 10
#endif
#ifndef POLL_MEMORY_SHIFT
#define POLL_MEMORY_SHIFT 30
#endif

// A host may send a polling packet every 2^POLL_INTERVAL_SHIFT ns (0.52 ms) in the long run, and 2^POLL_BURST_BITS of
// them (128) at once. That is twice what an agent sends at most by default: half for itself, half on request.
#ifndef POLL_INTERVAL_SHIFT
#define POLL_INTERVAL_SHIFT 19
#endif
#ifndef POLL_BURST_BITS
#define POLL_BURST_BITS 7
#endif
#if POLL_INTERVAL_SHIFT + POLL_BURST_BITS > 40
#error POLL_INTERVAL_SHIFT + POLL_BURST_BITS must be at most 40
#endif

#define EPOCHS (1 << EPOCH_RING_BITS)
#define PORTS (1 << PORT_BITS)
#define FLOW_ROWS (1 << (EPOCH_RING_BITS + FLOW_SLOT_BITS))
#define PORT_ROWS (1 << (EPOCH_RING_BITS + PORT_BITS))
#define PAIR_ROWS (1 << (PORT_BITS + PORT_BITS))
#define METER_ROWS (1 << (EPOCH_RING_BITS + PORT_BITS + PORT_BITS))
#define QUEUES (1 << (PORT_BITS + 3))
#define LOSS_ROWS (1 << (PORT_BITS + 2))
#define PAUSE_LOG_ROWS (1 << (PORT_BITS + PAUSE_LOG_BITS))

// Ingress port of packets from the controller: `--cpu-port` of bmv2, the CPU port of p4/switch.
#ifndef CPU_PORT
#define CPU_PORT 510
#endif

// Multicast group of the ports with links to other switches.
#define POLL_GROUP 1
// Priority of polling packets and of packets that the controller sends through a port. It must not be a lossless
// priority: PFC never pauses it.
#define POLL_PRIORITY 7

#endif
