// Arrays and header stacks: "Arrays", "Operations on arrays", "Operations on header stacks", "Type nesting rules".
#include <core.p4>

enum bit<8> Ser { A = 1 }
enum Plain { A, B }
type bit<9> Port;
struct pair_t { bit<8> a; int<4> b; }
struct open_t { Plain p; varbit<8> v; }
header h_t { bit<8> f; }
header_union u_t { h_t a; }

// Element types of arrays.
header in_header_t {
    bit<8>[2] bytes;
    bool flags[8];
    Ser[2] sers;
    pair_t pairs[2];
    bit<4>[2][4] nested;
    bit<4> declared[2][4];
    Port ports[2];
    Plain plain[2]; //~ E0409
    open_t open[2]; //~ E0409
    h_t headers[2]; //~ E0409
}
struct in_struct_t {
    Plain[2] plain;
    varbit<32>[2] varbits;
    open_t[2] open;
    h_t[4] stack;
    u_t[2] unions;
    error[2] errors; //~ E0409
    int[2] ints; //~ E0409
    string[2] strings; //~ E0409
    tuple<bit<8>>[2] tuples; //~ E0409
    h_t[2][2] stacks; //~ E0409
    bit<8>[0] none; //~ E0408
    bit<8>[1 - 2] negative; //~ E0408
}
typedef bit<8>[4] word_t;

control c(inout in_header_t h, inout in_struct_t s, in bit<1> x, in bit<8> y) {
    word_t local;
    action set(word_t value) { local = value; }
    table t {
        key = { h.bytes[x] : exact; h.pairs[1].a : exact; }
        actions = { set; }
        default_action = set({ 1, 2, 3, 4 });
    }
    apply {
        bit<8>[4] other = { 1, 2, 3, 4 };
        word_t rest = { 1, ... };
        local = other;
        local[0] = local[3] + other[(bit<8>) x];
        h.nested[3][1] = h.nested[x][x];
        h.declared[1][3] = 1;
        h.declared[3][1] = 1; //~ E0414
        h.pairs[x] = { 1, -1 };
        h.pairs[x].a = y;
        h.pairs = { { 1, 2 }, { 3, 4 } };
        local[4] = 0; //~ E0414
        local[-1] = 0; //~ E0414
        local = { 1, 2, 3 }; //~ E0401
        local = h.bytes; //~ E0401
        local[true] = 1; //~ E0414
        if (local == other && h.pairs != { { 1, 2 }, { 3, 4 } }) { local = rest; }
        local.push_front(1); //~ E0303
        y[0] = 1; //~ E0414
        other[1][3:0] = 7;
        other[y][3:0] = 7;
        bit<32> size = s.stack.size;
        bit<32> count = local.size; //~ E0303
        s.stack.push_front(1);
        s.stack.pop_front(2);
        s.stack.push_front(-1); //~ E0411
        s.stack[0].setValid();
        s.stack[y].f = 1;
        h_t last = s.stack.last; //~ E0414
        s.stack = (h_t[4]) { { 1 }, { 2 }, (h_t) {#}, ... };
        t.apply();
    }
}

parser p(packet_in b, out in_struct_t s) {
    state start {
        b.extract(s.stack.next);
        b.extract(s.stack[1]);
        h_t last = s.stack.last;
        bit<32> at = s.stack.lastIndex;
        s.stack.last = last;
        transition accept;
    }
}
