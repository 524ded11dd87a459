// "Parsers": states, transitions, select, value sets, sub-parsers, packet methods.
#include <core.p4>

header h_t { bit<8> a; bit<8> b; }
header var_t { bit<8> n; varbit<64> v; }
header_union u_t { h_t h; }
struct s_t { h_t h; h_t[4] stack; var_t v; u_t u; bit<8> m; }
struct key_t { bit<8> a; bit<8> b; }
error { Bad }
match_kind { range }

parser sub(packet_in p, out h_t h)(bit<8> k) {
    state start { p.extract(h); transition select(h.a) { k : accept; default : more; } }
    state more { transition reject; }
}
parser p(packet_in packet, out s_t s, in bit<8> x) {
    bit<8> local = 1;
    const bit<8> k = 5;
    sub(3) inner;
    value_set<bit<8>>(4) one;
    value_set<key_t>(4) two;
    value_set<tuple<bit<8>, bit<8>>>(4) pairs;
    value_set<h_t>(4) headers;
    value_set<varbit<8>>(4) variable; //~ E0409
    state start {
        packet.extract(s.h);
        packet.extract(s.stack.next);
        packet.extract(s.v, 32);
        packet.extract(s.v); //~ E0604
        packet.extract(s.h, 8); //~ E0604
        packet.extract(s.m); //~ E0604
        packet.extract<h_t>(_);
        packet.advance(8);
        bit<16> ahead = packet.lookahead<bit<16>>();
        h_t header_ahead = packet.lookahead<h_t>();
        var_t no = packet.lookahead<var_t>(); //~ E0604
        bit<32> length = packet.length();
        verify(s.h.a == 1, error.Bad);
        verify(s.h.a == 1); //~ E0404
        inner.apply(packet, s.h);
        local = local + 1;
        if (x == 1) { local = 2; }
        transition select(s.h.a, x) { //~ E0504
            (1, 2) : next;
            (1 .. 5, _) : next;
            (8 &&& 0xf, k) : next;
            (one, 3) : next;
            two : next;
            pairs : next;
            (one, one) : next;
            (1, 2, 3) : next; // reported at the keys
            default : accept;
        }
    }
    state next {
        exit; //~ E0501
        return; //~ E0501
        transition select(local) { //~ E0401
            1 : next2;
            x : next2;
            true : next2;
            _ : reject;
        }
    }
    state next2 {
        switch (x) { } //~ E0501
        transition select((key_t) { 1, 2 }) { //~ E0504
            _ : accept;
        }
    }
    state next3 { transition nowhere; } //~ E0508 W0405
    state accept { } //~ E0508 W0405
    state next2 { transition accept; } //~ E0302 W0405
}
parser no_start(packet_in packet) { //~ E0508
    state begin { transition accept; }
}
parser for_ever(packet_in packet) { //~ E0508
    state start { transition start; }
}
control not_here(packet_in packet, inout s_t s) {
    apply {
        packet.extract(s.h); //~ E0502
        verify(true, error.Bad); //~ E0502
    }
}
