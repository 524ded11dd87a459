#include <core.p4>
control c(in bit<8> x) {
    table t {
        key = { x: exakt; } //~ E0504
        actions = { NoAction; }
    }
    apply { t.apply(); }
}
