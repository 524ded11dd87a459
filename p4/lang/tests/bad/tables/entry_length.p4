#include <core.p4>
control c(in bit<8> x, in bit<8> y) {
    table t {
        key = { x: exact; y: exact; }
        actions = { NoAction; }
        const entries = {
            (1): NoAction(); //~ E0504
        }
    }
    apply { t.apply(); }
}
