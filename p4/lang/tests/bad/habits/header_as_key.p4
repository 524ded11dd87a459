#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    table t {
        key = { h.h: exact; } //~ E0504
        actions = { NoAction; }
    }
    apply {
        t.apply();
    }
}
#include "tail.p4"
