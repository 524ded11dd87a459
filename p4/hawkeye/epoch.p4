// Epochs: a packet belongs to the epoch of its arrival. The low EPOCH_RING_BITS of the epoch's number are its place
// in the ring of rows that every table keeps; a row that holds another number is stale.

// All bits of an epoch's number; the rows have room for 32.
typedef bit<(48 - EPOCH_SHIFT)> epoch_t;

control EpochClock(in bit<48> now_ns, out bit<32> epoch, out bit<EPOCH_RING_BITS> ring) {
    apply {
        epoch = (bit<32>)(now_ns >> EPOCH_SHIFT);
        ring = now_ns[EPOCH_SHIFT + EPOCH_RING_BITS - 1 : EPOCH_SHIFT];
    }
}

// How many epochs ago `epoch` was, seen from `current`; right across the wrap of the 48-bit clock.
bit<32> epochs_ago(in bit<32> current, in bit<32> epoch) {
    return (bit<32>)(epoch_t)(current - epoch);
}
