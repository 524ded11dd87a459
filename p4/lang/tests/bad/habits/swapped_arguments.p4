#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control C(inout headers_t h, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t h) { apply { } }
V1Switch(P(), I(), C(), I(), C(), D()) main; //~ E0401 E0401
