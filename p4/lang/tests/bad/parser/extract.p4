#include <core.p4>
struct s_t { bit<8> a; }
parser p(packet_in b, out s_t s) {
    state start {
        b.extract(s); //~ E0604
        transition accept;
    }
}
