// "Expressions": operators of each type, casts, inference, literals without width.
#include <core.p4>

enum Plain { A, B, C }
enum bit<8> Ser { X = 1, Y = 2, Z = Y }
enum int<8> Neg { M = -1, P = 1 }
type bit<16> Addr;
typedef bit<16> alias_t;
struct s_t { bit<8> a; bit<16> b; }
header h_t { bit<8> a; bool f; }
extern bit<8> read();

control c(inout s_t s, inout h_t h, in bit<8> x, in int<8> i, in bit<4> n, in bool q, inout error e) {
    apply {
        // Fixed width: both operands have the same type; literals take the type of the other operand.
        bit<8> b1 = x + 1;
        bit<8> b2 = 1 - x;
        bit<8> b3 = x + n; //~ E0402
        bit<8> b4 = x + i; //~ E0402
        bit<8> b5 = x |+| 200;
        bit<8> b6 = x |-| 255;
        bit<8> b7 = -x;
        bit<8> b8 = ~x & x | x ^ 0xf;
        int<8> i1 = -i |+| 100;
        int<8> i2 = i * 2 - 3;
        int<8> i3 = ~i;
        bit<9> b9 = x; //~ E0401
        bool l1 = x < 5 && !q || x >= 6;
        bool l2 = q && x; //~ E0402
        bool l3 = !x; //~ E0402
        bool l4 = i < -1;
        bool l5 = x == i; //~ E0402
        // Numbers without width have arbitrary precision.
        const int big = (1 << 100) - (1 << 99);
        bit<128> huge = big;
        bit<8> small = 5 * 100 / 2 - 10;
        bit<8> modulo = 17 % 5;
        const int quotient = -7 / 2; //~ E0412
        const bit<8> zero = 1 / 0; //~ E0412
        // Shifts: the shift amount is unsigned, or a non-negative constant.
        bit<8> s1 = x << n;
        bit<8> s2 = x >> 3;
        int<8> s3 = i >> x;
        bit<8> s4 = x << i; //~ E0402
        bit<8> s5 = x << -1; //~ E0412
        bit<8> s6 = 1 << n; //~ E0405
        const bit<8> s7 = 1 << 4;
        // Concatenation and slices.
        bit<12> c1 = x ++ n;
        bit<16> c2 = x ++ (bit<8>) 1;
        bit<16> c3 = x ++ 1; //~ E0402
        bit<4> c4 = x[7:4];
        bit<4> c5 = x[4 +: 4];
        bit<1> c6 = x[8:8]; //~ E0413
        bit<4> c7 = x[0:3]; //~ E0413
        bit<8> c8 = x[n +: 8];
        bit<2> c9 = i[1:0];
        s.b[7:0] = x;
        s.b[15:8][3:0] = n;
        s.b[n +: 2] = 3;
        s.b[20:16] = 1; //~ E0413
        x[3:0] = n; //~ E0407
        // Casts.
        bit<8> k1 = (bit<8>) i;
        int<8> k2 = (int<8>) x;
        bit<4> k3 = (bit<4>) x;
        int<16> k4 = (int<16>) i;
        int<16> k5 = (int<16>) x; //~ E0403
        bool k6 = (bool) x[0:0];
        bool k7 = (bool) x; //~ E0403
        bit<1> k8 = (bit<1>) q;
        bit<8> k9 = (bit<8>) q; //~ E0403
        int<4> k10 = (int<4>) (bit<4>) 9;
        Addr k11 = (Addr) 16w5;
        bit<16> k12 = (bit<16>) k11;
        Addr k13 = 16w5; //~ E0401
        Addr k14 = (Addr) (alias_t) 7;
        // Enums.
        Plain p1 = Plain.B;
        Plain p2 = Plain.D; //~ E0303
        Plain p3 = 1; //~ E0401
        bit<8> p4 = Plain.A; //~ E0401
        bit<8> p5 = Ser.Y;
        bit<8> p6 = Ser.X + 1;
        Ser p7 = (Ser) x;
        Ser p8 = x; //~ E0401
        int<8> p9 = Neg.M;
        bool p10 = p7 == Ser.Z && p1 != Plain.A;
        bool p11 = p1 < Plain.B; //~ E0402
        bit<8> p12 = (bit<8>) (Ser) 2;
        // `?:`, errors, strings.
        bit<8> m1 = q ? x : 1;
        bit<8> m2 = q ? 1 : 2;
        bit<8> m3 = x ? 1 : 2; //~ E0401
        bit<8> m4 = q ? x : n; //~ E0402
        e = error.NoError;
        bool e1 = e == error.PacketTooShort;
        bool e2 = e < error.NoError; //~ E0402
        string text = "not here"; //~ E0409
        int number = 1; //~ E0409
        // Expressions without a type.
        s = { 1, 2 };
        s = { a = 1, b = 2 };
        s = { b = 2, ... };
        s = (s_t) { 1, 2 };
        s = { 1 }; //~ E0401
        s = { a = 1, c = 2 }; //~ E0303
        s = { a = 1, a = 2 }; //~ E0302 E0401
        bool t1 = s == { 1, 2 };
        bool t2 = { 1, 2 } == { 1, 2 };
        bool t3 = s == { a = 1, b = 2 };
        h = { 1, true };
        h = (h_t) {#};
        bool t4 = h == (h_t) {#};
        h = {#};
        s = {#}; //~ E0401
        tuple<bit<8>, bool> tt = { x, q };
        bit<8> t5 = tt[0];
        bool t6 = tt[1];
        bit<8> t7 = tt[2]; //~ E0414
        bit<8> t8 = tt[n]; //~ E0410
        tt[0] = 5;
        tt = { 1, 2 }; //~ E0401
        bit<8> undone = read() + read();
        x + 1; //~ E0201
    }
}
