// A program without `main` is checked, but without data-flow analysis.
#include <core.p4>

header h_t { bit<8> a; }
control C(inout h_t h) { // W0403
    apply {
        bit<8> value;
        h.a = value;
    }
} // W0408
