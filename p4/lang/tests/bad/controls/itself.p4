control c() {
    c() again; //~ E0510
    apply { again.apply(); }
}
