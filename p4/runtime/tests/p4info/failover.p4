/* Egress choices that depend on port state, and meters. The first byte of a packet selects the action:
   1 to 15: a member of a selector; 16 and more: multicast; 0x80 and more: it is cloned to session 5 as well. */
#include <core.p4>
#include <v1model.p4>

header tag_t {
    bit<1> cloned;
    bit<3> group;
    bit<4> flow;
}

struct headers_t {
    tag_t tag;
}

struct meta_t {
    bit<2> colour;
}

parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    state start {
        p.extract(hdr.tag);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t m) {
    apply { }
}

control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    action_selector(HashAlgorithm.crc16, 16, 14) ways;
    direct_meter<bit<2>>(MeterType.packets) flow_meter;
    meter(4, MeterType.bytes) port_meter;

    action forward(bit<9> port) {
        s.egress_spec = port;
        s.priority = 5;
    }
    action marked() {
        flow_meter.read(m.colour);
    }

    table select_way {
        key = {
            hdr.tag.group : exact;
            hdr.tag.flow : selector;
        }
        actions = {
            forward;
            NoAction;
        }
        implementation = ways;
        size = 16;
    }
    table flows {
        key = {
            hdr.tag.flow : ternary;
        }
        actions = {
            marked;
            NoAction;
        }
        default_action = NoAction();
        meters = flow_meter;
        size = 32;
    }

    apply {
        flows.apply();
        port_meter.execute_meter((bit<32>) s.ingress_port & 3, m.colour);
        if (hdr.tag.group == 0) {
            select_way.apply();
        } else {
            s.mcast_grp = (bit<16>) hdr.tag.group;
        }
        if (hdr.tag.cloned == 1) {
            clone(CloneType.I2E, 5);
        }
    }
}

control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    apply {
        hdr.tag.group = s.priority;
    }
}

control C(inout headers_t hdr, inout meta_t m) {
    apply { }
}

control D(packet_out p, in headers_t hdr) {
    apply {
        p.emit(hdr.tag);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
