// Registers of narrow, wide and signed numbers and booleans; ingress and egress share one.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<8> index; bit<32> value; }
header wide_t { bit<128> value; }
struct headers_t { h_t h; wide_t wide; }
struct meta_t { bit<1> unused; }

register<bit<32>>(4) shared;

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.which) { 2: wide; default: accept; }
    }
    state wide { packet.extract(hdr.wide); transition accept; }
}
control In(STANDARD) {
    register<bit<128>>(4) wide;
    register<int<16>>(4) signed;
    register<bool>(4) flags;
    apply {
        std.egress_spec = 1;
        bit<32> at = (bit<32>)hdr.h.index;
        if (hdr.h.which == 1) {
            bit<32> old;
            shared.read(old, at);
            shared.write(at, old + hdr.h.value);
        } else if (hdr.h.which == 2) {
            bit<128> old;
            wide.read(old, at);
            wide.write(at, hdr.wide.value);
            hdr.wide.value = old;
        } else if (hdr.h.which == 3) {
            int<16> old;
            bool negative;
            signed.read(old, at);
            old = old + (int<16>)(bit<16>)hdr.h.value;
            signed.write(at, old);
            flags.read(negative, at);
            flags.write(at, old < 0);
            hdr.h.value = negative ? 32w1 : 0;
        }
    }
}
control Out(STANDARD) {
    apply {
        if (hdr.h.which == 1) {
            shared.read(hdr.h.value, (bit<32>)hdr.h.index);
        }
    }
}
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
