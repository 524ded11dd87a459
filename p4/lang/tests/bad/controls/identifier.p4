control c() {
    @id("three") action a() { } //~ E0511
    apply { a(); }
}
