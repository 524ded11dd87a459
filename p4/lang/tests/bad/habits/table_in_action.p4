#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    table t {
        key = { m.x: exact; }
        actions = { NoAction; }
    }
    action a() { t.apply(); } //~ E0502
    apply {
        a();
    }
}
#include "tail.p4"
