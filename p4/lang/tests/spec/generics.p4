// "Type inference", "Type specialization", defaults and `...`, optional parameters, constant expressions everywhere.
#include <core.p4>

const bit<8> W = 4;
struct two_t<A, B> { A a; B b; }
struct wrap_t<T> { two_t<T, T> both; T[2] more; }
header g_h<T> { T f; bit<8> tail; }
header_union g_u<T> { g_h<T> a; }
struct defaults_t { bit<8> a; bool b; g_h<bit<8>> h; g_h<bit<8>>[2] s; two_t<bit<4>, error> t; }
extern T pick<T>(in bool which, in T a, in T b);
extern void sized<T>(in T a, out bit<32> size);
extern R made<R>();
extern store<T, I> {
    store(bit<32> size, @optional T initial);
    T read(in I index);
    void write(in I index, in T value);
    U convert<U>(in T value);
}
T first<T, U>(in T a, in U b) { return a; }
void swap<T>(inout T a, inout T b) { T t = a; a = b; b = t; }
bit<W> narrow(in bit<(W * 2)> x) { return x[W - 1:0]; }

const two_t<bit<8>, bool> c1 = { ... };
const two_t<bit<8>, bool> c2 = { a = 3, ... };
const defaults_t c3 = ...;
const bit<8> c4 = c2.a + (bit<8>) narrow(8w0xff); //~ E0410
const bit<8>[3] c5 = { 1, ... };
const bit<8> c6 = c5[0] + c5[W - 3];
const bool c7 = c1 == { 0, false };
const tuple<bit<8>, two_t<bit<8>, bool>> c8 = { W, { 1, true } };
const bit<8> c9 = c8[1].a ++ 1; //~ E0402
const list<two_t<bit<8>, bool>> c10 = { { 1, true }, { a = 2, b = false } };

control run<H>(inout H h);
control run2<H, M>(inout H h, in M m);
package one<H>(run<H> r, bit<8> n = W + 1); //~ E0401
package pair<A, B>(one<A> first, one<B> second);

control c(inout defaults_t h) {
    store<bit<16>, bit<4>>(16) s;
    store<_, bit<4>>(16, 16w3) inferred;
    store<bit<8>, bit<4>>(initial = 1, size = 2) named;
    store<bit<8>>(16) few; //~ E0406
    store(16) unknown; //~ E0405
    action set<T>(T x) { } //~ E0201
    apply {
        wrap_t<bit<8>> w = { { 1, 2 }, { 3, 4 } };
        wrap_t<bool> v = ...;
        defaults_t d = { a = 1, s = { { 1, 2 }, ... }, ... };
        bit<8> x = pick(true, w.both.a, 5);
        bit<16> y = pick<bit<16>>(false, 1, 2);
        bit<8> z = pick(true, 1, 2); //~ E0405
        bit<8> e = pick(true, x, y); //~ E0401
        bit<32> size;
        sized(x, size);
        sized({ x, y }, size);
        sized(size = size, a = { 8w1, true });
        bit<8> r = made();
        made<bit<8>>();
        made(); //~ E0405
        x = first(x, y);
        x = first<bit<8>, bit<16>>(1, 2);
        swap(w.both.a, w.more[1]);
        swap(x, y); //~ E0401
        s.write(3, s.read(2) + 1);
        s.write(3, x); //~ E0401
        bit<3> u = s.convert<bit<3>>(5);
        bit<5> t = s.convert(5);
        h.h = { 1, 2 };
        h.t = { 1, error.NoError };
        h.t.b = error.NoMatch;
        g_u<bit<8>> un;
        un.a = { 1, 2 };
        x = h.s[W - 3].f;
        bit<8> n = (bit<8>) narrow(x);
    }
}
control other(inout bit<8> h) { apply { } }
one(c()) o1;
one(r = other(), n = 3) o2;
one<bit<8>>(other(), 4) o3;
one<bool>(other()) o4; // reported at the declaration
pair(o1, o2) main;
