// Direct counters of hits, of misses and of several tables, and the results `hit` and `miss`. Bytes are those of the
// received packet.
#include "../language/frame.p4"

header h_t { bit<8> key; bit<8> result; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    direct_counter(CounterType.packets_and_bytes) first_hits;
    direct_counter(CounterType.packets) second_hits;
    action add(bit<8> what) { first_hits.count(); hdr.h.result = hdr.h.result + what; }
    action none() { first_hits.count(); }
    action twice() { second_hits.count(); hdr.h.result = hdr.h.result * 2; }
    action keep() { second_hits.count(); }
    table first {
        key = { hdr.h.key : exact; }
        actions = { add; none; }
        default_action = none();
        counters = first_hits;
    }
    table second {
        key = { hdr.h.key : ternary; }
        actions = { twice; keep; }
        default_action = keep();
        counters = second_hits;
    }
    apply {
        std.egress_spec = 1;
        bool known = first.apply().hit;
        if (!known) { hdr.h.result = 0x80; }
        if (second.apply().miss) { hdr.h.result = hdr.h.result | 1; }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
