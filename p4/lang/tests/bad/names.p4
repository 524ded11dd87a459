#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> kind; }
struct headers_t { ethernet_t ethernet; ethernet_t ethernet; }
struct meta_t { bit<8> x; }
const bit<8> LIMIT = 3;
const bit<8> LIMIT = 4;
bit<8> twice(in bit<8> v) { return helper(v); }
bit<8> helper(in bit<8> v) { return v + v; }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.ethernte); transition select(hdr.ethernet.knd) { LIMT: pars; default: accept; } }
    state parse { transition accept; }
}
control C(inout headers_t hdr, inout meta_t m) {
    action a() { m.y = 1; headers_t.z = 2; }
    table t { actions = { a; b; } default_action = c; }
    apply { t.aply(); u.apply(); twice = 3; undeclared_t x; }
}
