// Stacks of header unions: extraction, assignment, push, pop, validity, access by index.
#include "frame.p4"

header kind_t { bit<8> kind; bit<8> index; }
header byte_t { bit<8> value; }
header word_t { bit<16> value; }
header_union item_t { byte_t byte; word_t word; }
struct headers_t { kind_t kind; item_t[3] items; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.kind);
        transition select(hdr.kind.kind) {
            1: bytes;
            2: words;
            default: accept;
        }
    }
    state bytes {
        packet.extract(hdr.items.next.byte);
        transition select(hdr.items.last.byte.value) {
            0: words;
            default: accept;
        }
    }
    state words {
        packet.extract(hdr.items.next.word);
        transition accept;
    }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        if (hdr.items[0].isValid() && !hdr.items[1].isValid()) {
            hdr.items.push_front(1);
            hdr.items[0].byte = { 0x77 };
        } else if (hdr.items[1].word.isValid()) {
            hdr.items.pop_front(1);
            hdr.items[2].byte = hdr.items[1].byte;
            hdr.items[hdr.kind.index].word.setValid();
            hdr.items[hdr.kind.index].word.value = 0xabcd;
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
