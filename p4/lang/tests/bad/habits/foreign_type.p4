#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        uint16 a = 1; //~ E0301
        int32_t b = 2; //~ E0301
        byte c = 3; //~ E0301
    }
}
#include "tail.p4"
