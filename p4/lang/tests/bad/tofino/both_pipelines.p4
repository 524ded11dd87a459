#include <tna.p4>
struct headers_t { }
struct meta_t { bit<8> index; bit<32> found; }
parser IngressP(packet_in p, out headers_t h, out meta_t m, out ingress_intrinsic_metadata_t i) {
    state start { p.extract(i); m.index = 0; m.found = 0; transition accept; }
}
parser EgressP(packet_in p, out headers_t h, out meta_t m, out egress_intrinsic_metadata_t e) {
    state start { p.extract(e); m.index = 0; m.found = 0; transition accept; }
}
Register<bit<32>, bit<8>>(256) shared;
control Ingress(inout headers_t h, inout meta_t m, in ingress_intrinsic_metadata_t i,
    in ingress_intrinsic_metadata_from_parser_t p, inout ingress_intrinsic_metadata_for_deparser_t d,
    inout ingress_intrinsic_metadata_for_tm_t t)
{
    RegisterAction<bit<32>, bit<8>, bit<32>>(shared) add = {
        void apply(inout bit<32> value, out bit<32> result) { value = value + 1; result = value; }
    };
    apply { m.found = add.execute(m.index); }
}
control Egress(inout headers_t h, inout meta_t m, in egress_intrinsic_metadata_t e,
    in egress_intrinsic_metadata_from_parser_t p, inout egress_intrinsic_metadata_for_deparser_t d,
    inout egress_intrinsic_metadata_for_output_port_t o)
{
    RegisterAction<bit<32>, bit<8>, bit<32>>(shared) add = {
        void apply(inout bit<32> value, out bit<32> result) { value = value + 1; result = value; }
    };
    apply { m.found = add.execute(m.index); } //~ E0606
}
control IngressD(packet_out p, inout headers_t h, in meta_t m, in ingress_intrinsic_metadata_for_deparser_t d) { apply { } }
control EgressD(packet_out p, inout headers_t h, in meta_t m, in egress_intrinsic_metadata_for_deparser_t d) { apply { } }
Pipeline(IngressP(), Ingress(), IngressD(), EgressP(), Egress(), EgressD()) pipe;
Switch(pipe) main;
