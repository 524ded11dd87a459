#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        if (m.x == 1) { //~ E0201
            m.y = 2;
        m.x = 3;
    }
}
#include "tail.p4"
