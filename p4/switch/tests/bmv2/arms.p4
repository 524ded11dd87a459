// The program of `arms.json`: both must treat all packets alike.
#include <v1model.p4>

header eth_t { bit<8> kind; bit<8> flags; bit<16> value; }
header opt_t { bit<8> more; bit<8> data; }
header ip_t { bit<4> version; bit<4> length; bit<8> ttl; bit<16> sum; bit<32> dst; int<8> delta; }
header tail_t { bit<8> bits; varbit<32> rest; }

struct H { eth_t eth; opt_t[3] opts; ip_t ip; tail_t tail; }
struct M { bit<16> ahead; bit<16> old; bit<8> choice; bit<1> flag; @field_list(1) bit<8> kept; }

error { BadOption }

parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start {
        p.extract(h.eth);
        transition select(h.eth.kind, h.eth.flags) {
            (1, _): options;
            (2, 0x80 &&& 0x80): ip;
            (3, _): peek;
            (4, _): tail;
            default: accept;
        }
    }
    state options {
        p.extract(h.opts.next);
        verify(h.opts.last.data != 0xff, error.BadOption);
        transition select(h.opts.last.more) { 1: options; 2: ip; default: accept; }
    }
    state peek {
        m.ahead = p.lookahead<bit<16>>();
        p.advance(8);
        transition select(p.lookahead<bit<8>>()) { 0x40 &&& 0xf0: ip; default: accept; }
    }
    state ip { p.extract(h.ip); transition accept; }
    state tail {
        p.extract(h.tail, (bit<32>)((h.eth.value & 3) << 3));
        transition accept;
    }
}

control V(inout H h, inout M m) {
    apply {
        verify_checksum(h.ip.isValid(), { h.ip.version, h.ip.length, h.ip.ttl, h.ip.dst }, h.ip.sum,
            HashAlgorithm.csum16);
    }
}

control I(inout H h, inout M m, inout standard_metadata_t s) {
    register<bit<16>>(8) seen;
    counter(8, CounterType.packets_and_bytes) hits;
    action drop() { mark_to_drop(s); }
    action route(bit<9> port, bit<8> step) {
        s.egress_spec = port;
        h.ip.ttl = h.ip.ttl - step;
        if (h.ip.ttl == 0) { mark_to_drop(s); exit; }
        h.ip.delta = h.ip.delta |+| -5;
    }
    action mark(bit<8> choice) { m.choice = choice; m.flag = 1; }
    action many() { s.mcast_grp = 1; m.kept = h.eth.flags; }
    table routes {
        key = { h.ip.dst: lpm; }
        actions = { route; drop; NoAction; }
        default_action = drop();
    }
    table acl {
        key = { h.eth.flags: ternary; h.eth.value: range; h.opts[0].isValid(): exact; }
        actions = { mark; many; NoAction; }
        default_action = NoAction();
        const entries = {
            (0x10 &&& 0xf0, 0 .. 0x7fff, false): mark(1);
            (0x10 &&& 0xf0, 0 .. 0x7fff, true): mark(1);
            (_, 0x100 .. 0x1ff, true): many();
            (_, 0x8000 .. 0xffff, false): mark(3);
        }
    }
    apply {
        s.egress_spec = 1;
        if (s.parser_error != error.NoError) {
            h.eth.flags = 0xee;
            if (h.eth.value == 0xffff) { return; }
        } else if (h.ip.isValid()) {
            switch (routes.apply().action_run) {
                route: { m.choice = 7; }
                NoAction: { m.choice = 8; }
                default: { h.eth.flags = 0xdd; }
            }
            if (s.checksum_error == 1) { h.eth.kind = 0xcc; }
        } else if (acl.apply().hit) {
            h.eth.value = h.eth.value |-| 0x40;
        }
        seen.read(m.old, (bit<32>)h.eth.flags & 7);
        seen.write((bit<32>)h.eth.flags & 7, m.old + h.eth.value);
        hits.count((bit<32>)m.choice & 7);
        h.eth.value = h.eth.value ^ (m.old << 3) ^ m.ahead;
        if (h.opts[0].isValid() && h.opts[1].isValid()) {
            h.opts.pop_front(1);
            h.opts[h.eth.value & 1].data = (bit<8>)(h.eth.value >> 4);
        }
        if (m.flag == 1) {
            hash(m.ahead, HashAlgorithm.crc16, (bit<16>)5, { h.eth.kind, h.eth.value }, (bit<32>)100);
            h.eth.kind = (bit<8>)m.ahead;
        }
        if (h.tail.isValid() && h.tail.bits > 0x40) {
            clone_preserving_field_list(CloneType.I2E, 5, 1);
        }
    }
}

control E(inout H h, inout M m, inout standard_metadata_t s) {
    apply {
        if (s.egress_rid != 0) { h.eth.flags = (bit<8>)s.egress_rid + m.kept; }
        if (s.instance_type == 1) { truncate(3); }
    }
}

control C(inout H h, inout M m) {
    apply {
        update_checksum(h.ip.isValid(), { h.ip.version, h.ip.length, h.ip.ttl, h.ip.dst }, h.ip.sum,
            HashAlgorithm.csum16);
    }
}

control D(packet_out p, in H h) {
    apply { p.emit(h.eth); p.emit(h.opts); p.emit(h.ip); p.emit(h.tail); }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
