// The colour of a meter in targets that are narrower or wider than 64 bits, or signed.
#include "frame.p4"

header h_t { bit<1> cut; bit<2> exact_; bit<5> rest; bit<72> wide; int<8> number; bit<200> wider; bit<1> direct; bit<7> end; }
struct headers_t { h_t h; }
struct meta_t { bit<1> direct; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    meter(4, MeterType.packets) rates;
    direct_meter<bit<1>>(MeterType.packets) by_entry;
    action count() { by_entry.read(meta.direct); }
    table metered {
        key = { hdr.h.end : exact; }
        actions = { count; NoAction; }
        const default_action = NoAction();
        meters = by_entry;
    }
    apply {
        std.egress_spec = 1;
        rates.execute_meter(32w1, hdr.h.cut);
        rates.execute_meter(32w1, hdr.h.exact_);
        rates.execute_meter(32w1, hdr.h.wide);
        rates.execute_meter(32w1, hdr.h.number);
        rates.execute_meter(32w1, hdr.h.wider);
        metered.apply();
        hdr.h.direct = meta.direct;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
