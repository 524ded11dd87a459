#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    register<bit<8>>(4) cells;
    apply { cells.read(m.x, m.y); } //~ E0401
}
#include "tail.p4"
