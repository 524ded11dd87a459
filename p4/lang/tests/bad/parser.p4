#include <core.p4>
header h_t {
    bit<8> a
    bit<8> b;
    bit<16 c;
}
struct s_t { h_t h; }
control c(inout s_t s) {
    action set(bit<8> v) { s.h.a = v }
    table t {
        key = { s.h.a exact; }
        actions = { set, NoAction; }
    }
    apply {
        if s.h.isValid() { t.apply(); }
        s.h.a + 1;
        else { }
    }
}
parser p(packet_in pkt, out s_t s) {
    state start {
        transition select(s.h.a) { 1: ; default accept; }
    }
}
