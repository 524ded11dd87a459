control c() {
    @name(3) action a() { } //~ E0511
    apply { a(); }
}
