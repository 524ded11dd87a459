// "Annotations": unstructured ones with any tokens, structured ones with expressions, on all declarations.
#include <core.p4>

@free(isn't it? $ 1 + (nested) "text" ; { } :)
@pragma anything goes ' here
header h_t {
    @field @name("renamed") bit<8> f;
}
@list[1, true, "text", 2 + 3]
@map[key = 1, other = "a" ++ "b"]
struct s_t { h_t h; }
@on_enum enum E { @on_member A, B }
@on_error error { @member NewError }
@on_type typedef bit<8> byte_t;
@on_newtype type bit<8> octet_t;
@on_extern extern X { @on_method void f(@on_param in bit<8> x); X(); }
@on_function extern void g(in bit<8> x);
@on_parser_type parser Proto(packet_in b, out s_t s);
@on_package package Top(@on_package_param Proto p);

@unstructured(1) @unstructured(2) const bit<8> fine = 1;
@twice[1] @twice[2] const bit<8> t1 = 1; //~ E0511
@mixed[1] @mixed const bit<8> t2 = 1; //~ E0511
@map[a = 1, a = 2] const bit<8> t3 = 1; //~ E0511
@unknown[nothing] const bit<8> t4 = 1; //~ E0301
@name(1) const bit<8> t5 = 1; //~ E0511
@name("x", "y") const bit<8> t6 = 1; //~ E0511
@id("x") const bit<8> t7 = 1; //~ E0511
$ const bit<8> foreign = 1; //~ E0001

@on_control control c(@optional inout s_t s, in bit<1> x) {
    @on_instance X() object;
    @on_variable bit<8> v = 1;
    @on_const const bit<8> k = 1;
    @on_action action a(@on_data bit<8> d) { v = d; }
    @on_table table t {
        @on_key_property key = { s.h.f : exact @on_key @name("f"); }
        @on_actions actions = { @tableonly a; @defaultonly NoAction; }
        @on_default const default_action = NoAction();
        @on_entries const entries = { 1 : a(2) @on_entry; }
        @on_custom custom = 1;
    }
    apply @on_apply {
        @on_block { v = 1; }
        @on_local bit<8> local = 2;
        @on_if if (x == 1) { object.f(local); }
        t.apply();
    }
}
@on_parser parser P(packet_in b, out s_t s) {
    @on_state state start {
        @on_statement b.extract(s.h);
        transition select(s.h.f) { 1 : accept; default : reject; }
    }
}
