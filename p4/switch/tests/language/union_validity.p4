// Validity of the members of a union: an operation that makes one member invalid makes the whole union invalid.
#include "frame.p4"

header kind_t { bit<8> kind; bit<8> found; }
header byte_t { bit<8> value; }
header word_t { bit<16> value; }
header_union item_t { byte_t byte; word_t word; byte_t other; }
struct headers_t { kind_t kind; item_t item; item_t[2] items; }
struct meta_t { bit<8> unused; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.kind);
        packet.extract(hdr.item.word);
        packet.extract(hdr.items.next.word);
        packet.extract(hdr.items.next.byte);
        transition accept;
    }
}
void check(in byte_t h, out bit<8> found) { found = h.isValid() ? 8w1 : 0; }
void keep(inout byte_t h) { }
void drop(out byte_t h) { h.setInvalid(); }
void fill(out byte_t h) { h = { 0x33 }; }
control In(STANDARD) {
    action clear(inout byte_t h) { h.setInvalid(); }
    apply {
        std.egress_spec = 1;
        byte_t none = {#};
        item_t copy = {#};
        bit<8> index = hdr.kind.found;
        switch (hdr.kind.kind) {
            0x01: { hdr.item.byte.setInvalid(); }
            0x02: { hdr.item.byte = none; }
            0x03: { hdr.item.byte = {#}; }
            0x04: { hdr.item.byte = hdr.item.other; }
            0x05: { hdr.item.byte = index == 0 ? none : hdr.items[1].byte; }
            0x06: { keep(hdr.item.byte); }
            0x07: { drop(hdr.item.byte); }
            0x08: { fill(hdr.item.byte); }
            0x09: { clear(hdr.item.byte); }
            0x0a: { check(hdr.item.byte, hdr.kind.found); }
            0x0b: { hdr.item = copy; }
            0x0c: { copy = hdr.item; hdr.item = {#}; hdr.item = copy; }
            0x0d: { hdr.item.word.setInvalid(); }
            0x0e: { hdr.item.byte.setValid(); hdr.item.byte.value = 0x44; }
            0x0f: { hdr.item.byte = { 0x11 }; hdr.item.other = hdr.item.byte; }
            0x10: { hdr.item.byte = { 0x11 }; hdr.item.byte = hdr.item.other; }
            0x11: { hdr.items[index].byte.setInvalid(); }
            0x12: { hdr.items[index].other = none; }
            0x13: { hdr.items[index] = hdr.item; }
            0x14: { hdr.items[hdr.items[1].byte.value].other = { 0x01 }; }
            0x15: { hdr.items[hdr.items[1].byte.value].byte = none; }
        }
        if (hdr.kind.kind != 0x0a) {
            hdr.kind.found = hdr.item.isValid() ? 8w1 : 0;
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
