// Flow slots: packets, bytes, queueing and pauses of each flow in an epoch, at its egress port.
//
// A slot belongs to a flow at one ingress port, egress port and priority, so a flow that is rerouted or caught in a
// forwarding loop is never summed across ports. A flow that hashes to a slot in use by another flow of the same epoch
// evicts it: the old record is exported as a digest.

// An exported slot, as the registers hold it. `sequence` numbers the exports, so that a lost digest is detected.
struct flow_eviction_t {
    bit<FLOW_IDS_WIDTH> flow_ids;
    bit<FLOW_COUNTS_WIDTH> flow_counts;
    bit<FLOW_MARKS_WIDTH> flow_marks;
    bit<32> sequence;
    bit<48> time_ns;
}

// `row` is the index of the slot, `id` its identity when it belongs to the packet's flow, `amount` what the packet adds
// to its counters.
control FlowSlots(
    in bit<32> row,
    in bit<FLOW_IDS_WIDTH> id,
    in bit<FLOW_COUNTS_WIDTH> amount,
    in bit<24> psn,
    in bit<48> now_ns)
{
    @fields("epoch:32,generation:16,ingress_port:9,egress_port:9,priority:3,source:128,destination:128,source_port:16,destination_port:16,protocol:8")
    register<bit<FLOW_IDS_WIDTH>>(FLOW_ROWS) flow_ids_bank0;
    register<bit<FLOW_IDS_WIDTH>>(FLOW_ROWS) flow_ids_bank1;
    @fields("packets:32,bytes:48,queued_packets:32,depth_sum:48,paused_packets:32")
    register<bit<FLOW_COUNTS_WIDTH>>(FLOW_ROWS) flow_counts_bank0;
    register<bit<FLOW_COUNTS_WIDTH>>(FLOW_ROWS) flow_counts_bank1;
    @fields("psn_first:24,psn_last:24,seen_first_ns:48,seen_last_ns:48,queued_first_ns:48,queued_last_ns:48")
    register<bit<FLOW_MARKS_WIDTH>>(FLOW_ROWS) flow_marks_bank0;
    register<bit<FLOW_MARKS_WIDTH>>(FLOW_ROWS) flow_marks_bank1;

    bit<FLOW_IDS_WIDTH> found;
    bit<FLOW_COUNTS_WIDTH> counts;
    bit<FLOW_MARKS_WIDTH> marks;
    bit<FREEZE_STATE_WIDTH> state;
    bit<16> done;
    bit<1> bank;
    bit<1> fresh;
    flow_eviction_t eviction;

    apply {
        bank = FLOW_IDS_BANK(id);
        if (bank == 0) {
            flow_ids_bank0.read(found, row);
            flow_counts_bank0.read(counts, row);
            flow_marks_bank0.read(marks, row);
        } else {
            flow_ids_bank1.read(found, row);
            flow_counts_bank1.read(counts, row);
            flow_marks_bank1.read(marks, row);
        }

        fresh = 0;
        if (found != id) {
            fresh = 1;
            // Same epoch, not empty: another flow, or this flow in an earlier generation.
            if (FLOW_IDS_EPOCH(found) == FLOW_IDS_EPOCH(id) && FLOW_COUNTS_PACKETS(counts) != 0) {
                collected.read(done, (bit<32>)bank);
                if (is_uncollected(FLOW_IDS_GENERATION(found), done)) {
                    if (FLOW_IDS_INGRESS_PORT_TO_PROTOCOL(found) == FLOW_IDS_INGRESS_PORT_TO_PROTOCOL(id)) {
                        fresh = 0;
                    } else {
                        freeze_state.read(state, 0);
                        FREEZE_STATE_EVICTIONS(state) = FREEZE_STATE_EVICTIONS(state) + 1;
                        freeze_state.write(0, state);
                        eviction.flow_ids = found;
                        eviction.flow_counts = counts;
                        eviction.flow_marks = marks;
                        eviction.sequence = FREEZE_STATE_EVICTIONS(state);
                        eviction.time_ns = now_ns;
                        digest<flow_eviction_t>(1, eviction);
                    }
                }
            }
            if (bank == 0) {
                flow_ids_bank0.write(row, id);
            } else {
                flow_ids_bank1.write(row, id);
            }
        }

        if (fresh == 1) {
            counts = 0;
            marks = FLOW_MARKS(psn, psn, now_ns, now_ns, 48w0, 48w0);
        } else {
            FLOW_MARKS_PSN_LAST(marks) = psn;
            FLOW_MARKS_SEEN_LAST_NS(marks) = now_ns;
        }
        // The packet arrived at a queue that was not empty.
        if (FLOW_COUNTS_QUEUED_PACKETS(amount) != 0) {
            if (FLOW_COUNTS_QUEUED_PACKETS(counts) == 0) {
                FLOW_MARKS_QUEUED_FIRST_NS(marks) = now_ns;
            }
            FLOW_MARKS_QUEUED_LAST_NS(marks) = now_ns;
        }
        // No counter can overflow within an epoch, so one addition updates all of them.
        counts = counts + amount;
        if (bank == 0) {
            flow_counts_bank0.write(row, counts);
            flow_marks_bank0.write(row, marks);
        } else {
            flow_counts_bank1.write(row, counts);
            flow_marks_bank1.write(row, marks);
        }
    }
}
