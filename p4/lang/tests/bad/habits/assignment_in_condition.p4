#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        if (m.x = 1) { //~ E0201
            m.x = 2;
        }
    }
}
#include "tail.p4"
