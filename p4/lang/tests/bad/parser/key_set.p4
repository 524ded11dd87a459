parser p(in bit<8> x) {
    state start {
        transition select(x) { //~ E0401
            true: accept;
            default: reject;
        }
    }
}
