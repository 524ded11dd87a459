// A small switch for trying foreign clients out: MAC forwarding with counters, learning by digest, packets to and from
// the controller, and a register.
#include <core.p4>
#include <v1model.p4>

const bit<9> CPU_PORT = 510;

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<7> pad;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> pad;
}

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    packet_out_t packet_out;
    packet_in_t packet_in;
    ethernet_t ethernet;
}

struct metadata_t {
}

struct learn_t {
    bit<48> src;
    bit<9> port;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        transition select(standard.ingress_port) {
            CPU_PORT: from_controller;
            default: ethernet;
        }
    }
    state from_controller {
        packet.extract(hdr.packet_out);
        transition ethernet;
    }
    state ethernet {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MacIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    direct_counter(CounterType.packets_and_bytes) hits;
    counter(8, CounterType.packets) received;
    register<bit<32>>(16) last_type;

    action drop() {
        mark_to_drop(standard);
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    action punt() {
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = standard.ingress_port;
        standard.egress_spec = CPU_PORT;
    }

    action learn() {
        digest<learn_t>(1, { hdr.ethernet.src, standard.ingress_port });
        mark_to_drop(standard);
    }

    table macs {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
            punt;
            learn;
            drop;
        }
        default_action = learn();
        counters = hits;
        size = 1024;
    }

    table routes {
        key = {
            hdr.ethernet.src: lpm;
        }
        actions = {
            forward;
            drop;
            NoAction;
        }
        default_action = NoAction();
        size = 64;
    }

    table acl {
        key = {
            hdr.ethernet.src: ternary;
            hdr.ethernet.type: range;
        }
        actions = {
            drop;
            NoAction;
        }
        default_action = NoAction();
        size = 64;
    }

    apply {
        if (hdr.packet_out.isValid()) {
            standard.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else {
            received.count((bit<32>) standard.ingress_port);
            last_type.write((bit<32>) standard.ingress_port, (bit<32>) hdr.ethernet.type);
            macs.apply();
            routes.apply();
            acl.apply();
        }
    }
}

control MacEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
    }
}

V1Switch(Parse(), Verify(), MacIngress(), MacEgress(), Compute(), Deparse()) main;
