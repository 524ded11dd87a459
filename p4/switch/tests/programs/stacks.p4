// Header stacks: push and pop of several elements and of more than the stack holds, variable indexes, assignment and
// comparison of whole stacks, and their sizes.
#include "../language/frame.p4"

header op_t { bit<8> which; bit<8> index; bit<8> seen; }
header item_t { bit<7> value; bit<1> more; }
struct headers_t { op_t op; item_t[4] items; item_t[4] others; }
struct meta_t { bit<32> last; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.op); transition item; }
    state item {
        packet.extract(hdr.items.next);
        meta.last = hdr.items.lastIndex;
        transition select(hdr.items.last.more) { 1: item; default: accept; }
    }
}
control In(STANDARD) {
    action mark() {
        bit<8> seen = 0;
        if (hdr.items[0].isValid()) { seen = seen | 1; }
        if (hdr.items[1].isValid()) { seen = seen | 2; }
        if (hdr.items[2].isValid()) { seen = seen | 4; }
        if (hdr.items[3].isValid()) { seen = seen | 8; }
        hdr.op.seen = seen;
    }
    apply {
        std.egress_spec = 1;
        switch (hdr.op.which) {
            1: { hdr.items.push_front(2); }
            2: { hdr.items.pop_front(2); }
            3: { hdr.items.push_front(1); hdr.items[0].setValid(); hdr.items[0].value = 0x2a; hdr.items[0].more = 1; }
            4: { hdr.items.push_front(9); }
            5: { hdr.items.pop_front(4); }
            6: { hdr.items[hdr.op.index].value = 0x55; }
            7: { hdr.items[0] = hdr.items[hdr.op.index]; }
            8: { hdr.others = hdr.items; hdr.items.pop_front(1); }
            9: {
                hdr.others = hdr.items;
                if (hdr.others == hdr.items) { hdr.op.index = 1; }
                hdr.others[0].setInvalid();
                if (hdr.others != hdr.items) { hdr.op.index = hdr.op.index + 2; }
                hdr.others.pop_front(4);
            }
            10: { hdr.op.index = (bit<8>)meta.last + (bit<8>)hdr.items.size; }
            11: { hdr.items.pop_front(1); hdr.items.push_front(1); }
        }
        mark();
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
