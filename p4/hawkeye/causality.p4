// Causality: how much traffic went from each ingress port to each egress port in an epoch. A paused egress port holds
// back the ingress ports that feed it, and nobody else.

// Index: place in the ring, then ingress port - 1, then egress port - 1. Both pipelines look
// at them, so they stand outside of either.
#define METER_FIELDS @fields("epoch:32,generation:16,packets:32,bytes:48")
METER_FIELDS register<bit<128>>(METER_ROWS) meter_bank0;
METER_FIELDS register<bit<128>>(METER_ROWS) meter_bank1;

control Causality(in bit<32> row, in bit<32> epoch, in bit<16> generation, in bit<32> bytes) {
    bit<128> meter;
    bit<16> done;

    apply {
        if (generation[0:0] == 0) {
            meter_bank0.read(meter, row);
        } else {
            meter_bank1.read(meter, row);
        }
        if (meter[127:80] != epoch ++ generation) {
            collected.read(done, (bit<32>)generation[0:0]);
            if (meter[127:96] == epoch && is_uncollected(meter[95:80], done)) {
                meter[95:80] = generation;
            } else {
                meter = epoch ++ generation ++ 80w0;
            }
        }
        meter = meter + (48w0 ++ 32w1 ++ (bit<48>)bytes);
        if (generation[0:0] == 0) {
            meter_bank0.write(row, meter);
        } else {
            meter_bank1.write(row, meter);
        }
    }
}

// Whether `meter` shows traffic of the last `oldest` epochs before `epoch`, that one included.
bool shows_traffic(in bit<128> meter, in bit<32> epoch, in bit<32> oldest) {
    return meter[79:48] != 0 && epochs_ago(epoch, meter[127:96]) <= oldest;
}

// Whether traffic went from port row `from` to port row `to` recently. Both banks are asked, whatever their generation:
// a freeze moves the counting, not the traffic.
control RecentTraffic(
    in bit<PORT_BITS> from, in bit<PORT_BITS> to, in bit<32> epoch, in bit<32> oldest, out bit<1> seen)
{
    bit<128> meter;

    apply {
        seen = 0;
#define LOOK(place) \
        meter_bank0.read(meter, (bit<32>)((bit<EPOCH_RING_BITS>)place ++ from ++ to)); \
        if (shows_traffic(meter, epoch, oldest)) { seen = 1; } \
        meter_bank1.read(meter, (bit<32>)((bit<EPOCH_RING_BITS>)place ++ from ++ to)); \
        if (shows_traffic(meter, epoch, oldest)) { seen = 1; }
        LOOK(0)
        LOOK(1)
#if EPOCH_RING_BITS >= 2
        LOOK(2)
        LOOK(3)
#endif
#if EPOCH_RING_BITS >= 3
        LOOK(4)
        LOOK(5)
        LOOK(6)
        LOOK(7)
#endif
    }
}
