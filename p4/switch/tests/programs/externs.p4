// All externs in one program, selected by `op`, so that their interactions are tested as well.
#include <core.p4>
#include <v1model.p4>

header op_t {
    bit<8>  op;
    bit<8>  index;
    bit<32> value;
}

header big_t {
    bit<128> a;
    int<128> b;
}

struct headers_t {
    op_t  op;
    big_t big;
}

struct metadata_t {
    @field_list(1)
    bit<8>  turns;
    bit<2>  colour;
    bit<16> hash;
}

struct learn_t {
    bit<8>  index;
    bit<32> value;
}

parser TheParser(packet_in p, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    value_set<bit<8>>(4) big_ops;

    state start {
        p.extract(hdr.op);
        transition select(hdr.op.op) {
            big_ops: big;
            default: accept;
        }
    }

    state big {
        p.extract(hdr.big);
        transition accept;
    }
}

control TheVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(16) cells;
    counter(16, CounterType.packets_and_bytes) seen;
    meter(16, MeterType.packets) limit;
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_meter<bit<2>>(MeterType.packets) entry_limit;
    action_selector(HashAlgorithm.crc16, 64, 16) spread;
    action_profile(16) shared_actions;

    action send(bit<9> port) {
        sm.egress_spec = port;
    }

    action refuse() {
        mark_to_drop(sm);
    }

    action metered(bit<9> port) {
        entry_limit.read(meta.colour);
        sm.egress_spec = port;
    }

    action counted(bit<9> port) {
        hits.count();
        sm.egress_spec = port;
    }

    table count_table {
        key = { hdr.op.index : exact; }
        actions = { counted; refuse; }
        default_action = refuse();
        counters = hits;
        support_timeout = true;
        size = 4;
    }

    table meter_table {
        key = { hdr.op.index : exact; }
        actions = { metered; refuse; }
        default_action = refuse();
        meters = entry_limit;
    }

    table select_table {
        key = {
            hdr.op.index : exact;
            hdr.op.value : selector;
        }
        actions = { send; refuse; }
        implementation = spread;
    }

    table profile_table {
        key = { hdr.op.index : exact; }
        actions = { send; refuse; }
        implementation = shared_actions;
    }

    apply {
        bit<32> value;
        sm.egress_spec = 1;
        if (hdr.op.op == 1) {
            cells.read(value, (bit<32>)hdr.op.index);
            cells.write((bit<32>)hdr.op.index, value + hdr.op.value);
            hdr.op.value = value;
        } else if (hdr.op.op == 2) {
            seen.count((bit<32>)hdr.op.index);
        } else if (hdr.op.op == 3) {
            limit.execute_meter((bit<32>)hdr.op.index, meta.colour);
            hdr.op.value = (bit<32>)meta.colour;
        } else if (hdr.op.op == 4) {
            count_table.apply();
        } else if (hdr.op.op == 5) {
            meter_table.apply();
            hdr.op.value = (bit<32>)meta.colour;
        } else if (hdr.op.op == 6) {
            select_table.apply();
        } else if (hdr.op.op == 7) {
            if (profile_table.apply().hit) {
                hdr.op.value = 1;
            }
        } else if (hdr.op.op == 8) {
            digest<learn_t>(1, { hdr.op.index, hdr.op.value });
        } else if (hdr.op.op == 9) {
            clone(CloneType.I2E, (bit<32>)hdr.op.index);
            hdr.op.value = 0xffffffff;
        } else if (hdr.op.op == 10) {
            sm.mcast_grp = (bit<16>)hdr.op.index;
        } else if (hdr.op.op == 11) {
            if (meta.turns < hdr.op.index) {
                meta.turns = meta.turns + 1;
                resubmit_preserving_field_list(1);
            }
            hdr.op.value = (bit<32>)meta.turns;
        } else if (hdr.op.op == 12) {
            meta.turns = meta.turns + 1;
            hdr.op.value = (bit<32>)meta.turns;
        } else if (hdr.op.op == 13) {
            truncate((bit<32>)hdr.op.index);
        } else if (hdr.op.op == 14) {
            random(value, 10, 13);
            hdr.op.value = value;
        } else if (hdr.op.op == 15) {
            hash(meta.hash, HashAlgorithm.crc16, 16w100, { hdr.op.value }, 32w50);
            hdr.op.value = (bit<32>)meta.hash;
        } else if (hdr.op.op == 16) {
            assert(hdr.op.index == 0);
            log_msg("index {} value {}", { hdr.op.index, hdr.op.value });
        } else if (hdr.op.op == 17) {
            value = 0;
            for (bit<32> i = 0; i < hdr.op.value; i = i + 1) {
                value = value + 2;
            }
            hdr.op.value = value;
        } else if (hdr.op.op == 18) {
            sm.priority = (bit<3>)hdr.op.index;
        } else if (hdr.big.isValid()) {
            hdr.big.a = hdr.big.a * 3 + (bit<128>)hdr.op.value;
            hdr.big.b = hdr.big.b >> 3;
            if (hdr.big.b < 0) {
                hdr.op.index = 1;
            }
        }
    }
}

control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 1 || sm.instance_type == 5) {
            hdr.op.index = (bit<8>)sm.egress_rid;
        }
        if (hdr.op.op == 12 && meta.turns < hdr.op.index) {
            recirculate_preserving_field_list(1);
        }
        if (hdr.op.op == 18) {
            hdr.op.value = (bit<32>)sm.enq_qdepth;
        }
    }
}

control TheCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TheDeparser(packet_out p, in headers_t hdr) {
    apply {
        p.emit(hdr.op);
        p.emit(hdr.big);
    }
}

V1Switch(TheParser(), TheVerify(), TheIngress(), TheEgress(), TheCompute(), TheDeparser()) main;
