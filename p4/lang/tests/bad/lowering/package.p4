#include "head.p4"
control I(inout headers_t hdr, inout meta_t m) { apply { } }
V1Switch(I()) main; //~ E0404
