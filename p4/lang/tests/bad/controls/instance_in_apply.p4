extern box_t { box_t(); }
control c() {
    action a() {
        box_t() b; //~ E0502
    }
    apply { a(); }
}
