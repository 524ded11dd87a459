#include <core.p4>
parser p(packet_in b) {
    state start {
        transition; //~ E0201
    }
}
