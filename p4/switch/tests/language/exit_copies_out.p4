// An `exit` in an action that a table runs, in a control that is applied twice: values that control and action have
// written to `inout` parameters are copied out to the caller.
#include "frame.p4"

header h_t { bit<8> choice; bit<8> first; bit<8> second; bit<8> after; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}

action leave_if(in bit<8> wanted, in bit<8> found, inout bit<8> mark) {
    mark = mark + 1;
    if (wanted == found) {
        exit;
    }
    mark = mark + 1;
}

control Inner(inout bit<8> value, in bit<8> choice) {
    bit<8> mark = 0;
    action stop() {
        value = value | 0x10;
        leave_if(1, choice, mark);
        value = value | 0x20;
    }
    action go() { value = value | 0x01; }
    table decide {
        key = { choice : exact; }
        actions = { stop; go; }
        const entries = { 1 : stop(); 2 : stop(); }
        const default_action = go();
    }
    apply {
        decide.apply();
        value = value | 0x40;
    }
}

control In(STANDARD) {
    Inner() inner;
    apply {
        std.egress_spec = 1;
        if (hdr.h.choice >= 0x80) {
            inner.apply(hdr.h.second, 8w2);
        }
        inner.apply(hdr.h.first, hdr.h.choice);
        hdr.h.after = 0xff;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
