// PFC pauses of each egress port and priority, from received PFC frames (IEEE 802.1Qbb).
//
// Ingress sends a PFC frame to the egress of the port where it arrived, as one multicast copy for each class; the
// replication id is the class. Each copy therefore accesses one row. Egress drops the copies.
//
// A pause starts with a frame of non-zero time, is prolonged by further ones, and ends with a frame of time zero or when its
// time expires: at `end`. All times are in ticks; differences of less than 2^31 ticks (9 minutes) are compared correctly.

// The end of the last pause, and the later one of that end and the arrival of the last frame: the part of a pause that
// was announced before is not counted again.
struct pause_t {
    int<32> end;
    int<32> base;
}

struct pause_total_t {
    int<32> frames;
    // Ticks for which the queue was paused, each counted once. A resume frame subtracts what is left.
    int<32> ticks;
}

struct pause_start_t {
    // Begin of the last pause, and number of pauses so far.
    int<32> start;
    int<32> pauses;
}

// The class of the copy and the time of the class in the frame.
control PauseTime(inout egress_headers_t hdr, in bit<16> copy, inout egress_metadata_t meta) {
    action is_disabled() {
        meta.is_class_enabled = 0;
    }

    action use_time0() {
        meta.class = 0;
        meta.pause_quanta = hdr.pfc.time0;
        meta.is_class_enabled = 1;
    }

    action use_time1() {
        meta.class = 1;
        meta.pause_quanta = hdr.pfc.time1;
        meta.is_class_enabled = 1;
    }

    action use_time2() {
        meta.class = 2;
        meta.pause_quanta = hdr.pfc.time2;
        meta.is_class_enabled = 1;
    }

    action use_time3() {
        meta.class = 3;
        meta.pause_quanta = hdr.pfc.time3;
        meta.is_class_enabled = 1;
    }

    action use_time4() {
        meta.class = 4;
        meta.pause_quanta = hdr.pfc.time4;
        meta.is_class_enabled = 1;
    }

    action use_time5() {
        meta.class = 5;
        meta.pause_quanta = hdr.pfc.time5;
        meta.is_class_enabled = 1;
    }

    action use_time6() {
        meta.class = 6;
        meta.pause_quanta = hdr.pfc.time6;
        meta.is_class_enabled = 1;
    }

    action use_time7() {
        meta.class = 7;
        meta.pause_quanta = hdr.pfc.time7;
        meta.is_class_enabled = 1;
    }

    table pause_classes {
        key = {
            copy : exact @name("class");
            hdr.pfc.enabled : ternary @name("enabled");
        }
        actions = {
            use_time0; use_time1; use_time2; use_time3; use_time4; use_time5; use_time6; use_time7; is_disabled;
        }
        const default_action = is_disabled();
        const entries = {
            (0, 0x01 &&& 0x01) : use_time0();
            (1, 0x02 &&& 0x02) : use_time1();
            (2, 0x04 &&& 0x04) : use_time2();
            (3, 0x08 &&& 0x08) : use_time3();
            (4, 0x10 &&& 0x10) : use_time4();
            (5, 0x20 &&& 0x20) : use_time5();
            (6, 0x40 &&& 0x40) : use_time6();
            (7, 0x80 &&& 0x80) : use_time7();
        }
        size = 8;
    }

    apply {
        pause_classes.apply();
    }
}

// Rows of the egress ports, and durations. Quanta and durations have 16 bits, because the ALUs of a stage do not move a field of
// the frame to a larger container. 512 bit times of a port are no power of two of a tick: at 100 Gb/s a tick has 50
// quanta. The sum of two shifts is 2.3 % too short at 25, 50, 100, 200 and 400 Gb/s, and 6 % at 10 and 40 Gb/s.
control EgressPorts(in PortId_t port, inout egress_metadata_t meta) {
    action no_telemetry() {
        meta.has_row = 0;
    }

    action set_10g(bit<EGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        meta.has_row = 1;
        meta.pause_part = meta.pause_quanta >> 3;
        meta.pause_duration = meta.pause_quanta >> 4;
    }

    action set_25g(bit<EGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        meta.has_row = 1;
        meta.pause_part = meta.pause_quanta >> 4;
        meta.pause_duration = meta.pause_quanta >> 6;
    }

    action set_40g(bit<EGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        meta.has_row = 1;
        meta.pause_part = meta.pause_quanta >> 5;
        meta.pause_duration = meta.pause_quanta >> 6;
    }

    action set_50g(bit<EGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        meta.has_row = 1;
        meta.pause_part = meta.pause_quanta >> 5;
        meta.pause_duration = meta.pause_quanta >> 7;
    }

    action set_100g(bit<EGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        meta.has_row = 1;
        meta.pause_part = meta.pause_quanta >> 6;
        meta.pause_duration = meta.pause_quanta >> 8;
    }

    action set_200g(bit<EGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        meta.has_row = 1;
        meta.pause_part = meta.pause_quanta >> 7;
        meta.pause_duration = meta.pause_quanta >> 9;
    }

    action set_400g(bit<EGRESS_ROW_BITS> row, bit<1> host_facing) {
        meta.row = row;
        meta.host_facing = host_facing;
        meta.has_row = 1;
        meta.pause_part = meta.pause_quanta >> 8;
        meta.pause_duration = meta.pause_quanta >> 10;
    }

    table egress_ports {
        key = { port : exact @name("port"); }
        actions = { set_10g; set_25g; set_40g; set_50g; set_100g; set_200g; set_400g; no_telemetry; }
        const default_action = no_telemetry();
        size = 512;
    }

    apply {
        egress_ports.apply();
    }
}

