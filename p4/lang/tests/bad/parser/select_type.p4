#include <core.p4>
header h_t { bit<8> a; }
parser p(packet_in b, out h_t h) {
    state start {
        b.extract(h);
        transition select(h) { //~ E0504
            default: accept;
        }
    }
}
