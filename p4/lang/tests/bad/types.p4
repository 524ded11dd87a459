#include <v1model.p4>
header h_t { bit<8> a; bit<16> b; string s; int<4> i; bool f; }
header_union u_t { bit<8> wrong; }
struct s_t { h_t h; h_t[4] stack; u_t u; }
type bit<9> port_t;
enum bit<4> kind_t { A = 1, B = 17, C }
control C(inout s_t s, in bit<8> ro)(bit<32> size) {
    bit<8> v;
    bit<16> w;
    int<8> i;
    port_t p;
    action set(bit<8> x, in bit<8> y) { v = x; }
    apply {
        v = w;
        v = v + w;
        w = v ++ v ++ v;
        i = v;
        p = 3;
        ro = 1;
        v = 300;
        v = v / 0;
        v = s.h.b[3:9];
        v = s.h.b[19:12];
        s.stack[4] = s.h;
        if (v) { w = 1; }
        v = (bit<8>)true;
        v = s.h;
        w = size;
        v = i << i;
        bool b = v && true;
        s.h = {1, 2};
        s.h.setValid(1);
        v = ro > 3 ? v : w;
        tuple<bit<8>, bit<16>> t = {v, w, v};
        v = t[7];
    }
}
