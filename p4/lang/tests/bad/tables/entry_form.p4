#include <core.p4>
control c(in bit<8> x) {
    table t {
        key = { x: exact; }
        actions = { NoAction; }
        const entries = {
            1 &&& 3: NoAction(); //~ E0506
        }
    }
    apply { t.apply(); }
}
control proto(in bit<8> x);
package top(proto p);
top(c()) main;
