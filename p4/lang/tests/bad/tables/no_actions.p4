#include <core.p4>
control c(in bit<8> x) {
    table t { //~ E0503
        key = { x: exact; }
    }
    apply { t.apply(); }
}
