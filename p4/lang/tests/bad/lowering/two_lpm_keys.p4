#include "head.p4"
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    table routes {
        key = {
            m.x: lpm;
            m.y: lpm; //~ E0607
        }
        actions = { NoAction; }
    }
    table ranked {
        key = {
            hdr.h.a: ternary;
            m.x: lpm;
            m.y: lpm; //~ E0607
        }
        actions = { NoAction; }
    }
    table unused {
        key = { m.x: lpm; m.y: lpm; }
        actions = { NoAction; }
    }
    table one {
        key = { m.x: lpm; m.y: ternary; }
        actions = { NoAction; }
    }
    apply {
        if (routes.apply().hit) { one.apply(); }
        switch (ranked.apply().action_run) { NoAction: { m.x = 1; } }
    }
}
#include "tail.p4"
