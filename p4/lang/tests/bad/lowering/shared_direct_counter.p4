#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<2>>(MeterType.bytes) rates;
    action drop() { mark_to_drop(s); }
    table one {
        key = { m.x: exact; }
        actions = { drop; }
        counters = hits;
        meters = rates;
    }
    table two {
        key = { m.x: exact; }
        actions = { drop; }
        counters = hits; //~ E0604
        meters = rates; //~ E0604
    }
    apply {
        one.apply();
        two.apply();
    }
}
#include "tail.p4"
