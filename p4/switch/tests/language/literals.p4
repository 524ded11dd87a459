// Literals: defaults, `...`, `{#}`, lists by position and by name, tuples, concatenated strings.
#include "frame.p4"

header h_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
header tail_t { bit<16> value; }
struct headers_t { h_t h; tail_t tail; tail_t other; }
struct meta_t { bit<8> unused; }
struct inner_t { bit<8> x; bool y; int<8> z; }
struct outer_t { inner_t one; inner_t two; bit<8> last; }

const tuple<bit<8>, bit<16>> NUMBERS = { 0x5a, 0x1234 };

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.other);
        transition accept;
    }
}

bit<8> with_default(in bit<8> a, in bit<8> b = 0x10, in bit<8> c = 1) { return a + b + c; }

control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        log_msg("one " ++ "message, {}", { hdr.h.a });
        inner_t first = { x = hdr.h.a, ... };
        inner_t second = { hdr.h.b, true, ... };
        outer_t all = { one = first, two = { x = 9, y = true, z = -1 }, ... };
        all.two = hdr.h.a == 0 ? first : second;
        hdr.h.a = with_default(hdr.h.a);
        hdr.h.b = with_default(c = 2, a = hdr.h.b);
        hdr.h.c = all.two.x + all.last;
        hdr.h.d = (bit<8>)all.two.z + (bit<8>)(bit<1>)all.two.y;
        tuple<bit<8>, bit<16>> numbers = NUMBERS;
        numbers[0] = numbers[0] + 1;
        hdr.tail = { numbers[1] + (bit<16>)numbers[0] };
        hdr.other = {#};
        if (hdr.h == (h_t) { 2, 3, 4, 5 }) {
            hdr.h = { a = 0xff, ... };
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
FRAME(Read, In, Out, Write)
