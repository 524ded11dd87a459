// Port slots: packets, queue depths and paused packets of each egress port in an epoch; and the depth of each queue.

// Index: port - 1, then priority. Incremented at enqueue and set at dequeue, so that packets that a pause holds back
// count from the start. A packet that the traffic manager drops counts until the next dequeue of its queue.
@fields("packets:32")
register<bit<32>>(QUEUES) queue_depth;

// Index of the slots: position in the epoch ring, then port - 1.
control PortSlots(
    in bit<32> row, in bit<32> epoch, in bit<16> generation, in bit<32> depth, in bit<1> paused)
{
    @fields("epoch:32,generation:16,packets:32,depth_sum:48,paused_packets:32")
    register<bit<PORT_SLOTS_WIDTH>>(PORT_ROWS) port_slots_bank0;
    register<bit<PORT_SLOTS_WIDTH>>(PORT_ROWS) port_slots_bank1;

    bit<PORT_SLOTS_WIDTH> slot;
    bit<16> done;

    apply {
        if (BANK(generation) == 0) {
            port_slots_bank0.read(slot, row);
        } else {
            port_slots_bank1.read(slot, row);
        }
        if (PORT_SLOTS_EPOCH_TO_GENERATION(slot) != epoch ++ generation) {
            collected.read(done, (bit<32>)BANK(generation));
            if (PORT_SLOTS_EPOCH(slot) == epoch && is_uncollected(PORT_SLOTS_GENERATION(slot), done)) {
                PORT_SLOTS_GENERATION(slot) = generation;
            } else {
                slot = PORT_SLOTS(epoch, generation, 32w0, 48w0, 32w0);
            }
        }
        slot = slot + PORT_SLOTS(32w0, 16w0, 32w1, (bit<48>)depth, (bit<32>)paused);
        if (BANK(generation) == 0) {
            port_slots_bank0.write(row, slot);
        } else {
            port_slots_bank1.write(row, slot);
        }
    }
}
