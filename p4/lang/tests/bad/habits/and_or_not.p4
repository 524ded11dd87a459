#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        if (m.x == 1 and m.y == 2) { m.x = 1; } //~ E0201
        if (m.x == 1 or not (m.y == 2)) { m.x = 2; } //~ E0201 E0201
    }
}
#include "tail.p4"
