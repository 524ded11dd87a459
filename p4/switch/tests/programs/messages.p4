// Output of a program: digests, log messages, assertions; random numbers in their range.
#include "../language/frame.p4"

header h_t { bit<8> which; bit<16> value; }
struct headers_t { h_t h; }
struct meta_t { bit<16> drawn; }
struct learned_t { bit<8> which; bit<16> value; bit<9> port; }
struct other_t { bit<16> value; }

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control In(STANDARD) {
    apply {
        std.egress_spec = 1;
        if (hdr.h.which == 1) {
            digest<learned_t>(1, { hdr.h.which, hdr.h.value, std.ingress_port });
        } else if (hdr.h.which == 2) {
            digest<other_t>(1, { hdr.h.value });
            digest<learned_t>(1, { 8w7, 16w8, 9w9 });
            mark_to_drop(std);
        } else if (hdr.h.which == 3) {
            random(meta.drawn, 5, 8);
            if (meta.drawn >= 5 && meta.drawn <= 8) { hdr.h.value = 1; }
        } else if (hdr.h.which == 4) {
            random(hdr.h.value, 16w77, 16w77);
        } else if (hdr.h.which == 5) {
            log_msg("value {} of {}", { hdr.h.value, std.ingress_port });
            assert(hdr.h.value == 6);
        }
    }
}
control Out(STANDARD) { apply { } }
control Write(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
FRAME(Read, In, Out, Write)
