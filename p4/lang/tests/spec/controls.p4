// "Control blocks", "Calling convention", "Constructor calls", where calls are allowed.
#include <core.p4>

struct s_t { bit<8> a; bit<8> b; }
extern box<T> { box(T initial); T get(); void set(in T value); abstract T pick(in T a); }
extern cell { cell(bit<8> size); bit<8> read(); }
extern bit<8> anywhere(in bit<8> a);

control inner(inout bit<8> x)(bit<8> k, bit<8> j) { //~ E0404
    apply { x = x + k + j; }
}
control generic<T>(inout T x, in T y) { apply { x = y; } }
control with_cell(inout bit<8> x)(cell o) { apply { x = o.read(); } }
parser a_parser(packet_in p) { state start { transition accept; } }

control c(inout s_t s)(bit<8> k) {
    bit<8> shared = k;
    cell(8) object;
    cell(k) by_parameter;
    cell(shared) by_variable; //~ E0410
    inner(1, 2) one;
    inner(j = 1, k = k) named;
    inner(1) few; // reported at the declaration
    inner(1, s.a) variable; //~ E0410
    generic<bit<8>>() g;
    with_cell(object) w1;
    with_cell(cell(3)) w2;
    a_parser() no_parser; //~ E0502
    box<bit<8>>(1) chosen = {
        bit<8> pick(in bit<8> a) { return a + this.get() + s.a; }
    };
    box(8w1) inferred = { bit<8> pick(in bit<8> a) { return a; } };
    box<bit<8>>(1) unchosen; //~ E0404
    box<bit<8>>(1) other = { //~ E0401
        bit<16> pick(in bit<8> a) { return 1; }
    };
    action calls() {
        s.a = object.read() + anywhere(s.b);
        one.apply(s.a); //~ E0502
        t.apply(); //~ E0301
    }
    table t { actions = { calls; } }
    action too_late() { t.apply(); } //~ E0502
    bit<8> function_here(in bit<8> a) { return a; } //~ E0502
    apply {
        one.apply(s.a);
        one.apply(x = s.b);
        one.apply(1); //~ E0407
        one.apply(); //~ E0404
        named.apply(s.a);
        g.apply(s.a, 1);
        generic<bit<8>>.apply(s.a, 2);
        w1.apply(s.a);
        inner.apply(s.a); //~ E0404
        inner(1, 2).apply(s.a);
        s.a = chosen.pick(3) + inferred.get();
        cell(3) local; //~ E0502
        object = object; //~ E0407
        cell(3).read();
        calls();
        t.apply();
        s.a = object; //~ E0401
        object.write(1); //~ E0303
        shared = s.a + object.read();
    }
}
