// Losses of the program itself: packets between hosts that it drops, by ingress port and reason, with the times of the
// first and the last one. The controller reads them at intervals and with each event; what has been added since the last
// read was lost in between. The traffic manager counts its own discards, which a program cannot see.

// The second part of the index of `losses`, in the order of the annotation `@reasons`.
const bit<2> LOSS_MALFORMED = 0;
const bit<2> LOSS_TTL = 1;
const bit<2> LOSS_NO_ROUTE = 2;

control CountLoss(in port_t port, in bit<2> reason, in bit<48> now_ns) {
    // Index: port - 1, then reason.
    @fields("packets:32,first_ns:48,last_ns:48")
    @reasons("other,ttl,no_route,unused")
    register<bit<LOSSES_WIDTH>>(LOSS_ROWS) losses;

    port_t row;
    bit<32> place;
    bit<LOSSES_WIDTH> loss;

    apply {
        row = port - 1;
        if (row < PORTS) {
            place = (bit<32>)(row ++ reason);
            losses.read(loss, place);
            if (LOSSES_PACKETS(loss) == 0) {
                loss = LOSSES(32w1, now_ns, now_ns);
            } else {
                loss = LOSSES(LOSSES_PACKETS(loss) + 1, LOSSES_FIRST_NS(loss), now_ns);
            }
            losses.write(place, loss);
        }
    }
}
