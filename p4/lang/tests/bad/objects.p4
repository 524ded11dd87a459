#include <v1model.p4>
header h_t { bit<8> a; }
struct s_t { h_t h; }
struct m_t { bit<8> x; bit<16> y; }
control Inner(inout s_t s)(bit<32> n) { register<bit<8>>(n) r; apply { exit; } }
Inner(4) top;
parser P(packet_in p, out s_t s, inout m_t m, inout standard_metadata_t sm) {
    Inner(3) inner;
    bit<8> local = 0;
    state begin { p.extract(s); transition accept; }
    state accept { transition reject; }
    state other { if (local == 1) { return; } }
}
control I(inout s_t s, inout m_t m, inout standard_metadata_t sm) {
    Inner(sm.packet_length) inner;
    action data(bit<8> v, inout bit<8> w) { }
    action bound(inout bit<8> w, bit<8> v) { w = v; }
    table empty { key = { m.x : exact; } }
    table t {
        key = { m.x : exact; m.y : lpm; m.x : nearest; }
        actions = { bound; NoAction; NoAction; @defaultonly data(m.x); }
        default_action = missing();
        const entries = {
            (1, 2) : bound(3);
            (1, 0x00ff &&& 0x0f0f, 3) : NoAction();
            (_, 1 .. 4, 3) : NoAction();
        }
        size = -3;
        size = 4;
    }
    apply {
        inner.apply();
        inner.apply(s, m);
        t.apply().hit = true;
        switch (t.apply().action_run) { bound: { } nothing: { } default: { } bound: { } }
        switch (m.x) { 1: { } 1: { } 300: { } }
        break;
        return 3;
        verify(true, error.NoError);
        P.apply(s, m, sm);
        mark_to_drop(1);
    }
}
bit<8> f(in bit<8> x) { if (x == 1) { return 2; } }
void g() { return 1; }
@name(3) @id("x") struct annotated { bit<8> a; }
V1Switch(P(), I()) main;
