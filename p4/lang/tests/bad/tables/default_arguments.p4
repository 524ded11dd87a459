#include <core.p4>
control c(inout bit<8> x) {
    action set(bit<8> v) { x = v; }
    table t {
        key = { x: exact; }
        actions = { set; }
        default_action = set(); //~ E0505
    }
    apply { t.apply(); }
}
