// Action profiles and selectors: entries that share actions, and groups whose members a hash selects.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> index; bit<16> flow; }
struct headers_t { h_t h; }
struct meta_t { bit<1> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}

control In(STANDARD) {
    action_profile(8) shared;
    action_selector(HashAlgorithm.identity, 16, 16) spread;
    action send(bit<9> port) { std.egress_spec = port; }
    action drop() { mark_to_drop(std); }
    table by_profile {
        key = { hdr.h.index : exact; }
        actions = { send; drop; }
        implementation = shared;
    }
    table by_selector {
        key = { hdr.h.index : exact; hdr.h.flow : selector; }
        actions = { send; drop; }
        implementation = spread;
    }
    apply {
        std.egress_spec = 9;
        if (hdr.h.which == 1) {
            if (by_profile.apply().hit) { hdr.h.which = 0x11; }
        } else {
            switch (by_selector.apply().action_run) {
                send: { hdr.h.which = 0x22; }
                default: { hdr.h.which = 0x33; }
            }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
