#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        m.x = m.x / 3; //~ E0603
    }
}
#include "tail.p4"
