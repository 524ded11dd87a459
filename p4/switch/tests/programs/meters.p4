// Meters (RFC 2698) and counters, in arrays and with entries.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> index; bit<8> colour; }
struct headers_t { h_t h; }
struct meta_t { bit<8> colour; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}

control In(STANDARD) {
    meter(4, MeterType.packets) by_packets;
    meter(4, MeterType.bytes) by_bytes;
    counter(4, CounterType.packets_and_bytes) seen;
    direct_meter<bit<8>>(MeterType.bytes) of_entry;
    direct_counter(CounterType.packets_and_bytes) hits;

    action coloured() { of_entry.read(meta.colour); hdr.h.colour = meta.colour; }
    action counted() { hits.count(); }
    action nothing() { }
    table metered {
        key = { hdr.h.index : exact; }
        actions = { coloured; nothing; }
        default_action = nothing();
        meters = of_entry;
    }
    table tallied {
        key = { hdr.h.index : exact; }
        actions = { counted; nothing; }
        default_action = nothing();
        counters = hits;
    }
    apply {
        std.egress_spec = 1;
        meta.colour = 9;
        if (hdr.h.which == 1) {
            by_packets.execute_meter((bit<32>)hdr.h.index, meta.colour);
        } else if (hdr.h.which == 2) {
            by_bytes.execute_meter((bit<32>)hdr.h.index, meta.colour);
        } else if (hdr.h.which == 3) {
            seen.count((bit<32>)hdr.h.index);
        } else if (hdr.h.which == 4) {
            metered.apply();
        } else {
            tallied.apply();
        }
        hdr.h.colour = meta.colour;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
