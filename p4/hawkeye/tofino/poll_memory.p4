// Recently processed requests, to suppress duplicates: a digest of event and victim, and for requests to follow pauses of
// the ingress port as well, with the time. A different request in the same slot replaces it, so that a duplicate can be
// processed again, at most until its hop limit ends.
//
// The age is a signed difference: the compiler compares an unsigned one without wrapping (`geq.u`), so that after the clock has
// wrapped every entry would seem younger than it is.

struct request_t {
    bit<32> digest;
    bit<32> arrival;
}

control PollMemory(inout ingress_headers_t hdr, inout ingress_metadata_t meta) {
    CRCPolynomial<bit<32>>(0x1edc6f41, true, false, false, 0xffffffff, 0xffffffff) castagnoli_victim;
    CRCPolynomial<bit<32>>(0x1edc6f41, true, false, false, 0xffffffff, 0xffffffff) castagnoli_pauses;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, castagnoli_victim) victim_digest;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, castagnoli_pauses) pauses_digest;
    Hash<bit<POLL_MEMORY_BITS>>(HashAlgorithm_t.CRC32) victim_slot;
    Hash<bit<POLL_MEMORY_BITS>>(HashAlgorithm_t.CRC32) pauses_slot;

    Register<request_t, bit<POLL_MEMORY_BITS>>(1 << POLL_MEMORY_BITS) victim_requests;
    Register<request_t, bit<POLL_MEMORY_BITS>>(1 << POLL_MEMORY_BITS) pause_requests;

    RegisterAction<request_t, bit<POLL_MEMORY_BITS>, bit<1>>(victim_requests) remember_victim = {
        void apply(inout request_t request, out bit<1> is_new) {
            is_new = 0;
            if (request.digest != meta.victim_digest
                || (int<32>)hdr.bridge.arrival - (int<32>)request.arrival >= POLL_MEMORY_TICKS) {
                request.digest = meta.victim_digest;
                request.arrival = hdr.bridge.arrival;
                is_new = 1;
            }
        }
    };

    RegisterAction<request_t, bit<POLL_MEMORY_BITS>, bit<1>>(pause_requests) remember_pauses = {
        void apply(inout request_t request, out bit<1> is_new) {
            is_new = 0;
            if (request.digest != meta.pauses_digest
                || (int<32>)hdr.bridge.arrival - (int<32>)request.arrival >= POLL_MEMORY_TICKS) {
                request.digest = meta.pauses_digest;
                request.arrival = hdr.bridge.arrival;
                is_new = 1;
            }
        }
    };

    action set_victim_digest() {
        meta.victim_digest = victim_digest.get({
            hdr.polling.event, hdr.polling.source_prefix, hdr.polling.source_low, hdr.polling.destination,
            hdr.polling.source_port, hdr.polling.destination_port, hdr.polling.protocol
        });
    }

    action set_pauses_digest() {
        meta.pauses_digest = pauses_digest.get({
            hdr.polling.event, hdr.polling.source_prefix, hdr.polling.source_low, hdr.polling.destination,
            hdr.polling.source_port, hdr.polling.destination_port, hdr.polling.protocol, meta.port
        });
    }

    action set_victim_slot() {
        meta.victim_slot = victim_slot.get({ hdr.polling.event, meta.flow_hash });
    }

    action set_pauses_slot() {
        meta.pauses_slot = pauses_slot.get({ hdr.polling.event, meta.flow_hash, meta.port });
    }

    action test_victim() {
        meta.is_new_victim = remember_victim.execute(meta.victim_slot);
    }

    action test_pauses() {
        meta.is_new_pauses = remember_pauses.execute(meta.pauses_slot);
    }

    apply {
        set_victim_digest();
        set_pauses_digest();
        set_victim_slot();
        set_pauses_slot();
        if (hdr.polling.follow_victim == 1) {
            test_victim();
        }
        if (hdr.polling.follow_pauses == 1) {
            test_pauses();
        }
    }
}
