// Sizes and lengths. Each is a power of two, given by its exponent, and may be set on the compiler's command
// line. The controller learns them from the compiled program (register sizes, @epoch_shift), never from here.

#ifndef HAWKEYE_CONFIG
#define HAWKEYE_CONFIG

// An epoch lasts 2^EPOCH_SHIFT ns: 1.05 ms. From 16 on the number of an epoch of the 48-bit clock fits into 32 bits.
#ifndef EPOCH_SHIFT
#define EPOCH_SHIFT 20
#endif
#if EPOCH_SHIFT < 16 || EPOCH_SHIFT > 40
#error EPOCH_SHIFT must be 16 to 40
#endif

// Epochs in the ring: 4. Egress looks through the whole ring without a loop, hence the limit.
#ifndef EPOCH_RING_BITS
#define EPOCH_RING_BITS 2
#endif
#if EPOCH_RING_BITS < 1 || EPOCH_RING_BITS > 3
#error EPOCH_RING_BITS must be 1, 2 or 3
#endif

// Flow slots an epoch: 4096.
#ifndef FLOW_SLOT_BITS
#define FLOW_SLOT_BITS 12
#endif

// Ports with telemetry: 64, numbered from 1. Row p - 1 of a table belongs to port p.
#ifndef PORT_BITS
#define PORT_BITS 6
#endif
#if PORT_BITS < 1 || PORT_BITS > 8
#error PORT_BITS must be 1 to 8
#endif

// Closed pause intervals kept a bank and port: 128.
#ifndef PAUSE_LOG_BITS
#define PAUSE_LOG_BITS 7
#endif
#if PAUSE_LOG_BITS < 1 || PAUSE_LOG_BITS > 16
#error PAUSE_LOG_BITS must be 1 to 16
#endif

// Polling packets remembered against duplicates: 1024, for 2^POLL_MEMORY_SHIFT ns (1.07 s).
#ifndef POLL_MEMORY_BITS
#define POLL_MEMORY_BITS 10
#endif
#ifndef POLL_MEMORY_SHIFT
#define POLL_MEMORY_SHIFT 30
#endif

#define EPOCHS (1 << EPOCH_RING_BITS)
#define PORTS (1 << PORT_BITS)
#define FLOW_ROWS (1 << (EPOCH_RING_BITS + FLOW_SLOT_BITS))
#define PORT_ROWS (1 << (EPOCH_RING_BITS + PORT_BITS))
#define METER_ROWS (1 << (EPOCH_RING_BITS + PORT_BITS + PORT_BITS))
#define QUEUES (1 << (PORT_BITS + 3))
#define PAUSE_LOG_ROWS (1 << (PORT_BITS + PAUSE_LOG_BITS))

// Port by which the controller's packets come in: bmv2's `--cpu-port`, and that of p4/switch.
#ifndef CPU_PORT
#define CPU_PORT 510
#endif

// Multicast group of the ports that lead to other switches.
#define POLL_GROUP 1
// Priority class of polling packets, which PFC must never pause.
#define POLL_PRIORITY 7

#endif
