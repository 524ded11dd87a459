#include <core.p4>
control c(in bit<8> x) {
    action other() { }
    table t {
        key = { x: exact; }
        actions = { NoAction; }
        default_action = other(); //~ E0505
    }
    apply { t.apply(); }
}
