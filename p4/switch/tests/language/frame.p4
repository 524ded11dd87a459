// Shared declarations of the test programs: the architecture, empty controls, and the package (`FRAME`).
#include <core.p4>
#include <v1model.p4>

#define NOTHING(NAME) control NAME(inout headers_t hdr, inout meta_t meta) { apply { } }
#define FRAME(PARSER, INGRESS, EGRESS, DEPARSER) \
    NOTHING(Verify) NOTHING(Compute) \
    V1Switch(PARSER(), Verify(), INGRESS(), EGRESS(), Compute(), DEPARSER()) main;

#define STANDARD inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std
