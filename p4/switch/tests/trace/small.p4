// A router with one table, a register, a counter, a clone and a recirculation, for traces.
#include <core.p4>
#include <v1model.p4>

header h_t { bit<32> dst; bit<8> op; }
struct headers_t { h_t h; }
struct meta_t {
    @field_list(1)
    bit<8> turns;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.op) { 1: cloned; default: accept; }
    }
    state cloned { transition accept; }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control In(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<32>>(4) last;
    counter(4, CounterType.packets) seen;
    action forward(bit<9> port) { std.egress_spec = port; }
    action drop() { mark_to_drop(std); }
    table routes {
        key = { hdr.h.dst : lpm; }
        actions = { forward; drop; }
        const default_action = drop();
    }
    apply {
        routes.apply();
        seen.count(1);
        last.write(2, hdr.h.dst);
        if (hdr.h.op == 1) { clone(CloneType.I2E, 5); }
        if (hdr.h.op == 3) { meta.turns = meta.turns + 1; }
    }
}
control Out(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.h.op == 2) { truncate(4); }
        if (hdr.h.op == 3 && meta.turns < 2) { recirculate_preserving_field_list(1); }
    }
}
control Compute(inout headers_t hdr, inout meta_t meta) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
