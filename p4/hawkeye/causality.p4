// Causality: how much traffic went from each ingress port to each egress port in an epoch. A paused egress port holds
// back the ingress ports that feed it, and nobody else.

// Index: place in the ring, then ingress port - 1, then egress port - 1. Both pipelines look
// at them, so they stand outside of either.
@fields("epoch:32,generation:16,packets:32,bytes:48")
register<bit<128>>(METER_ROWS) meter_bank0;
register<bit<128>>(METER_ROWS) meter_bank1;

control Causality(in bit<32> row, in bit<32> epoch, in bit<16> generation, in bit<32> bytes) {
    bit<128> fed;
    bit<16> done;

    apply {
        if (generation[0:0] == 0) {
            meter_bank0.read(fed, row);
        } else {
            meter_bank1.read(fed, row);
        }
        if (fed[127:80] != epoch ++ generation) {
            collected.read(done, (bit<32>)generation[0:0]);
            if (fed[127:96] == epoch && is_uncollected(fed[95:80], done)) {
                fed[95:80] = generation;
            } else {
                fed = epoch ++ generation ++ 80w0;
            }
        }
        fed = fed + (48w0 ++ 32w1 ++ (bit<48>)bytes);
        if (generation[0:0] == 0) {
            meter_bank0.write(row, fed);
        } else {
            meter_bank1.write(row, fed);
        }
    }
}

// Whether meter row `fed` shows traffic of the last `oldest` epochs before `epoch`, that one included.
bool shows_traffic(in bit<128> fed, in bit<32> epoch, in bit<32> oldest) {
    return fed[79:48] != 0 && epochs_ago(epoch, fed[127:96]) <= oldest;
}

// Whether traffic went from port row `from` to port row `to` recently. Both banks are asked, whatever their generation:
// a freeze moves the counting, not the traffic.
control RecentTraffic(
    in bit<PORT_BITS> from, in bit<PORT_BITS> to, in bit<32> epoch, in bit<32> oldest, out bit<1> seen)
{
    bit<128> fed;

    apply {
        seen = 0;
#define LOOK(place) \
        meter_bank0.read(fed, (bit<32>)((bit<EPOCH_RING_BITS>)place ++ from ++ to)); \
        if (shows_traffic(fed, epoch, oldest)) { seen = 1; } \
        meter_bank1.read(fed, (bit<32>)((bit<EPOCH_RING_BITS>)place ++ from ++ to)); \
        if (shows_traffic(fed, epoch, oldest)) { seen = 1; }
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
