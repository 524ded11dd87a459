control c(inout bit<8> x) {
    action set(bit<8> v, inout bit<8> w) { w = v; } //~ E0505
    apply { set(1, x); }
}
