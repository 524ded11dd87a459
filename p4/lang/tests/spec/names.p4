// "Name resolution", "Overloading", "Match kinds", "Errors".
#include <core.p4>

match_kind { best_effort }
match_kind { best_effort } //~ E0302
error { Mine, Yours }
error { Mine } //~ E0302
const error e = error.Yours;
const error none = error.Nobody; //~ E0303
const tuple<match_kind> kinds = { exact };
const match_kind kind = best_effort;

const bit<8> shared = 1;
control shadows(inout bit<8> x)(bit<8> k) {
    bit<8> shared = 2;
    bit<8> x2 = .shared + shared;
    action a(bit<8> shared) { x2 = shared; }
    apply {
        bit<8> shared = 3;
        { bit<8> shared = 4; x = shared; }
        x = k + later; //~ E0301
        bit<8> shared = 5; //~ E0302
        bit<8> x = 1; //~ E0302
    }
}
const bit<8> later = 1;

// Functions, methods and constructors, overloaded by the names and number of arguments.
extern void f();
extern void f(in bit<32> a);
extern void f(in bit<16> b);
extern void f(in bit<32> a, in bit<16> b);
extern void f(in bit<32> a); //~ E0302
extern Over {
    Over();
    Over(bit<8> size);
    Over(bit<8> depth, bit<8> size);
    bit<8> m();
    bit<8> m(in bit<8> a);
    bit<8> m(in bit<8> b);
}
control d(out bit<32> x)(bit<32> a) { apply { x = a; } }
control d(out bit<32> x)(bit<32> b) { apply { x = b; } }
control d(out bit<32> x)(bit<32> a) { apply { x = a; } } //~ E0302
package Top(d a); //~ E0409
control proto(inout bit<8> x);
package Pipe(proto a);
package Pipe(proto a, proto b);
control c(inout bit<8> x) {
    Over() o1;
    Over(8) o2;
    Over(size = 1, depth = 2) o3;
    Over(width = 1) o4; //~ E0404
    d(a = 1) d1;
    d(b = 2) d2;
    d(c = 2) d3; //~ E0404
    apply {
        bit<32> z;
        f();
        f(a = 1);
        f(b = 1);
        f(b = 1, a = 2);
        f(1); //~ E0404
        f(c = 1); //~ E0404
        x = o1.m() + o1.m(a = 1) + o2.m(b = 2);
        d1.apply(z);
        d2.apply(x = z);
    }
}
Pipe(a = c()) one;
Pipe(c(), b = c()) mixed; //~ E0404
Pipe(c(), c()) main;
