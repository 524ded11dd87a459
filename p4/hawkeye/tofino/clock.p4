// The packet's arrival: ticks, epoch, and the position of the epoch in the ring. A slice of the time stamp cannot be moved
// by the ALUs of a stage, so identity hashes move it.

#define TICKS(time_ns) time_ns[TICK_SHIFT + 31 : TICK_SHIFT]
#define EPOCH(time_ns) time_ns[47 : EPOCH_SHIFT]
#define RING(time_ns) time_ns[EPOCH_SHIFT + RING_BITS - 1 : EPOCH_SHIFT]

control Clock(in bit<48> now_ns, out bit<32> arrival, out bit<32> epoch, out bit<RING_BITS> ring) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) ticks_of;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) epoch_of;
    Hash<bit<RING_BITS>>(HashAlgorithm_t.IDENTITY) ring_of;

    action set_arrival() {
        arrival = ticks_of.get({ TICKS(now_ns) });
    }

    action set_epoch() {
        epoch = epoch_of.get({ EPOCH(now_ns) });
    }

    action set_ring() {
        ring = ring_of.get({ RING(now_ns) });
    }

    apply {
        set_arrival();
        set_epoch();
        set_ring();
    }
}

// The time in ticks at egress.
control EgressClock(in bit<48> now_ns, inout egress_metadata_t meta) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) ticks_of;

    action set_now() {
        meta.pause_ticks = (int<32>)ticks_of.get({ TICKS(now_ns) });
    }

    apply {
        set_now();
    }
}
