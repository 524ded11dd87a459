// "Tables": keys, actions, entries, defaults, properties.
#include <core.p4>

header h_t { bit<8> a; bit<16> b; int<8> i; bool q; varbit<8> v; }
struct s_t { h_t h; bit<8> m; error e; }
match_kind { range, optional }
extern bit<8> call(in bit<8> x);
action outside(bit<8> data) { }

control c(inout s_t s) {
    action a(bit<8> d) { s.m = d; }
    action b(in bit<8> v, inout bit<8> w, bit<8> d) { w = v + d; }
    action n() { }
    action late(out bit<8> w) { w = 1; }
    table keys {
        key = {
            s.h.a : exact;
            s.h.a[3:0] : ternary @name("low");
            s.h.b & 0xff : lpm @name("masked");
            s.h.i : range;
            s.h.q : optional;
            s.e : exact;
            s.h.isValid() : exact;
            call(s.m) : exact @name("called");
            s.m + 1 : exact @name("sum");
            s.h : exact; //~ E0504
            5 : exact; //~ E0504
            s.m : unheard; //~ E0504
            s.e : lpm; //~ E0504
        }
        actions = { n; }
    }
    table actions_ {
        key = { s.m : exact; }
        actions = {
            a;
            @tableonly b(s.m, s.h.a);
            @defaultonly n;
            .outside;
            late(s.m);
            a; //~ E0302
            b(s.m); //~ E0302
            unknown; //~ E0301
            keys; //~ E0505
        }
        default_action = n();
        size = 1024;
    }
    table unbound {
        key = { s.m : exact; }
        actions = {
            b; //~ E0505
            a(1); //~ E0505
            late(1); //~ E0407
        }
    }
    table no_actions { key = { s.m : exact; } } //~ E0503
    table no_key { actions = { a; n; } default_action = a(1); }
    table no_key_entries { actions = { n; } const entries = { 1 : n(); } } //~ E0503 E0504
    table defaults { actions = { a; n; } default_action = a(); } //~ E0505
    table defaults2 { actions = { a; n; } default_action = a(s.m); } //~ E0410
    table defaults3 { actions = { n; } default_action = a(1); } //~ E0505
    table defaults4 { actions = { n; } const default_action = n; }
    table twice { actions = { n; } size = 1; size = 2; } //~ E0503
    table entries_ {
        key = { s.h.a : exact; s.h.b : ternary; s.h.i : range; s.h.q : optional; s.m : lpm; }
        actions = { a; n; }
        const default_action = n();
        const entries = {
            (1, _, -5 .. 5, true, 0x10 &&& 0xf0) : a(1);
            (2, 3 &&& 7, 4, _, _) : a(d = 2);
            (3, default, _, false, 9) : n;
            (1, 2) : n(); //~ E0504
            (4, true, _, _, _) : n(); //~ E0401
            (5, _, _, _, 0x05 &&& 0xf5) : n(); //~ E0506
            (6, _, _, _, _) : b(1, 2); //~ E0505
            (7, _, _, _, _) : a(); //~ E0505
            (s.m, _, _, _, _) : n(); //~ E0410
        }
    }
    table open_entries {
        key = { s.h.a : ternary; }
        actions = { a; n; }
        largest_priority_wins = true;
        priority_delta = 5;
        entries = {
            const priority = 20 : 1 &&& 3 : a(1);
            2 : n();
            priority = 10 : _ : n();
        }
    }
    table doubled {
        key = { s.h.a : exact; }
        actions = { n; }
        const entries = { 1 : n(); 1 : n(); } //~ E0506
    }
    apply {
        keys.apply();
        actions_.apply();
        bit<8> x = keys.apply(); //~ E0401
        keys.apply(1); //~ E0404
        keys.hit(); //~ E0303
        keys.missing; //~ E0201
        n();
        a(3);
        b(1, s.m, 2);
        late(s.m);
    }
}
