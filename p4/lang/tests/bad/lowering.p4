#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct s_t { h_t h; }
struct m_t { bit<8> x; }
parser P(packet_in p, out s_t s, inout m_t m, inout standard_metadata_t sm) {
    state start { p.extract(s.h); transition accept; }
}
control V(inout s_t s, inout m_t m) { apply { } }
control I(inout s_t s, inout m_t m, inout standard_metadata_t sm) {
    table t { key = { s.h.a + 1 : exact; } actions = { NoAction; } }
    apply {
        t.apply();
        s.h.a = s.h.a / s.h.b;
        resubmit_preserving_field_list((bit<8>)s.h.b);
    }
}
control E(inout s_t s, inout m_t m, inout standard_metadata_t sm) { apply { digest<m_t>(1, m); } }
control D(packet_out p, in s_t s) { apply { p.emit(s); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
