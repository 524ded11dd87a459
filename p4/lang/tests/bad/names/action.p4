#include <core.p4>
control c(inout bit<8> x) {
    action go() { }
    table t { actions = { gone; } } //~ E0301
    apply { t.apply(); }
}
