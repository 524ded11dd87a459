// The part of a small program before the ingress control.
#include <v1model.p4>
header h_t { bit<8> a; bit<16> b; }
header v_t { varbit<64> data; }
struct headers_t { h_t h; h_t[4] stack; v_t v; }
struct meta_t { bit<8> x; bit<8> y; }
