// Flow slots: what each flow did in an epoch, at the port it left by.
//
// A slot belongs to a flow at one ingress port, egress port and priority, so that a flow that was rerouted, or comes
// round again in a loop, is never added up across ports. A flow that finds its slot taken by another one of
// the same epoch evicts it, and the evicted slot is exported.

// A slot has three parts: who, how much, when.
#define FLOW_ID_BITS 365
#define FLOW_COUNT_BITS 192
#define FLOW_MARK_BITS 240

// An exported slot, as the registers hold it; `sequence` counts exports, so that a lost one is noticed.
struct flow_eviction_t {
    bit<FLOW_ID_BITS> flow_ids;
    bit<FLOW_COUNT_BITS> flow_counts;
    bit<FLOW_MARK_BITS> flow_marks;
    bit<32> sequence;
    bit<48> time_ns;
}

// `row` is the slot's index, `id` what it must say when it is this flow's, `amount` what the packet adds to its counts.
control FlowSlots(
    in bit<32> row,
    in bit<FLOW_ID_BITS> id,
    in bit<FLOW_COUNT_BITS> amount,
    in bit<24> psn,
    in bit<48> now_ns)
{
    @fields("epoch:32,generation:16,ingress_port:9,egress_port:9,priority:3,source:128,destination:128,source_port:16,destination_port:16,protocol:8")
    register<bit<FLOW_ID_BITS>>(FLOW_ROWS) flow_ids_bank0;
    register<bit<FLOW_ID_BITS>>(FLOW_ROWS) flow_ids_bank1;
    @fields("packets:32,bytes:48,queued_packets:32,depth_sum:48,paused_packets:32")
    register<bit<FLOW_COUNT_BITS>>(FLOW_ROWS) flow_counts_bank0;
    register<bit<FLOW_COUNT_BITS>>(FLOW_ROWS) flow_counts_bank1;
    @fields("psn_first:24,psn_last:24,seen_first_ns:48,seen_last_ns:48,queued_first_ns:48,queued_last_ns:48")
    register<bit<FLOW_MARK_BITS>>(FLOW_ROWS) flow_marks_bank0;
    register<bit<FLOW_MARK_BITS>>(FLOW_ROWS) flow_marks_bank1;

    bit<FLOW_ID_BITS> found;
    bit<FLOW_COUNT_BITS> counts;
    bit<FLOW_MARK_BITS> marks;
    bit<128> lock;
    bit<16> done;
    bit<1> bank;
    bit<1> fresh;
    flow_eviction_t eviction;

    apply {
        bank = id[317:317];
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
            // Same epoch, not empty: another flow, or this one in an earlier generation.
            if (found[364:333] == id[364:333] && counts[191:160] != 0) {
                collected.read(done, (bit<32>)bank);
                if (is_uncollected(found[332:317], done)) {
                    if (found[316:0] == id[316:0]) {
                        fresh = 0;
                    } else {
                        freeze_state.read(lock, 0);
                        lock[31:0] = lock[31:0] + 1;
                        freeze_state.write(0, lock);
                        eviction.flow_ids = found;
                        eviction.flow_counts = counts;
                        eviction.flow_marks = marks;
                        eviction.sequence = lock[31:0];
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
            marks = psn ++ psn ++ now_ns ++ now_ns ++ 96w0;
        } else {
            marks[215:192] = psn;
            marks[143:96] = now_ns;
        }
        // The packet found others waiting.
        if (amount[111:80] != 0) {
            if (counts[111:80] == 0) {
                marks[95:48] = now_ns;
            }
            marks[47:0] = now_ns;
        }
        // No field can overflow within an epoch, so one addition adds to all of them.
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
