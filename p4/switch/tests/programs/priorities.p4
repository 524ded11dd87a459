// Source entries with explicit and implicit priorities, smallest or largest first, constant or not.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> found; bit<16> key; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    action found(bit<8> mark) { hdr.h.found = mark; }
    // The largest number wins, as in P4Runtime.
    table largest {
        key = { hdr.h.key : ternary; }
        actions = { found; }
        largest_priority_wins = true;
        priority_delta = 10;
        entries = {
            const priority = 100 : 0x1200 &&& 0xff00 : found(1);
            priority = 300 : 0x1230 &&& 0xfff0 : found(2);
            priority = 200 : 0x1234 : found(3);
            _ : found(4);
        }
        default_action = found(0xff);
    }
    // The smallest number wins.
    table smallest {
        key = { hdr.h.key : ternary; }
        actions = { found; }
        largest_priority_wins = false;
        entries = {
            priority = 10 : 0x1200 &&& 0xff00 : found(1);
            priority = 30 : 0x1230 &&& 0xfff0 : found(2);
            priority = 20 : 0x1334 : found(3);
            priority = 5 : 0x1235 : found(4);
        }
        default_action = found(0xff);
    }
    // Without priorities the first matching entry wins.
    table first {
        key = { hdr.h.key : range; }
        actions = { found; }
        const entries = {
            5 .. 10 : found(1);
            0 .. 7 : found(2);
            10 .. 0xffff : found(3);
        }
        const default_action = found(0xff);
    }
    apply {
        std.egress_spec = 1;
        switch (hdr.h.which) {
            1: { largest.apply(); }
            2: { smallest.apply(); }
            3: { first.apply(); }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
