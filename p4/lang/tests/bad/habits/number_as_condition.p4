#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        if (m.x) { m.y = 1; } //~ E0401
        m.y = m.x + 1 ? 8w1 : 2; //~ E0401
    }
}
#include "tail.p4"
