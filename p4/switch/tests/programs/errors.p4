// Effects of parser errors: the state, the extracted headers and the name of the error, also in sub-parsers.
#include "../language/frame.p4"

header op_t { bit<8> which; bit<8> code; bit<8> valid; }
header byte_t { bit<8> value; }
header long_t { bit<32> value; }
header var_t { varbit<24> data; }
struct headers_t { op_t op; byte_t one; long_t two; byte_t[2] stack; var_t var; byte_t last; }
struct meta_t { bit<8> unused; }
error { Mine, Other }

parser Strict(packet_in packet, out byte_t one, out long_t two) {
    state start {
        packet.extract(one);
        verify(one.value != 0, error.Mine);
        packet.extract(two);
        verify(one.value != 1, error.Other);
        transition select(one.value) { 2: reject; default: accept; }
    }
}
parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Strict() strict;
    state start {
        packet.extract(hdr.op);
        transition select(hdr.op.which) {
            1: sub;
            2: fill;
            3: vary;
            4: nowhere;
            5: far;
            6: peek;
            default: accept;
        }
    }
    state sub { strict.apply(packet, hdr.one, hdr.two); packet.extract(hdr.last); transition accept; }
    state fill { packet.extract(hdr.stack.next); transition fill; }
    state vary { packet.extract(hdr.var, (bit<32>)hdr.op.code); packet.extract(hdr.last); transition accept; }
    state nowhere { transition select(hdr.op.code) { 1: accept; } }
    state far { packet.advance(((bit<32>)hdr.op.code) << 3); packet.extract(hdr.last); transition accept; }
    state peek {
        hdr.op.code = packet.lookahead<bit<16>>()[7:0];
        packet.extract(hdr.last);
        transition accept;
    }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        hdr.op.valid = 0;
        if (hdr.one.isValid()) { hdr.op.valid = hdr.op.valid + 1; }
        if (hdr.two.isValid()) { hdr.op.valid = hdr.op.valid + 2; }
        if (hdr.stack[1].isValid()) { hdr.op.valid = hdr.op.valid + 4; }
        if (hdr.var.isValid()) { hdr.op.valid = hdr.op.valid + 8; }
        if (hdr.last.isValid()) { hdr.op.valid = hdr.op.valid + 0x10; }
        if (std.parser_error == error.NoError) { }
        else if (std.parser_error == error.Mine) { hdr.op.code = 0xa1; }
        else if (std.parser_error == error.Other) { hdr.op.code = 0xa2; }
        else if (std.parser_error == error.PacketTooShort) { hdr.op.code = 0xa3; }
        else if (std.parser_error == error.StackOutOfBounds) { hdr.op.code = 0xa4; }
        else if (std.parser_error == error.HeaderTooShort) { hdr.op.code = 0xa5; }
        else if (std.parser_error == error.NoMatch) { hdr.op.code = 0xa6; }
        else { hdr.op.code = 0xaf; }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
