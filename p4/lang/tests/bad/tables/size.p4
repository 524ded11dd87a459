#include <core.p4>
control c(in bit<8> x) {
    table t {
        key = { x: exact; }
        actions = { NoAction; }
        size = -1; //~ E0408
    }
    apply { t.apply(); }
}
