#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    register<bit<8>>(16) r;
    apply {
        m.x = r.read(0); //~ E0404
    }
}
#include "tail.p4"
