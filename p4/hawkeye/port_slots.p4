// Port slots: what each egress port did in an epoch; and how many packets wait in each queue.

// Index: port - 1, then priority. Raised at enqueue and set at dequeue, so that a packet held back by a pause is counted
// from the start. A packet that the traffic manager drops is counted until the queue's next dequeue.
@fields("packets:32")
register<bit<32>>(QUEUES) queue_depth;

// Index of the slots: place in the ring, then port - 1.
control PortSlots(
    in bit<32> row, in bit<32> epoch, in bit<16> generation, in bit<32> depth, in bit<1> paused)
{
    @fields("epoch:32,generation:16,packets:32,depth_sum:48,paused_packets:32")
    register<bit<160>>(PORT_ROWS) port_slots_bank0;
    register<bit<160>>(PORT_ROWS) port_slots_bank1;

    bit<160> slot;
    bit<16> done;

    apply {
        if (generation[0:0] == 0) {
            port_slots_bank0.read(slot, row);
        } else {
            port_slots_bank1.read(slot, row);
        }
        if (slot[159:112] != epoch ++ generation) {
            collected.read(done, (bit<32>)generation[0:0]);
            if (slot[159:128] == epoch && is_uncollected(slot[127:112], done)) {
                slot[127:112] = generation;
            } else {
                slot = epoch ++ generation ++ 112w0;
            }
        }
        slot = slot + (48w0 ++ 32w1 ++ (bit<48>)depth ++ (bit<32>)paused);
        if (generation[0:0] == 0) {
            port_slots_bank0.write(row, slot);
        } else {
            port_slots_bank1.write(row, slot);
        }
    }
}
