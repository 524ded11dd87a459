#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        h.h.b = (h.h.a ++ 8w1; //~ E0201
        m.x = 1;
    }
}
#include "tail.p4"
