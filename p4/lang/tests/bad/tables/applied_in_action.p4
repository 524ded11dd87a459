#include <core.p4>
control c(in bit<8> x) {
    table t {
        key = { x: exact; }
        actions = { NoAction; }
    }
    action a() { t.apply(); } //~ E0502
    apply { a(); }
}
