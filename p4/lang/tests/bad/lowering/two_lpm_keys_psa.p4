#include <psa.p4>
struct headers_t { }
struct meta_t { bit<8> x; bit<8> y; }
struct empty_t { }
parser InParser(packet_in p, out headers_t h, inout meta_t m, in psa_ingress_parser_input_metadata_t i, in empty_t r,
    in empty_t c)
{
    state start { transition accept; }
}
control In(inout headers_t h, inout meta_t m, in psa_ingress_input_metadata_t i, inout psa_ingress_output_metadata_t o) {
    table routes {
        key = {
            m.x: lpm;
            m.y: lpm; //~ E0607
        }
        actions = { NoAction; }
    }
    apply { routes.apply(); }
}
control InDeparser(packet_out p, out empty_t a, out empty_t b, out empty_t c, inout headers_t h, in meta_t m,
    in psa_ingress_output_metadata_t o)
{
    apply { }
}
parser OutParser(packet_in p, out headers_t h, inout meta_t m, in psa_egress_parser_input_metadata_t i, in empty_t a,
    in empty_t b, in empty_t c)
{
    state start { transition accept; }
}
control Out(inout headers_t h, inout meta_t m, in psa_egress_input_metadata_t i, inout psa_egress_output_metadata_t o) {
    apply { }
}
control OutDeparser(packet_out p, out empty_t a, out empty_t b, inout headers_t h, in meta_t m,
    in psa_egress_output_metadata_t o, in psa_egress_deparser_input_metadata_t d)
{
    apply { }
}
IngressPipeline(InParser(), In(), InDeparser()) ip;
EgressPipeline(OutParser(), Out(), OutDeparser()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
