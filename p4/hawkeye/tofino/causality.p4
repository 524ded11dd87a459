// Causality meters: traffic by ingress and egress port in each epoch. When an egress port is paused, they show which ingress
// ports feed it and therefore receive its backpressure.

control Causality(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Register<count_t, bit<METER_ROW_BITS>>(1 << METER_ROW_BITS) meter_packets;
    Register<count_t, bit<METER_ROW_BITS>>(1 << METER_ROW_BITS) meter_bytes;

    RegisterAction<count_t, bit<METER_ROW_BITS>, bit<32>>(meter_packets) add_packet = {
        void apply(inout count_t meter) {
            if (meter.epoch != hdr.bridge.epoch) {
                meter.count = 1;
            } else {
                meter.count = meter.count + 1;
            }
            meter.epoch = hdr.bridge.epoch;
        }
    };

    RegisterAction<count_t, bit<METER_ROW_BITS>, bit<32>>(meter_bytes) add_bytes = {
        void apply(inout count_t meter) {
            if (meter.epoch != hdr.bridge.epoch) {
                meter.count = (bit<32>)meta.bytes;
            } else {
                meter.count = meter.count + (bit<32>)meta.bytes;
            }
            meter.epoch = hdr.bridge.epoch;
        }
    };

    action count_packet() {
        add_packet.execute(meta.meter_row);
    }

    action count_bytes() {
        add_bytes.execute(meta.meter_row);
    }

    apply {
        count_packet();
        count_bytes();
    }
}

// Whether an ingress port sent traffic to an egress port in the epochs of the ring: a polling packet that follows pauses
// needs one read. Freezing does not touch it, because the traffic does not change.
control RecentTraffic(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Register<bit<32>, bit<PAIR_ROW_BITS>>(1 << PAIR_ROW_BITS) last_traffic;

    RegisterAction<bit<32>, bit<PAIR_ROW_BITS>, bit<1>>(last_traffic) note_epoch = {
        void apply(inout bit<32> epoch) {
            epoch = hdr.bridge.epoch;
        }
    };

    // The first comparison is for the wrap of the epoch (78 hours): the compiler compares an unsigned difference without wrapping
    // (`lss.u`), so that an epoch from before the wrap would seem recent.
    RegisterAction<bit<32>, bit<PAIR_ROW_BITS>, bit<1>>(last_traffic) test_epoch = {
        void apply(inout bit<32> epoch, out bit<1> is_recent) {
            is_recent = 0;
            if (hdr.bridge.epoch >= epoch && hdr.bridge.epoch - epoch < (1 << RING_BITS)) {
                is_recent = 1;
            }
        }
    };

    action note_traffic() {
        note_epoch.execute(meta.pair_row);
    }

    action test_traffic() {
        meta.is_fed = test_epoch.execute(meta.pair_row);
    }

    apply {
        if (hdr.bridge.kind == KIND_DATA) {
            note_traffic();
        } else {
            test_traffic();
        }
    }
}
