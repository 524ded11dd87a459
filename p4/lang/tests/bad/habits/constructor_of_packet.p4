#include <core.p4>
control c() {
    packet_in() p; //~ E0404
    apply { }
}
