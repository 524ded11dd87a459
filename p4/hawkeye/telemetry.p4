// Telemetry of one data packet. Written in ingress, with the queue depth and pause status at the packet's enqueue.

control Telemetry(in metadata_t meta, in standard_metadata_t standard_metadata) {
    FlowSlots() flows;
    PortSlots() ports;
    Causality() causality;

    port_t in_row;
    port_t out_row;
    bit<32> depth = 0;
    bit<PAUSE_STATUS_WIDTH> status = 0;
    bit<1> paused = 0;
    bit<1> queued = 0;
    bit<32> slot;
    bit<32> row;
    bit<FLOW_IDS_WIDTH> id;
    bit<FLOW_COUNTS_WIDTH> amount;

    apply {
        in_row = standard_metadata.ingress_port - 1;
        out_row = meta.route_port - 1;
        if (out_row < PORTS) {
            row = (bit<32>)(out_row ++ meta.priority);
            queue_depth.read(depth, row);
            queue_depth.write(row, depth + 1);
            pause_status.read(status, row);
        }

        if (meta.is_data == 1) {
            if (is_paused(status, standard_metadata.ingress_global_timestamp)) {
                paused = 1;
            }
            if (depth != 0) {
                queued = 1;
            }

            slot = meta.flow_hash ^ (meta.flow_hash >> 16)
                ^ ((bit<32>)meta.route_port << 4) ^ (bit<32>)standard_metadata.ingress_port;
            row = (bit<32>)(meta.ring ++ slot[FLOW_SLOT_BITS - 1 : 0]);
            id = FLOW_IDS(meta.epoch, meta.generation, standard_metadata.ingress_port, meta.route_port,
                meta.priority, meta.flow.source, meta.flow.destination, meta.flow.source_port,
                meta.flow.destination_port, meta.flow.protocol);
            amount = FLOW_COUNTS(32w1, (bit<48>)standard_metadata.packet_length, (bit<32>)queued, (bit<48>)depth,
                (bit<32>)paused);
            flows.apply(row, id, amount, meta.psn, standard_metadata.ingress_global_timestamp);

            if (out_row < PORTS) {
                row = (bit<32>)(meta.ring ++ out_row[PORT_BITS - 1 : 0]);
                ports.apply(row, meta.epoch, meta.generation, depth, paused);
                if (in_row < PORTS) {
                    row = (bit<32>)(meta.ring ++ in_row[PORT_BITS - 1 : 0] ++ out_row[PORT_BITS - 1 : 0]);
                    causality.apply(row, meta.epoch, meta.generation, standard_metadata.packet_length);
                    last_traffic.write(
                        (bit<32>)(in_row[PORT_BITS - 1 : 0] ++ out_row[PORT_BITS - 1 : 0]), LAST_TRAFFIC(1w1, meta.epoch));
                }
            }
        }
    }
}
