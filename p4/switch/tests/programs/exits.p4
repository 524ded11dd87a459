// `exit` and `return` in all places: in ingress, egress, an action, a table's action, a nested control, a loop and a
// function. `trail` has one bit for each place that was reached.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> trail; bit<8> egress; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}

bit<8> early(in bit<8> which) {
    if (which == 6) { return 0x40; }
    return 0;
}

control Nested(inout bit<8> trail, in bit<8> which) {
    action stop() { trail = trail | 4; exit; }
    action go() { trail = trail | 2; }
    table decide {
        key = { which : exact; }
        actions = { stop; go; }
        const entries = { 4 : stop(); }
        const default_action = go();
    }
    apply {
        if (which == 3) { return; }
        decide.apply();
        trail = trail | 8;
    }
}

control In(STANDARD) {
    Nested() nested;
    action leave() { hdr.h.trail = hdr.h.trail | 1; exit; }
    apply {
        std.egress_spec = 1;
        if (hdr.h.which == 1) { leave(); }
        if (hdr.h.which == 2) { return; }
        hdr.h.trail = hdr.h.trail | early(hdr.h.which);
        nested.apply(hdr.h.trail, hdr.h.which);
        for (bit<8> i = 0; i < 4; i = i + 1) {
            if (hdr.h.which == 5 && i == 2) { exit; }
            hdr.h.trail = hdr.h.trail + 0x10;
            if (hdr.h.which != 5) { break; }
        }
        hdr.h.trail = hdr.h.trail | 0x80;
    }
}
control Out(STANDARD) {
    action leave() { exit; }
    apply {
        hdr.h.egress = 1;
        if (hdr.h.which == 7) { leave(); }
        if (hdr.h.which == 8) { return; }
        hdr.h.egress = 3;
    }
}
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
