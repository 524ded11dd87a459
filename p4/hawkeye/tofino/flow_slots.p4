// Flow slots: packets, bytes, queueing and pauses of each flow in an epoch, at its egress port.
//
// A slot holds a digest of the flow and the epoch; a packet of another flow or epoch claims it and restarts its counters. If
// another flow of the same epoch loses the slot, its record is exported: the packet is mirrored to the controller with the
// record in front. The packet's own headers hold the full key of the flow that claims the slot, so that every key is exported
// as well, once a second.

struct flow_slot_t {
    bit<32> digest;
    bit<32> epoch;
}

struct flow_key_t {
    bit<32> digest;
    bit<32> arrival;
}

// Digest of the 5-tuple, the ports and the priority, and two hashes of the 5-tuple. An empty slot has digest 0; a flow with
// digest 0 (one in 2^32) is never exported on eviction.
control FlowDigest(inout egress_headers_t hdr, in PortId_t egress_port, inout egress_metadata_t meta) {
    CRCPolynomial<bit<32>>(0x1edc6f41, true, false, false, 0xffffffff, 0xffffffff) castagnoli_v4;
    CRCPolynomial<bit<32>>(0x1edc6f41, true, false, false, 0xffffffff, 0xffffffff) castagnoli_v6;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, castagnoli_v4) digest_v4;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, castagnoli_v6) digest_v6;
    Hash<bit<FLOW_SLOT_BITS>>(HashAlgorithm_t.CRC32) slot_v4;
    Hash<bit<FLOW_SLOT_BITS>>(HashAlgorithm_t.CRC32) slot_v6;
    Hash<bit<FLOW_KEY_BITS>>(HashAlgorithm_t.CRC32) key_slot;

    action digest_of_ipv4() {
        meta.digest = digest_v4.get({
            hdr.ipv4.source, hdr.ipv4.destination, meta.source_port, meta.destination_port, hdr.ipv4.protocol,
            hdr.bridge.ingress_port, egress_port, hdr.bridge.priority
        });
    }

    action digest_of_ipv6() {
        meta.digest = digest_v6.get({
            hdr.ipv6.source, hdr.ipv6.destination, meta.source_port, meta.destination_port, hdr.ipv6.next_header,
            hdr.bridge.ingress_port, egress_port, hdr.bridge.priority
        });
    }

    action slot_of_ipv4() {
        meta.slot = slot_v4.get({
            hdr.ipv4.source, hdr.ipv4.destination, meta.source_port, meta.destination_port, hdr.ipv4.protocol,
            egress_port
        });
    }

    action slot_of_ipv6() {
        meta.slot = slot_v6.get({
            hdr.ipv6.source, hdr.ipv6.destination, meta.source_port, meta.destination_port, hdr.ipv6.next_header,
            egress_port
        });
    }

    action slot_of_key() {
        meta.key_slot = key_slot.get({ meta.digest });
    }

    apply {
        if (hdr.ipv4.isValid()) {
            digest_of_ipv4();
            slot_of_ipv4();
        } else {
            digest_of_ipv6();
            slot_of_ipv6();
        }
        slot_of_key();
    }
}

