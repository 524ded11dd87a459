// "Types": allowed nestings, generic types, `typedef` and `type`, tuples, lists, unions.
#include <core.p4>

typedef bit<8> byte_t;
typedef byte_t octet_t;
typedef tuple<bit<8>, bool> pair_t;
typedef error error_t;
typedef int number_t;
type bit<8> New;
type New Newer;
type bool Flag;
type error NewError; //~ E0409
type S Struct; //~ E0301
type varbit<8> Var; //~ E0409
enum Empty { } //~ E0409
enum bit<2> Wide { A = 4 } //~ E0411
enum bit<2> Unset { A } //~ E0409
enum New OfNew { A = 1 } //~ E0409
enum byte_t OfAlias { A = 1, B = A + 1 }
enum Valued { A = 1 } //~ E0409

header h_t { bit<8> f; }
header fixed_t { bit<8> a; int<4> b; bool c; New d; OfAlias e; varbit<32> v; }
header nested_t { struct_t s; } //~ E0301
struct inner_t { bit<8> a; bool b; }
header holder_t { inner_t s; bit<7> rest; }
struct open_t { varbit<8> v; }
header bad1_t { h_t h; } //~ E0409
header bad2_t { open_t s; } //~ E0409
header bad3_t { error e; } //~ E0409
header bad4_t { tuple<bit<8>> t; } //~ E0409
header bad5_t { int i; } //~ E0409
header none_t { }
header_union u_t { h_t a; holder_t b; }
header_union bad_u { bit<8> a; } //~ E0409
header_union nested_u { u_t u; } //~ E0409
struct all_t { h_t h; u_t u; h_t[2] s; u_t[2] us; pair_t t; error e; New n; varbit<8> v; OfAlias o; inner_t i; }
struct bad6_t { int i; } //~ E0409
struct bad7_t { string s; } //~ E0409
struct bad8_t { packet_in p; } //~ E0409
struct twice_t { bit<8> a; bit<8> a; } //~ E0302
struct itself_t { itself_t s; } //~ E0301
typedef bit<0> empty_t;
typedef int<0> no_sign_t; //~ E0408
typedef bit<-1> negative_t; //~ E0408
typedef bit<100000> too_wide_t; //~ E0408

// Generic types.
struct G<T> { T value; bit<8> tag; }
header GH<T> { T value; } //~ E0409
typedef G<bit<8>> g8_t;
typedef G<G<bit<8>>> nested_g_t; //~ E0406
typedef G gopen_t; //~ E0406
typedef G<bit<8>, bool> gtwo_t; //~ E0406
typedef inner_t<bit<8>> not_generic_t; //~ E0406
const G<bit<8>> g1 = { 1, 2 };
const G<bit<16>> g2 = { value = 1, tag = 2 };
const g8_t g3 = (G<bit<8>>) { 1, 2 };
const bit<8> of_g = g1.value + g3.tag;
const GH<bit<8>> gh = { 1 };
const GH<error> gh2 = { error.NoError }; // reported at the field
const list<bit<8>> numbers = { 1, 2, 3 };
const list<tuple<bit<8>, bool>> pairs = { { 1, true }, { 2, false } };
const list<bit<8>, bool> wrong = { }; //~ E0406
const tuple<bit<8>, bool> pair = { 1, true };
const bit<8> first = pair[0];
const tuple<tuple<bit<8>>, bit<4>> deep = { { 1 }, 2 };
const bit<8> second = deep[0][0];
const pair_t compared = { 2, pair == { 1, true } };
const int size = fixed_t.minSizeInBits() + holder_t.minSizeInBytes() + fixed_t.maxSizeInBits();

control c(inout all_t a) {
    apply {
        a.u.a.setValid();
        a.u.b = { { 1, true }, 3 };
        bool valid = a.u.isValid() && a.u.a.isValid();
        u_t copy = a.u;
        bool same = copy == a.u;
        a.u = a.us[1];
        a.us[0].a.setInvalid();
        a.u.setValid(); //~ E0303
        a.h.missing = 1; //~ E0303
        a.h.missing(); //~ E0303
        a.n = (New) 1;
        a.n = 1; //~ W0417
        Newer n = (Newer) a.n;
        New sum = a.n + a.n; //~ E0402
        bool equal = a.n == a.n;
        a.v = a.v;
        bool vs = a.v == a.v;
        varbit<16> other = a.v; //~ E0401
        varbit<8> v = 1; //~ E0401
        a.t = { 1, false };
        OfAlias o = OfAlias.B;
        void nothing; //~ E0409
        packet_in p; //~ E0409
        _ blank = 1; //~ E0201
    }
}
