#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    @name(".go") action a() { m.x = 1; }
    @name(".go") action b() { m.x = 2; } //~ E0302
    table t {
        key = { m.y: exact; }
        actions = { a; b; }
    }
    apply { t.apply(); }
}
#include "tail.p4"
