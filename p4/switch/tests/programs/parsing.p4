// Parsers: value sets, lookahead, varbit, stacks, unions, verify, select on several keys, masks and ranges.
#include "../language/frame.p4"

header op_t { bit<8> op; bit<8> error_code; bit<8> count; }
header short_t { bit<8> tag; bit<8> a; }
header long_t { bit<8> tag; bit<24> b; }
header_union either_t { short_t s; long_t l; }
header label_t { bit<7> label; bit<1> last; }
header options_t { bit<8> size; varbit<64> data; }
header pair_t { bit<4> x; bit<12> y; }
struct headers_t { op_t op; label_t[3] labels; either_t either; options_t options; pair_t pair; }
struct meta_t { bit<8> peeked; bit<32> length; }

error { Negative }

parser Labels(packet_in packet, out label_t[3] labels) {
    state start {
        packet.extract(labels.next);
        transition select(labels.last.last) {
            1: accept;
            default: start;
        }
    }
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<8>>(4) peeking;
    Labels() sub;
    state start {
        meta.length = packet.length();
        packet.extract(hdr.op);
        transition select(hdr.op.op) {
            1: labels;
            2: either;
            3: options;
            4: pair;
            5: skip;
            peeking: peek;
            0x40 &&& 0xf0: checked;
            default: accept;
        }
    }
    state labels { sub.apply(packet, hdr.labels); transition accept; }
    state either {
        transition select(packet.lookahead<bit<8>>()) {
            0 .. 9: short_one;
            default: long_one;
        }
    }
    state short_one { packet.extract(hdr.either.s); transition accept; }
    state long_one { packet.extract(hdr.either.l); transition accept; }
    state options {
        packet.extract(hdr.options, (bit<32>)packet.lookahead<bit<8>>() * 8);
        transition accept;
    }
    state pair {
        packet.extract(hdr.pair);
        transition select(hdr.pair.x, hdr.pair.y) {
            (1, 5): mark_one;
            (2 &&& 2, 0x100 .. 0x1ff): mark_two;
            (_, 7): reject;
        }
    }
    state mark_one { meta.peeked = 1; transition accept; }
    state mark_two { meta.peeked = 2; transition accept; }
    state skip { packet.advance(16); packet.extract(hdr.pair); transition accept; }
    state peek { meta.peeked = packet.lookahead<short_t>().a; transition accept; }
    state checked { verify(hdr.op.count > 3, error.Negative); transition accept; }
}

control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        if (std.parser_error == error.NoError) { hdr.op.error_code = 0; }
        else if (std.parser_error == error.PacketTooShort) { hdr.op.error_code = 1; }
        else if (std.parser_error == error.NoMatch) { hdr.op.error_code = 2; }
        else if (std.parser_error == error.StackOutOfBounds) { hdr.op.error_code = 3; }
        else if (std.parser_error == error.HeaderTooShort) { hdr.op.error_code = 4; }
        else if (std.parser_error == error.Negative) { hdr.op.error_code = 5; }
        else { hdr.op.error_code = 9; }
        if (hdr.labels[0].isValid()) { hdr.op.count = hdr.op.count + 1; }
        if (hdr.labels[2].isValid()) {
            hdr.op.count = hdr.op.count + 0x10;
            hdr.labels.pop_front(1);
        } else if (hdr.labels[1].isValid()) {
            hdr.labels.push_front(1);
            hdr.labels[0].setValid();
            hdr.labels[0].label = 0x7f;
        }
        if (hdr.either.s.isValid()) { hdr.op.count = 0x51; }
        if (hdr.either.l.isValid()) { hdr.op.count = 0x52; hdr.either.s.setValid(); hdr.either.s.a = 0xab; }
        if (meta.peeked != 0) { hdr.op.count = meta.peeked; }
        if (hdr.op.op == 0x50) { hdr.op.count = (bit<8>)meta.length; }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
