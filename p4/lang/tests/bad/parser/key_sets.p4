parser p(in bit<8> x, in bit<8> y) {
    state start {
        transition select(x, y) { //~ E0504
            (1, 2, 3): accept;
            default: reject;
        }
    }
}
