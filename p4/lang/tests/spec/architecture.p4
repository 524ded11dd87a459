// "Architecture description": packages, generic parsers and controls, optional and default parameters, objects
// returned by functions, arrays of objects.
#include <core.p4>

struct h_t { bit<8> f; }
struct m_t { }
extern widget { }
extern widget make_widget<T>(T seed);
@pure extern bit<8> pure_value(bit<8> x);
extern bit<8> impure_value(bit<8> x);
extern cell<T> { cell(); T read(); void write(in T value); }
extern takes<T> { takes(T value); T get(); }
extern void any_width(int amount);
extern void given<T, R>(in T first, @optional in R second);

control Full<H, M>(inout H h, inout M m, in bit<8> extra = 0);
control Other<H>(inout H h);
package Two<H, M>(Full<H, M> full, @optional Other<H> other); //~ E0401
package Three<H1, H2>(Other<H1> first, @optional Other<H2> second);
package Inner<H>(Other<H> o);
package Outer<A, B>(Inner<A> a, @optional Inner<B> b);

control short(inout h_t h, inout m_t m) { apply { } }
control too_short(inout h_t h) { apply { } }
control with_widget(inout h_t h)(widget w) { apply { } }
control generic<T>(inout T h) { apply { } }

control uses(inout h_t h) {
    cell<bit<8>>() cells[4];
    cell<bit<16>>() square[2][3];
    takes(16w5) inferred;
    takes(8w5) several[2];
    takes<bit<8>>(pure_value(3)) known;
    takes<bit<8>>(impure_value(3)) unknown; //~ E0410
    generic<h_t>() g;
    apply {
        cells[h.f].write(cells[0].read());
        cells[4].write(0); //~ E0414
        bit<16> v = square[1][2].read() + inferred.get();
        h.f = several[1].get() + known.get();
        any_width(h.f);
        any_width(5);
        given(h.f);
        given(h.f, v);
        g.apply(h);
        generic<h_t>.apply(h);
        generic<m_t>.apply(h); //~ E0401
    }
}
Three(uses()) one_only;
Three(uses(), with_widget(make_widget(8w1))) both;
Inner(uses()) inner;
Outer(inner) outer;
Two(too_short()) wrong; // reported at the declaration
Two(short(), too_short()) main;
