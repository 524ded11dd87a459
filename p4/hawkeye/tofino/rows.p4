// Rows of the registers. The index of a register is one field, and a stage's ALUs cannot put fields together, so identity
// hashes do. The bank is the first bit of a row of telemetry that a freeze keeps, then comes the position in the ring.

// The rows that the freeze does not change: of the queue, and of the pair of ingress and egress port.
control Places(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Hash<bit<QUEUE_ROW_BITS>>(HashAlgorithm_t.IDENTITY) queue_row;
    Hash<bit<PAIR_ROW_BITS>>(HashAlgorithm_t.IDENTITY) pair_row;

    action set_queue_row() {
        meta.queue_row = queue_row.get({ meta.row, meta.class });
    }

    action set_pair_row() {
        meta.pair_row = pair_row.get({ hdr.bridge.ingress_row, meta.row });
    }

    apply {
        set_queue_row();
        set_pair_row();
    }
}

control Rows(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Hash<bit<FLOW_ROW_BITS>>(HashAlgorithm_t.IDENTITY) flow_row;
    Hash<bit<PORT_ROW_BITS>>(HashAlgorithm_t.IDENTITY) port_row;
    Hash<bit<METER_ROW_BITS>>(HashAlgorithm_t.IDENTITY) meter_row;

    action set_flow_row() {
        meta.flow_row = flow_row.get({ BANK(meta.generation), hdr.bridge.ring, meta.slot });
    }

    action set_port_row() {
        meta.port_row = port_row.get({ BANK(meta.generation), hdr.bridge.ring, meta.row, meta.class });
    }

    action set_meter_row() {
        meta.meter_row =
            meter_row.get({ BANK(meta.generation), hdr.bridge.ring, hdr.bridge.ingress_row, meta.row });
    }

    apply {
        set_flow_row();
        set_port_row();
        set_meter_row();
    }
}
