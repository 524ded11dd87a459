#include <core.p4>
header h_t { bit<8> a; }
control c(in h_t h) {
    table t {
        key = { h: exact; } //~ E0504
        actions = { NoAction; }
    }
    apply { t.apply(); }
}
