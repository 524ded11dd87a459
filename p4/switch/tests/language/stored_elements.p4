// Elements of read-only stacks and structs with an index from the packet, and loops whose variable is a header that
// the body changes: the elements do not change.
#include "frame.p4"

header item_t { bit<8> value; }
header h_t { bit<8> wanted; bit<8> count; bit<8> place; bit<8> sum; }
header_union u_t { item_t item; h_t other; }
struct pair_t { bit<8> first; bit<16> second; }
struct headers_t { h_t h; item_t[3] items; u_t[2] unions; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.items.next);
        packet.extract(hdr.items.next);
        packet.extract(hdr.unions.next.item);
        transition accept;
    }
}

bit<8> find(in item_t[3] items, in bit<8> wanted) {
    for (bit<8> i = 0; i < 3; i += 1) {
        if (items[i].isValid() && items[i].value == wanted) { return i; }
    }
    return 0xff;
}
bit<8> second(in u_t[2] unions, in bit<8> index) {
    return unions[index].item.isValid() ? unions[index].item.value : 0xee;
}
pair_t pair(in bit<8> index, in bit<8> a) {
    return ((pair_t[2]) { { a, 2 }, { 0x33, 4 } })[index];
}

control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        hdr.h.place = find(hdr.items, hdr.h.wanted);
        for (item_t item in hdr.items) {
            hdr.items[1].value += 1;
            item.value += 1;
            if (item.isValid()) { hdr.h.sum += item.value; }
        }
        for (bit<8> step in (list<bit<8>>) { 1, 2 }) {
            step <<= 4;
            hdr.h.sum += step;
        }
        hdr.h.wanted = second(hdr.unions, hdr.h.count);
        hdr.h.count = pair(hdr.h.count, 0x22).first;
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
