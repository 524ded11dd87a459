#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        m.x = 1.5; //~ E0003
    }
}
#include "tail.p4"
