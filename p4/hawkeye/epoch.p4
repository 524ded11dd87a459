// Telemetry epochs: a packet belongs to the epoch of its arrival. The low EPOCH_RING_BITS of the epoch number are its
// position in the ring of rows that every register keeps; a row that holds another number is stale.

// A complete epoch number; rows hold the low 32 bits.
typedef bit<(48 - EPOCH_SHIFT)> epoch_t;

control EpochClock(in bit<48> now_ns, out bit<32> epoch, out bit<EPOCH_RING_BITS> ring) {
    apply {
        epoch = (bit<32>)(now_ns >> EPOCH_SHIFT);
        ring = now_ns[EPOCH_SHIFT + EPOCH_RING_BITS - 1 : EPOCH_SHIFT];
    }
}

// Epochs from `epoch` to `current`; correct when the 48-bit clock wraps in between.
bit<32> epochs_ago(in bit<32> current, in bit<32> epoch) {
    return (bit<32>)(epoch_t)(current - epoch);
}
