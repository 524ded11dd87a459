control inner()(bit<8> x) { apply { } } //~ E0404
control outer() {
    inner() i;
    apply { i.apply(); }
}
