#include <core.p4>
control c(in bit<8> x) {
    action a() { }
    action b() { }
    table t {
        key = { x: exact; }
        actions = { a; }
    }
    apply {
        switch (t.apply().action_run) {
            b: { } //~ E0507
        }
    }
}
