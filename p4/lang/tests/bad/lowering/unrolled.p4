#include "head.p4"
void f0(inout bit<8> x) { x = x + 1; } //~ E0004
#define DOUBLE(next, name) void next(inout bit<8> x) { name(x); name(x); name(x); name(x); }
DOUBLE(f1, f0)
DOUBLE(f2, f1)
DOUBLE(f3, f2)
DOUBLE(f4, f3)
DOUBLE(f5, f4)
DOUBLE(f6, f5)
DOUBLE(f7, f6)
DOUBLE(f8, f7)
DOUBLE(f9, f8)
DOUBLE(f10, f9)
DOUBLE(f11, f10)
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    apply { f11(m.x); }
}
#include "tail.p4"
