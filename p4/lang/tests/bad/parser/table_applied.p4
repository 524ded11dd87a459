parser p(in bit<8> x) {
    table t { actions = { } } //~ E0502
    state start { transition accept; }
}
