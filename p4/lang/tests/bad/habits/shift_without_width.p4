#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        m.x = (bit<8>)(1 << m.y); //~ E0405
    }
}
#include "tail.p4"
