// Port slots: packets, queue depths and paused packets of each egress port and priority in an epoch. Each counter is
// paired with its epoch, so that the first packet of an epoch restarts it.

struct count_t {
    bit<32> epoch;
    bit<32> count;
}

control PortSlots(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Register<count_t, bit<PORT_ROW_BITS>>(1 << PORT_ROW_BITS) port_packets;
    Register<count_t, bit<PORT_ROW_BITS>>(1 << PORT_ROW_BITS) port_depth_sums;

    RegisterAction<count_t, bit<PORT_ROW_BITS>, bit<32>>(port_packets) add_packet = {
        void apply(inout count_t slot) {
            if (slot.epoch != hdr.bridge.epoch) {
                slot.count = 1;
            } else {
                slot.count = slot.count + 1;
            }
            slot.epoch = hdr.bridge.epoch;
        }
    };

    RegisterAction<count_t, bit<PORT_ROW_BITS>, bit<32>>(port_depth_sums) add_depth = {
        void apply(inout count_t slot) {
            if (slot.epoch != hdr.bridge.epoch) {
                slot.count = meta.depth;
            } else {
                slot.count = slot.count + meta.depth;
            }
            slot.epoch = hdr.bridge.epoch;
        }
    };

    action count_packet() {
        add_packet.execute(meta.port_row);
    }

    action count_depth() {
        add_depth.execute(meta.port_row);
    }

    apply {
        count_packet();
        count_depth();
    }
}

// The packets that a pause kept in the queue; apart, as in flow_slots.p4.
control PortPaused(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Register<count_t, bit<PORT_ROW_BITS>>(1 << PORT_ROW_BITS) port_paused;

    RegisterAction<count_t, bit<PORT_ROW_BITS>, bit<32>>(port_paused) add_paused = {
        void apply(inout count_t slot) {
            if (slot.epoch != hdr.bridge.epoch) {
                slot.count = meta.paused;
            } else {
                slot.count = slot.count + meta.paused;
            }
            slot.epoch = hdr.bridge.epoch;
        }
    };

    action count_paused() {
        add_paused.execute(meta.port_row);
    }

    apply {
        count_paused();
    }
}
