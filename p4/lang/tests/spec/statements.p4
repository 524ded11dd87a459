// "Statements" and "Functions": blocks, conditions, switches, loops, calls, returns.
#include <core.p4>

enum bit<8> Ser { X = 1, Y = 2 }
struct s_t { bit<8> a; bit<8> b; }

bit<8> max(in bit<8> a, in bit<8> b = 3) {
    if (a > b) { return a; }
    return b;
}
bit<8> no_return(in bit<8> a) { //~ E0509
    if (a > 1) { return a; }
}
bit<8> every_case(in bit<8> a) {
    switch (a) {
        1: { return 1; }
        default: { return 2; }
    }
}
void nothing(in bit<8> a) { return; }
void something(in bit<8> a) { return a; } //~ E0501
bit<8> empty(in bit<8> a) { return; } //~ E0501
T same<T>(in T a) { return a; }
bit<8> itself(in bit<8> a) { return itself(a); } //~ E0510
void writes(out bit<8> a, inout bit<8> b, in bit<8> c) { a = b; b = c; }
void writes_in(in bit<8> a) { a = 1; } //~ E0407
void bad_default(out bit<8> a = 1) { a = 1; } //~ E0404
bit<8> exits(in bit<8> a) { exit; } //~ E0501 E0509

control c(inout bit<8> x, inout s_t s, in bool q) {
    action set(in bit<8> v, bit<8> data) { x = v + data; return; }
    action one(bit<8> data) { x = data; exit; }
    action returns() { return 1; } //~ E0501
    action mixed(bit<8> data, in bit<8> v) { x = v; } //~ E0505
    table t {
        key = { x : exact; }
        actions = { one; set(x); NoAction; }
        default_action = NoAction();
    }
    apply {
        ;
        { bit<8> inner = 1; x = inner; }
        x = inner; //~ E0301
        if (q) x = 1; else if (x == 2) { x = 3; } else x = 4;
        if (x) { x = 1; } //~ E0401
        // Calls: positional and named arguments, defaults; written arguments are l-values.
        x = max(1, 2) + max(b = 1, a = x) + max(x);
        x = max(); //~ E0404
        x = max(1, 2, 3); //~ E0404
        x = max(a = 1, a = 2); //~ E0404
        x = max(1, c = 2); //~ E0404
        writes(s.a, s.b, 1);
        writes(s.a, 5, 1); //~ E0407
        writes(_, s.b, 1);
        writes(s.a, s.b, _); //~ E0404
        writes(c = 1, b = x, a = s.a);
        x = same(x) + same<bit<8>>(1);
        x = same(1); //~ E0405
        x = nothing(1); //~ E0401
        max(1, 2);
        set(x, 1);
        set(1, 2);
        // `switch` on values.
        switch (x) {
            1:
            2: { x = 3; }
            3: { x = 4; }
            default: { x = 5; }
        }
        switch (x) {
            1: { }
            1: { } //~ E0507
        }
        switch (x) { //~ E0507
            default: { }
            1: { }
        }
        switch (x) {
            s.a: { } //~ E0410
        }
        switch ((Ser) x) {
            Ser.X: { x = 1; }
            Ser.Y: { x = 2; }
        }
        switch (s) { } //~ E0507
        // `switch` on the result of a table.
        switch (t.apply().action_run) {
            one: { x = 1; }
            NoAction:
            default: { x = 2; }
        }
        switch (t.apply().action_run) {
            unlisted: { } //~ E0301
        }
        if (t.apply().hit) { x = 1; } else if (!t.apply().miss) { x = 2; }
        bool hit = t.apply().hit;
        bool run = t.apply().action_run; //~ E0507
        // Loops.
        for (bit<8> i = 0; i < 10; i = i + 1) { x = x + i; }
        for (bit<8> i = 0, bit<8> j = 9; i < j; i += 1, j -= 1) { if (x == i) { break; } continue; }
        for (bit<8> i in 1 .. 10) { x += i; }
        for (bit<8> i in 1 .. x) { x += i; }
        for (bit<8> i in (list<bit<8>>) { 1, 2, 3 }) { x += i; }
        for (;;) { } //~ E0201
        for (bit<8> i in x) { } //~ E0401
        for (bool b in 1 .. 2) { } //~ E0401
        for (bit<8> i in 1 .. 4) { i = 2; x = i; }
        break; //~ E0501
        continue; //~ E0501
        return;
        return x; //~ E0501
        // Assignments.
        x += 1; x -= 1; x *= 2; x |+|= 3; x |-|= 3; x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1;
        s.a += s.b;
        x += q; //~ E0402
        1 = x; //~ E0201
        max(1, 2) = x; //~ E0407
        const bit<8> k = 1;
        k = 2; //~ E0407
        c.apply(x, s, q); //~ E0510
        exit;
    }
}