control FlowSlots(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Register<flow_slot_t, bit<FLOW_ROW_BITS>>(1 << FLOW_ROW_BITS) flow_slots;
    Register<flow_key_t, bit<FLOW_KEY_BITS>>(1 << FLOW_KEY_BITS) flow_keys;
    Register<bit<32>, bit<FLOW_ROW_BITS>>(1 << FLOW_ROW_BITS) flow_packets;
    Register<bit<32>, bit<FLOW_ROW_BITS>>(1 << FLOW_ROW_BITS) flow_bytes;
    Register<bit<32>, bit<FLOW_ROW_BITS>>(1 << FLOW_ROW_BITS) flow_depth_sums;
    Register<bit<16>, bit<FLOW_ROW_BITS>>(1 << FLOW_ROW_BITS) flow_queued;

    // The digest that the slot holds in this epoch; 0 if the slot is free.
    RegisterAction<flow_slot_t, bit<FLOW_ROW_BITS>, bit<32>>(flow_slots) claim = {
        void apply(inout flow_slot_t slot, out bit<32> found) {
            found = 0;
            if (slot.epoch == hdr.bridge.epoch) {
                found = slot.digest;
            }
            slot.digest = meta.digest;
            slot.epoch = hdr.bridge.epoch;
        }
    };

    // The age is a signed difference, as in poll_memory.p4.
    RegisterAction<flow_key_t, bit<FLOW_KEY_BITS>, bit<1>>(flow_keys) remember_key = {
        void apply(inout flow_key_t key, out bit<1> is_new) {
            is_new = 0;
            if (key.digest != meta.digest
                || (int<32>)hdr.bridge.arrival - (int<32>)key.arrival >= FLOW_KEY_TICKS) {
                key.digest = meta.digest;
                key.arrival = hdr.bridge.arrival;
                is_new = 1;
            }
        }
    };

    RegisterAction<bit<32>, bit<FLOW_ROW_BITS>, bit<32>>(flow_packets) add_packet = {
        void apply(inout bit<32> packets) {
            packets = packets + 1;
        }
    };

    RegisterAction<bit<32>, bit<FLOW_ROW_BITS>, bit<32>>(flow_packets) first_packet = {
        void apply(inout bit<32> packets, out bit<32> before) {
            before = packets;
            packets = 1;
        }
    };

    RegisterAction<bit<32>, bit<FLOW_ROW_BITS>, bit<32>>(flow_bytes) add_bytes = {
        void apply(inout bit<32> bytes) {
            bytes = bytes + (bit<32>)meta.bytes;
        }
    };

    RegisterAction<bit<32>, bit<FLOW_ROW_BITS>, bit<32>>(flow_bytes) first_bytes = {
        void apply(inout bit<32> bytes, out bit<32> before) {
            before = bytes;
            bytes = (bit<32>)meta.bytes;
        }
    };

    RegisterAction<bit<32>, bit<FLOW_ROW_BITS>, bit<32>>(flow_depth_sums) add_depth = {
        void apply(inout bit<32> depth_sum) {
            depth_sum = depth_sum |+| meta.depth;
        }
    };

    RegisterAction<bit<32>, bit<FLOW_ROW_BITS>, bit<32>>(flow_depth_sums) first_depth = {
        void apply(inout bit<32> depth_sum, out bit<32> before) {
            before = depth_sum;
            depth_sum = meta.depth;
        }
    };

    RegisterAction<bit<16>, bit<FLOW_ROW_BITS>, bit<16>>(flow_queued) add_queued = {
        void apply(inout bit<16> packets) {
            packets = packets |+| meta.flow_queued;
        }
    };

    RegisterAction<bit<16>, bit<FLOW_ROW_BITS>, bit<16>>(flow_queued) first_queued = {
        void apply(inout bit<16> packets, out bit<16> before) {
            before = packets;
            packets = meta.flow_queued;
        }
    };

    action claim_slot() {
        meta.found_digest = claim.execute(meta.flow_row);
    }

    action test_key() {
        meta.is_new_key = remember_key.execute(meta.key_slot);
    }

    action count_packet() {
        add_packet.execute(meta.flow_row);
    }

    action count_bytes() {
        add_bytes.execute(meta.flow_row);
    }

    action count_depth() {
        add_depth.execute(meta.flow_row);
    }

    action count_queued() {
        add_queued.execute(meta.flow_row);
    }

    action restart_packets() {
        meta.evicted_packets = first_packet.execute(meta.flow_row);
    }

    action restart_bytes() {
        meta.evicted_bytes = first_bytes.execute(meta.flow_row);
    }

    action restart_depth() {
        meta.evicted_depth_sum = first_depth.execute(meta.flow_row);
    }

    action restart_queued() {
        meta.evicted_queued = first_queued.execute(meta.flow_row);
    }

    apply {
        claim_slot();
        test_key();
        if (meta.found_digest == meta.digest) {
            count_packet();
            count_bytes();
            count_depth();
            count_queued();
        } else {
            restart_packets();
            restart_bytes();
            restart_depth();
            restart_queued();
            if (meta.found_digest != 0) {
                meta.is_evicted = 1;
            }
        }
    }
}

// The packets of a flow that a pause kept in the queue. A control of its own: the pause of the queue is looked up after the slot
// is claimed, which shortens the pipeline.
control FlowPaused(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Register<bit<16>, bit<FLOW_ROW_BITS>>(1 << FLOW_ROW_BITS) flow_paused;

    RegisterAction<bit<16>, bit<FLOW_ROW_BITS>, bit<16>>(flow_paused) add_paused = {
        void apply(inout bit<16> packets) {
            packets = packets |+| meta.flow_paused;
        }
    };

    RegisterAction<bit<16>, bit<FLOW_ROW_BITS>, bit<16>>(flow_paused) first_paused = {
        void apply(inout bit<16> packets, out bit<16> before) {
            before = packets;
            packets = meta.flow_paused;
        }
    };

    action count_paused() {
        add_paused.execute(meta.flow_row);
    }

    action restart_paused() {
        meta.evicted_paused = first_paused.execute(meta.flow_row);
    }

    apply {
        if (meta.found_digest == meta.digest) {
            count_paused();
        } else {
            restart_paused();
        }
    }
}
