control c() {
    action a() { }
} //~ E0201
