#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    apply { clone_preserving_field_list(CloneType.I2E, 5, m.x); } //~ E0410
}
#include "tail.p4"
