// PFC pauses of each egress port and priority, from received PFC frames (IEEE 802.1Qbb).
//
// A pause starts with a frame of non-zero time, is prolonged by further ones, and ends with a frame of time zero or
// when its time expires. No packet marks the expiry, so `until_ns` is compared with the clock whenever the pause is
// read. A pause may span epochs, so pauses are logged as intervals instead of counted by epoch. The log of closed
// intervals has two banks like all telemetry: pauses after a freeze do not overwrite the frozen log.

// Index: port - 1, then priority. `until_ns` of all ones: until a resume frame. `ended_ns` is the end of the last
// closed interval, `intervals` the number of closed intervals.
@fields("paused:1,start_ns:48,until_ns:48,frames:32,ended_ns:48,intervals:32")
register<bit<PAUSE_STATUS_WIDTH>>(QUEUES) pause_status;

// The last closed intervals of each port. Its priorities share the space, so that a single lossless priority can use
// all of it. `number` counts the intervals (modulo 2^16); interval n is at position n modulo the length of the log.
@fields("start_ns:48,lasted_ns:40,frames:5,priority:3,number:16")
register<bit<PAUSE_LOG_WIDTH>>(PAUSE_LOG_ROWS) pause_log_bank0;
register<bit<PAUSE_LOG_WIDTH>>(PAUSE_LOG_ROWS) pause_log_bank1;

// Index: port - 1. Number of closed intervals.
@fields("intervals:32")
register<bit<32>>(PORTS) pause_counts;

// Index: port - 1. Written by the controller: whether the link leads to a host, and the duration of 512 bit times on it
// in units of 2^-16 ns. With a quantum of zero, pauses have no time limit.
@fields("host_facing:1,quantum:39")
register<bit<PORT_CONFIG_WIDTH>>(PORTS) port_config;

// Whether `status` is a pause that has not expired.
bool is_paused(in bit<PAUSE_STATUS_WIDTH> status, in bit<48> now_ns) {
    return PAUSE_STATUS_PAUSED(status) == 1 && now_ns < PAUSE_STATUS_UNTIL_NS(status);
}

// Logs a closed interval in the active bank. If the interval began before the freeze, logs it in the frozen bank as
// well: the collection needs the pauses that lasted at the freeze, and may have read `pause_status` already.
control PauseLog(
    in bit<PORT_BITS> port, in bit<3> priority, in bit<48> start_ns, in bit<48> end_ns, in bit<32> frames)
{
    bit<FREEZE_STATE_WIDTH> state;
    bit<16> free;
    bit<1> lasted;
    bit<32> number;
    bit<32> place;
    bit<48> lasted_ns;
    bit<5> counted;
    bit<PAUSE_LOG_WIDTH> interval;

    apply {
        freeze_state.read(state, 0);
        released.read(free, 0);
        lasted = 0;
        if (FREEZE_STATE_GENERATION(state) != free && start_ns <= FREEZE_STATE_FROZEN_NS(state)) {
            lasted = 1;
        }
        // Both saturate: the duration at 18 minutes, the number of frames at 31.
        lasted_ns = end_ns - start_ns;
        if (lasted_ns[47:40] != 0) {
            lasted_ns = 0x00ffffffffff;
        }
        counted = frames[4:0];
        if (frames[31:5] != 0) {
            counted = 0x1f;
        }
        pause_counts.read(number, (bit<32>)port);
        pause_counts.write((bit<32>)port, number + 1);
        place = (bit<32>)(port ++ number[PAUSE_LOG_BITS - 1 : 0]);
        interval = PAUSE_LOG(start_ns, lasted_ns[39:0], counted, priority, number[15:0]);
        if (FREEZE_STATE_BANK(state) == 0 || lasted == 1) {
            pause_log_bank0.write(place, interval);
        }
        if (FREEZE_STATE_BANK(state) == 1 || lasted == 1) {
            pause_log_bank1.write(place, interval);
        }
    }
}

