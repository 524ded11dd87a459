#include "head.p4"
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
parser Q(packet_in p, out headers_t h) {
    state start { transition select(p.lookahead<bit<8>>()) { 1: first_of_the_states; 2: second_of_the_states; 3: third_of_the_states; 4: first_of_the_stats; default: accept; } } //~ E0508
    state first_of_the_states { transition accept; }
    state second_of_the_states { transition accept; }
    state third_of_the_states { transition accept; }
}
#include "tail.p4"
