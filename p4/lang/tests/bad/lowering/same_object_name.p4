#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    @name(".total") counter(4, CounterType.packets) packets;
    // A register may have the name of a counter.
    @name(".total") register<bit<8>>(4) sums;
    @name(".total") counter(4, CounterType.bytes) bytes; //~ E0302
    apply {
        packets.count(0);
        bytes.count(0);
        sums.write(0, 1);
    }
}
#include "tail.p4"
