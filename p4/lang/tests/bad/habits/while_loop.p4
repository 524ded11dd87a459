#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        while (m.x < 3) { m.x = m.x + 1; } //~ E0201
    }
}
#include "tail.p4"
