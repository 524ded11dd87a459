#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    action a(in bit<8> v) { v = 1; } //~ E0407
    apply {
        a(m.x);
    }
}
#include "tail.p4"
