// All match kinds, with priorities, masks, don't care and constant entries. `which` selects the table; `found` receives
// the result.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> found; bit<32> a; bit<16> b; }
struct headers_t { h_t h; }
struct meta_t { bit<1> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}

control In(STANDARD) {
    action found(bit<8> mark) { hdr.h.found = mark; std.egress_spec = 1; }
    action missed() { hdr.h.found = 0xff; std.egress_spec = 2; }
    action drop() { mark_to_drop(std); }

    table exact_pair {
        key = { hdr.h.a : exact; hdr.h.b : exact; }
        actions = { found; missed; }
        const default_action = missed();
    }
    table longest {
        key = { hdr.h.a : lpm; }
        actions = { found; missed; drop; }
        default_action = missed();
    }
    table longest_of_one {
        key = { hdr.h.b : exact; hdr.h.a : lpm; }
        actions = { found; missed; }
        default_action = missed();
    }
    table masked {
        key = { hdr.h.a : ternary; hdr.h.b : ternary; }
        actions = { found; missed; }
        default_action = missed();
    }
    table ranged {
        key = { hdr.h.b : range; hdr.h.a : ternary; }
        actions = { found; missed; }
        default_action = missed();
    }
    table maybe {
        key = { hdr.h.a : optional; hdr.h.b : optional; }
        actions = { found; missed; }
        default_action = missed();
    }
    table fixed {
        key = { hdr.h.a : ternary; hdr.h.b : range; }
        actions = { found; missed; @defaultonly drop; }
        const default_action = drop();
        const entries = {
            (0x0a000000 &&& 0xff000000, 5 .. 9) : found(1);
            (0x0a010000 &&& 0xffff0000, _) : found(2);
            (_, 100) : found(3);
            (_, 200 .. 300) : missed();
        }
    }
    table no_key {
        actions = { found; missed; }
        default_action = missed();
    }
    apply {
        switch (hdr.h.which) {
            1: { exact_pair.apply(); }
            2: { longest.apply(); }
            3: { longest_of_one.apply(); }
            4: { masked.apply(); }
            5: { ranged.apply(); }
            6: { maybe.apply(); }
            7: { fixed.apply(); }
            8: {
                switch (longest.apply().action_run) {
                    found: { hdr.h.found = hdr.h.found + 0x40; }
                    drop: { std.egress_spec = 4; }
                    default: { hdr.h.found = 0x77; }
                }
            }
            9: {
                if (exact_pair.apply().miss) { std.egress_spec = 5; }
            }
            default: { no_key.apply(); }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
