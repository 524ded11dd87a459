// Causality meters: traffic by ingress and egress port in each epoch. When an egress port is paused, they show which
// ingress ports feed it and therefore receive its backpressure.

// Index: position in the epoch ring, then ingress port - 1, then egress port - 1. Ingress and egress both use the
// meters, so they are declared outside of the controls.
@fields("epoch:32,generation:16,packets:32,bytes:48")
register<bit<METER_WIDTH>>(METER_ROWS) meter_bank0;
register<bit<METER_WIDTH>>(METER_ROWS) meter_bank1;

control Causality(in bit<32> row, in bit<32> epoch, in bit<16> generation, in bit<32> bytes) {
    bit<METER_WIDTH> fed;
    bit<16> done;

    apply {
        if (BANK(generation) == 0) {
            meter_bank0.read(fed, row);
        } else {
            meter_bank1.read(fed, row);
        }
        if (METER_EPOCH_TO_GENERATION(fed) != epoch ++ generation) {
            collected.read(done, (bit<32>)BANK(generation));
            if (METER_EPOCH(fed) == epoch && is_uncollected(METER_GENERATION(fed), done)) {
                METER_GENERATION(fed) = generation;
            } else {
                fed = METER(epoch, generation, 32w0, 48w0);
            }
        }
        // Neither counter can overflow within an epoch, so one addition updates both.
        fed = fed + METER(32w0, 16w0, 32w1, (bit<48>)bytes);
        if (BANK(generation) == 0) {
            meter_bank0.write(row, fed);
        } else {
            meter_bank1.write(row, fed);
        }
    }
}

// Whether `fed` counts traffic of `epoch` or of the `oldest` epochs before it.
bool shows_traffic(in bit<METER_WIDTH> fed, in bit<32> epoch, in bit<32> oldest) {
    return METER_PACKETS(fed) != 0 && epochs_ago(epoch, METER_EPOCH(fed)) <= oldest;
}

// Whether port row `from` recently sent traffic to port row `to`. Reads both banks regardless of their generation: a
// freeze changes which bank counts, not the traffic.
control RecentTraffic(
    in bit<PORT_BITS> from, in bit<PORT_BITS> to, in bit<32> epoch, in bit<32> oldest, out bit<1> seen)
{
    bit<METER_WIDTH> fed;

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
