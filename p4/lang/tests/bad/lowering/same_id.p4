#include "head.p4"
control Counted(inout headers_t hdr)(bit<32> size) {
    @id(7) counter(size, CounterType.packets) packets; //~ E0511
    apply { packets.count(0); }
}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    Counted(4) first;
    Counted(8) second;
    action drop() { mark_to_drop(s); }
    @id(9) table one {
        key = { m.x: exact; }
        actions = { drop; }
    }
    @id(0x02000009) table two { //~ E0511
        key = { m.x: exact; }
        actions = { drop; }
    }
    apply {
        first.apply(hdr);
        second.apply(hdr);
        one.apply();
        two.apply();
    }
}
#include "tail.p4"