// One class of a PFC frame, or the pause of the queue of another packet: `is_paused` says whether a pause of the class ended
// after `pause_ticks` or still lasts.
control Pause(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    Register<pause_t, bit<QUEUE_ROW_BITS>>(1 << QUEUE_ROW_BITS) pause_status;
    Register<pause_total_t, bit<QUEUE_ROW_BITS>>(1 << QUEUE_ROW_BITS) pause_totals;
    Register<pause_start_t, bit<QUEUE_ROW_BITS>>(1 << QUEUE_ROW_BITS) pause_starts;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) widened;

    // The new end is computed before: the ALU of a register adds no two fields of the packet.
    RegisterAction<pause_t, bit<QUEUE_ROW_BITS>, int<32>>(pause_status) pause_queue = {
        void apply(inout pause_t pause, out int<32> base) {
            if (pause.end - meta.pause_ticks > 0) {
                pause.base = pause.end;
            } else {
                pause.base = meta.pause_ticks;
            }
            pause.end = meta.pause_end;
            base = pause.base;
        }
    };

    RegisterAction<pause_t, bit<QUEUE_ROW_BITS>, int<32>>(pause_status) resume_queue = {
        void apply(inout pause_t pause, out int<32> base) {
            if (pause.end - meta.pause_ticks > 0) {
                pause.base = pause.end;
                pause.end = meta.pause_ticks;
            } else {
                pause.base = meta.pause_ticks;
            }
            base = pause.base;
        }
    };

    RegisterAction<pause_t, bit<QUEUE_ROW_BITS>, bit<1>>(pause_status) test_queue = {
        void apply(inout pause_t pause, out bit<1> is_paused) {
            is_paused = 0;
            if (pause.end - meta.pause_ticks > 0) {
                is_paused = 1;
            }
        }
    };

    RegisterAction<pause_total_t, bit<QUEUE_ROW_BITS>, int<32>>(pause_totals) count_frame = {
        void apply(inout pause_total_t total) {
            total.frames = total.frames + 1;
            total.ticks = total.ticks + meta.pause_added;
        }
    };

    RegisterAction<pause_start_t, bit<QUEUE_ROW_BITS>, int<32>>(pause_starts) start_pause = {
        void apply(inout pause_start_t last) {
            last.start = meta.pause_ticks;
            last.pauses = last.pauses + 1;
        }
    };

    action pause_class() {
        meta.pause_base = pause_queue.execute(meta.queue_row);
    }

    action resume_class() {
        meta.pause_base = resume_queue.execute(meta.queue_row);
    }

    action test_class() {
        meta.is_paused = test_queue.execute(meta.queue_row);
    }

    action add_parts() {
        meta.pause_duration = meta.pause_duration + meta.pause_part;
    }

    action widen_duration() {
        meta.pause_added = (int<32>)widened.get({ meta.pause_duration });
    }

    action add_duration() {
        meta.pause_end = meta.pause_ticks + meta.pause_added;
    }

    // The ticks that this frame adds to the pause: negative when it ends one.
    action subtract_base() {
        meta.pause_added = meta.pause_end - meta.pause_base;
    }

    action add_to_total() {
        count_frame.execute(meta.queue_row);
    }

    action note_start() {
        start_pause.execute(meta.queue_row);
    }

    apply {
        add_parts();
        widen_duration();
        add_duration();
        if (hdr.bridge.kind == KIND_PAUSE) {
            if (meta.is_class_enabled == 1) {
                if (meta.pause_quanta == 0) {
                    resume_class();
                } else {
                    pause_class();
                    if (meta.pause_base == meta.pause_ticks) {
                        note_start();
                    }
                }
                subtract_base();
                add_to_total();
            }
        } else {
            test_class();
        }
    }
}
