// Registers of odd widths, counters with both units, and adjacent elements.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> index; bit<72> value; }
struct headers_t { h_t h; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    register<bit<1>>(70) ones;
    register<bit<7>>(5) sevens;
    register<bit<65>>(5) wide;
    register<int<33>>(5) signed;
    counter(4, CounterType.packets) seen;
    counter(4, CounterType.bytes) heavy;
    apply {
        std.egress_spec = 1;
        bit<32> at = (bit<32>)hdr.h.index;
        bit<1> one = 0;
        bit<7> seven = 0;
        bit<65> much = 0;
        int<33> number = 0;
        switch (hdr.h.which) {
            1: { ones.write(at, hdr.h.value[0:0]); }
            2: { ones.read(one, at); hdr.h.value = (bit<72>)one; }
            3: { sevens.write(at, hdr.h.value[6:0]); }
            4: { sevens.read(seven, at); hdr.h.value = (bit<72>)seven; }
            5: { wide.write(at, hdr.h.value[64:0]); }
            6: { wide.read(much, at); hdr.h.value = (bit<72>)much; }
            7: { signed.write(at, (int<33>)hdr.h.value[32:0]); }
            8: { signed.read(number, at); hdr.h.value = (bit<72>)(bit<33>)(number >> 1); }
            9: { seen.count(at); heavy.count(at); }
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
