// A telemetry program for a lossless fabric.
#include <core.p4>
#include <v1model.p4>
#include "telemetry_headers.p4"

#define SLOTS 64
#define LAYOUT @fields("epoch:32,packets:32,paused:32,depth:32")

LAYOUT register<bit<128>>(SLOTS) flow_slots;
@fields("paused:1,until_ns:48") register<bit<49>>(512) pause_status;

struct notice_t { bit<16> switch_id; bit<32> epoch; bit<9> port; }

parser TelemetryParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                       inout standard_metadata_t standard_metadata) {
    value_set<bit<16>>(4) roce_ports;
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x8808 &&& 0xffff: mac_control;
            0x0800: ipv4;
            0x8100 .. 0x8103: vlan;
            default: accept;
        }
    }
    state mac_control {
        transition select(packet.lookahead<bit<16>>()) { 0x0101: pfc; default: accept; }
    }
    state pfc { packet.extract(hdr.pfc); transition accept; }
    state vlan {
        packet.extract(hdr.vlan.next);
        transition select(hdr.vlan.last.ether_type) { 0x8100: vlan; 0x0800: ipv4; _: accept; }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4, error.BadVersion);
        transition select(hdr.ipv4.protocol, hdr.ipv4.ihl) { (17, 5): udp; (_, _): accept; }
    }
    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.dst_port) { roce_ports: roce; default: accept; }
    }
    state roce { meta.is_roce = true; transition accept; }
}

control TelemetryVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }

bit<32> saturating_count(in bit<32> old, in bit<32> more) { return old |+| more; }

control Slots(in metadata_t meta, in bit<9> port, out bit<32> packets)(bit<32> increment) {
    bit<128> row;
    apply {
        bit<32> index = (bit<32>)meta.flow_hash[5:0];
        flow_slots.read(row, index);
        if (row[127:96] != meta.epoch) { row = meta.epoch ++ 96w0; }
        packets = saturating_count(row[95:64], increment);
        row[95:64] = packets;
        flow_slots.write(index, row);
    }
}

control TelemetryIngress(inout headers_t hdr, inout metadata_t meta,
                         inout standard_metadata_t standard_metadata) {
    Slots(1) slots;
    direct_counter(CounterType.packets_and_bytes) route_counter;
    action drop() { mark_to_drop(standard_metadata); }
    action forward(bit<9> port, bit<48> mac) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.dst = mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }
    action ecmp(bit<16> members) {
        hash(meta.flow_hash, HashAlgorithm.crc32, 32w0,
             { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, hdr.udp.src_port, hdr.udp.dst_port }, members);
    }
    table routes {
        key = { hdr.ipv4.dst : lpm; }
        actions = { forward; ecmp; drop; }
        default_action = drop();
        counters = route_counter;
        size = 4096;
    }
    action set_class(bit<3> class) { standard_metadata.priority = class; }
    table classes {
        key = { hdr.ipv4.dscp : ternary @name("dscp"); standard_metadata.ingress_port : exact; }
        actions = { @tableonly set_class; NoAction; }
        const default_action = NoAction;
        entries = {
            priority = 9 : (46 &&& 0x3f, 1) : set_class(7);
            priority = 3 : (_, 2) : set_class(0);
        }
    }
    apply {
        classes.apply();
        meta.epoch = (bit<32>)(standard_metadata.ingress_global_timestamp >> 20);
        if (hdr.pfc.isValid()) {
            pause_status.write((bit<32>)standard_metadata.ingress_port, 1w1 ++ standard_metadata.ingress_global_timestamp);
            drop();
            exit;
        }
        switch (routes.apply().action_run) {
            ecmp: { standard_metadata.egress_spec = (bit<9>)(meta.flow_hash & 3); }
            drop: { return; }
            default: { }
        }
        bit<32> count;
        slots.apply(meta, standard_metadata.egress_spec, count);
        if (count == 1 && meta.is_roce) {
            digest<notice_t>(1, { 1, meta.epoch, standard_metadata.egress_spec });
            clone_preserving_field_list(CloneType.I2E, 510, 1);
        }
    }
}

control TelemetryEgress(inout headers_t hdr, inout metadata_t meta,
                        inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.egress_rid != 0) { standard_metadata.mcast_grp = 0; }
        for (bit<8> i in 0 .. 7) { meta.depths = meta.depths + (bit<32>)standard_metadata.deq_qdepth; }
    }
}

control TelemetryCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_len, hdr.ipv4.id,
              hdr.ipv4.flags, hdr.ipv4.frag, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control TelemetryDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(TelemetryParser(), TelemetryVerify(), TelemetryIngress(), TelemetryEgress(), TelemetryCompute(),
         TelemetryDeparser()) main;
