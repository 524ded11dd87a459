// `switch` on numbers, enums with and without values and a table's `hit`, and in loops.
#include "../language/frame.p4"

enum Kind { Small, Medium, Large }
enum bit<8> Code { One = 1, Two = 2, Same = 2, High = 0xf0 }
header h_t { bit<8> which; bit<8> value; bit<16> result; }
struct headers_t { h_t h; }
struct meta_t { Kind kind; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    action set(bit<16> what) { hdr.h.result = what; }
    action other() { hdr.h.result = 0xee; }
    table t {
        key = { hdr.h.value : exact; }
        actions = { set; other; NoAction; }
        const entries = { 1 : set(0x11); 2 : other(); }
        const default_action = NoAction();
    }
    apply {
        std.egress_spec = 1;
        if (hdr.h.value < 10) { meta.kind = Kind.Small; }
        else if (hdr.h.value < 100) { meta.kind = Kind.Medium; }
        else { meta.kind = Kind.Large; }
        switch (hdr.h.which) {
            1: {
                switch (meta.kind) {
                    Kind.Small: { hdr.h.result = 1; }
                    Kind.Large: { hdr.h.result = 3; }
                    default: { hdr.h.result = 2; }
                }
            }
            2: {
                Code code = (Code)hdr.h.value;
                switch (code) {
                    Code.One: { hdr.h.result = 0x101; }
                    Code.High: { hdr.h.result = 0x1f0; }
                    default: { hdr.h.result = (bit<16>)(bit<8>)code; }
                }
            }
            3: {
                switch (t.apply().action_run) {
                    set: { hdr.h.result = hdr.h.result + 0x100; }
                    other: { }
                    default: { hdr.h.result = 0x99; }
                }
            }
            4: {
                // `break` leaves the loop and the switch inside it.
                for (bit<8> i = 0; i < 20; i = i + 1) {
                    switch (i) {
                        3: { continue; }
                        8: { break; }
                        default: { }
                    }
                    hdr.h.result = hdr.h.result + (bit<16>)i;
                }
            }
            5:
            6:
            7: {
                // No case matches, so nothing is executed.
                switch (hdr.h.value) {
                    1: { hdr.h.result = 1; }
                    2: { hdr.h.result = 2; }
                }
            }
            default: { hdr.h.result = 0xdd; }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