// One priority of a PFC frame.
control PauseClass(in bit<PORT_BITS> port, in bit<3> priority, in bit<16> time, in bit<48> now_ns) {
    PauseLog() log;
    bit<PAUSE_STATUS_WIDTH> status;
    bit<PORT_CONFIG_WIDTH> config;
    bit<64> duration_ns;
    bit<48> until_ns;
    bit<48> end_ns;
    bit<32> queue;

    apply {
        queue = (bit<32>)(port ++ priority);
        pause_status.read(status, queue);
        port_config.read(config, (bit<32>)port);
        duration_ns = ((bit<64>)time * (bit<64>)PORT_CONFIG_QUANTUM(config)) >> 16;
        until_ns = now_ns + duration_ns[47:0];
        if (PORT_CONFIG_QUANTUM(config) == 0) {
            until_ns = 0xffffffffffff;
        }

        // A pause that this frame ends, or that has expired, goes into the log.
        if (PAUSE_STATUS_PAUSED(status) == 1 && (time == 0 || now_ns > PAUSE_STATUS_UNTIL_NS(status))) {
            end_ns = PAUSE_STATUS_UNTIL_NS(status);
            if (now_ns < end_ns) {
                end_ns = now_ns;
            }
            log.apply(port, priority, PAUSE_STATUS_START_NS(status), end_ns, PAUSE_STATUS_FRAMES(status));
            status = PAUSE_STATUS(1w0, 48w0, 48w0, 32w0, end_ns, PAUSE_STATUS_INTERVALS(status) + 1);
        }
        if (time != 0) {
            if (PAUSE_STATUS_PAUSED(status) == 0) {
                status = PAUSE_STATUS(1w1, now_ns, until_ns, 32w1,
                    PAUSE_STATUS_ENDED_NS(status), PAUSE_STATUS_INTERVALS(status));
            } else {
                PAUSE_STATUS_UNTIL_NS(status) = until_ns;
                PAUSE_STATUS_FRAMES(status) = PAUSE_STATUS_FRAMES(status) + 1;
            }
        }
        pause_status.write(queue, status);
    }
}

// A PFC frame received at `ingress_port`; it pauses that port as an egress port.
control Pause(in pfc_t pfc, in port_t ingress_port, in bit<48> now_ns) {
    PauseClass() class;
    port_t row;
    bit<PORT_BITS> port;

    apply {
        row = ingress_port - 1;
        port = row[PORT_BITS - 1 : 0];
        if (row < PORTS) {
            if (pfc.enabled[0:0] == 1) { class.apply(port, 0, pfc.time0, now_ns); }
            if (pfc.enabled[1:1] == 1) { class.apply(port, 1, pfc.time1, now_ns); }
            if (pfc.enabled[2:2] == 1) { class.apply(port, 2, pfc.time2, now_ns); }
            if (pfc.enabled[3:3] == 1) { class.apply(port, 3, pfc.time3, now_ns); }
            if (pfc.enabled[4:4] == 1) { class.apply(port, 4, pfc.time4, now_ns); }
            if (pfc.enabled[5:5] == 1) { class.apply(port, 5, pfc.time5, now_ns); }
            if (pfc.enabled[6:6] == 1) { class.apply(port, 6, pfc.time6, now_ns); }
            if (pfc.enabled[7:7] == 1) { class.apply(port, 7, pfc.time7, now_ns); }
        }
    }
}

// Whether a queue is paused or was paused within the epochs of the ring, and how many epochs back its traffic counts: a
// queue may have received no packet since a pause that still lasts began.
control RecentPause(
    in bit<PORT_BITS> port, in bit<3> priority, in bit<48> now_ns, out bit<1> paused, out bit<32> oldest)
{
    bit<PAUSE_STATUS_WIDTH> status;
    bit<48> last_ns;

    apply {
        pause_status.read(status, (bit<32>)(port ++ priority));
        paused = 0;
        oldest = EPOCHS - 1;
        if (is_paused(status, now_ns)) {
            paused = 1;
            oldest = oldest
                + epochs_ago(
                    (bit<32>)(now_ns >> EPOCH_SHIFT), (bit<32>)(PAUSE_STATUS_START_NS(status) >> EPOCH_SHIFT));
        } else if (PAUSE_STATUS_PAUSED(status) == 1 || PAUSE_STATUS_INTERVALS(status) != 0) {
            last_ns = PAUSE_STATUS_ENDED_NS(status);
            if (PAUSE_STATUS_PAUSED(status) == 1) {
                last_ns = PAUSE_STATUS_UNTIL_NS(status);
            }
            if (epochs_ago((bit<32>)(now_ns >> EPOCH_SHIFT), (bit<32>)(last_ns >> EPOCH_SHIFT)) < EPOCHS) {
                paused = 1;
            }
        }
    }
}
