// Causality meters: traffic by ingress and egress port in each epoch. When an egress port is paused, they show which
// ingress ports feed it and therefore receive its backpressure.

// Index: position in the epoch ring, then ingress port - 1, then egress port - 1. Ingress and egress both use the
// meters, so they are declared outside of the controls.
@fields("epoch:32,generation:16,packets:32,bytes:48")
register<bit<METER_WIDTH>>(METER_ROWS) meter_bank0;
register<bit<METER_WIDTH>>(METER_ROWS) meter_bank1;

// Index: ingress port - 1, then egress port - 1. The epoch of the last packet: a polling packet that follows pauses needs
// one read, whatever the length of the ring. Freezing does not touch it, because the traffic does not change.
@fields("seen:1,epoch:32")
register<bit<LAST_TRAFFIC_WIDTH>>(PAIR_ROWS) last_traffic;

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

// Whether port row `from` sent traffic to port row `to` in `epoch` or one of the `oldest` epochs before it.
control RecentTraffic(
    in bit<PORT_BITS> from, in bit<PORT_BITS> to, in bit<32> epoch, in bit<32> oldest, out bit<1> seen)
{
    bit<LAST_TRAFFIC_WIDTH> last;

    apply {
        last_traffic.read(last, (bit<32>)(from ++ to));
        seen = 0;
        if (LAST_TRAFFIC_SEEN(last) == 1 && epochs_ago(epoch, LAST_TRAFFIC_EPOCH(last)) <= oldest) {
            seen = 1;
        }
    }
}
