// Loops over ranges, counters and stacks, with `break` and `continue`; `switch` on values and on actions, with
// cases that share a body; assignments with an operator.
#include "frame.p4"

header item_t { bit<8> value; }
header h_t { bit<8> count; bit<8> sum; bit<8> choice; bit<8> result; }
struct headers_t { h_t h; item_t[4] items; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition item; }
    state item {
        packet.extract(hdr.items.next);
        transition select(hdr.items.lastIndex) {
            3: accept;
            default: item;
        }
    }
}

control In(STANDARD) {
    action low() { hdr.h.result |= 0x10; }
    action high() { hdr.h.result |= 0x20; }
    action other() { hdr.h.result |= 0x40; }
    table sizes {
        key = { hdr.h.sum : range; }
        actions = { low; high; other; }
        const entries = {
            0 .. 15 : low();
            16 .. 127 : high();
        }
        const default_action = other();
    }
    apply {
        std.egress_spec = 1;
        hdr.h.sum = 0;
        for (bit<8> i in 1 .. 4) {
            if (i == 3) { continue; }
            hdr.h.sum += i;
        }
        for (item_t item in hdr.items) {
            if (item.value == 0xff) { break; }
            hdr.h.sum += item.value;
        }
        for (bit<8> more in (list<bit<8>>) { 1, 2, 3 }) { hdr.h.sum += more; }
        hdr.h.sum -= 6;
        for (bit<8> i = 0, bit<8> step = 1; i < hdr.h.count; i += step) {
            hdr.h.sum |+|= 2;
            step <<= 1;
        }
        hdr.h.result = 1;
        switch (hdr.h.choice) {
            1:
            2: { hdr.h.result = 2; }
            3: { hdr.h.result = 3; }
            default: { hdr.h.result = 4; }
        }
        switch (sizes.apply().action_run) {
            low:
            high: { hdr.h.result ^= 0x80; }
            default: { hdr.h.result -= 1; }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
