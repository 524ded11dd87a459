// Egress: updates the queue depth and decides for each copy of a polling packet whether it leaves.

control HawkeyeEgress(
    inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata)
{
    PollingEgress() polling;

    port_t out_row;

    apply {
        out_row = standard_metadata.egress_port - 1;
        if (out_row < PORTS) {
            queue_depth.write((bit<32>)(out_row ++ meta.priority), (bit<32>)standard_metadata.deq_qdepth);
        }
        if (hdr.polling.isValid()) {
            polling.apply(hdr, meta, standard_metadata);
        }
    }
}
