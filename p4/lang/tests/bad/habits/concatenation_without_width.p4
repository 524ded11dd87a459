#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        h.h.b = 8w1 ++ 1; //~ E0402
    }
}
#include "tail.p4"
