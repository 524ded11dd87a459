#include <core.p4>
control c(in bit<8> x) {
    table t {
        key = { x: exact; }
        actions = { NoAction; }
        const entries = {
            true: NoAction(); //~ E0401
        }
    }
    apply { t.apply(); }
}
