#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    action a() {
        switch (m.x) { //~ E0603
            1: { m.y = 1; }
        }
    }
    apply { a(); }
}
#include "tail.p4"
