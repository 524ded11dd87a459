#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    action set(h_t h) { hdr.h = h; } //~ E0603
    table t {
        key = { m.x: exact; }
        actions = { set; }
    }
    apply { t.apply(); }
}
#include "tail.p4"
