#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    action a() { }
    table t {
        key = { m.x: exact; }
        actions = { NoAction; }
        default_action = a(); //~ E0505
    }
    apply {
        t.apply();
    }
}
#include "tail.p4"
