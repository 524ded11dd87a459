// Pauses: what the peer of a port has asked for, a port and priority, as received PFC frames say (IEEE 802.1Qbb).
//
// A pause starts with a frame of non-zero time, is prolonged by further ones, and ends with a frame of time zero or when
// its time has run out. Running out sends no packet, so it is noticed when somebody looks: `until_ns` decides.
// Times of pauses are events, not counts of an epoch. The log of those that are over has two banks like everything else:
// a freeze leaves what was logged in peace, however many pauses come before it is read.

// Index: port - 1, then priority. `until_ns` of all ones: until a resume frame. `ended_ns` is of the last closed interval,
// `intervals` counts those.
@fields("paused:1,start_ns:48,until_ns:48,frames:32,ended_ns:48,intervals:32")
register<bit<209>>(QUEUES) pause_status;

// The last closed intervals of each port, of all its priorities: where one class is lossless, all room is that one's. `number`
// counts them (modulo 2^16); number n stands in place n modulo the log's length.
@fields("start_ns:48,lasted_ns:40,frames:5,priority:3,number:16")
register<bit<112>>(PAUSE_LOG_ROWS) pause_log_bank0;
register<bit<112>>(PAUSE_LOG_ROWS) pause_log_bank1;

// How many intervals of a port have been closed.
@fields("intervals:32")
register<bit<32>>(PORTS) pause_counts;

// Set by the controller, a port: whether its link leads to a host, and how long 512 bit times last on it in units of
// 2^-16 ns. A quantum of zero: pauses have no time limit there.
@fields("host_facing:1,quantum:39")
register<bit<40>>(PORTS) port_config;

// Whether `status` is a pause that still lasts.
bool is_paused(in bit<209> status, in bit<48> now_ns) {
    return status[208:208] == 1 && now_ns < status[159:112];
}

// Logs an interval that is over in the bank that packets write; in the frozen one as well if it began before the freeze:
// whoever reads that bank asks what lasted then, and may have done so already.
control PauseLog(
    in bit<PORT_BITS> port, in bit<3> priority, in bit<48> start_ns, in bit<48> end_ns, in bit<32> frames)
{
    bit<128> lock;
    bit<16> free;
    bit<1> lasted;
    bit<32> number;
    bit<32> place;
    bit<48> lasted_ns;
    bit<5> counted;
    bit<112> interval;

    apply {
        freeze_state.read(lock, 0);
        released.read(free, 0);
        lasted = 0;
        if (lock[127:112] != free && start_ns <= lock[79:32]) {
            lasted = 1;
        }
        // As much as fits: 18 minutes, and whether it was one frame or many.
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
        interval = start_ns ++ lasted_ns[39:0] ++ counted ++ priority ++ number[15:0];
        if (lock[112:112] == 0 || lasted == 1) {
            pause_log_bank0.write(place, interval);
        }
        if (lock[112:112] == 1 || lasted == 1) {
            pause_log_bank1.write(place, interval);
        }
    }
}

// One class of a PFC frame.
control PauseClass(in bit<PORT_BITS> port, in bit<3> priority, in bit<16> time, in bit<48> now_ns) {
    PauseLog() log;
    bit<209> status;
    bit<40> config;
    bit<64> duration_ns;
    bit<48> until_ns;
    bit<48> end_ns;
    bit<32> queue;

    apply {
        queue = (bit<32>)(port ++ priority);
        pause_status.read(status, queue);
        port_config.read(config, (bit<32>)port);
        duration_ns = ((bit<64>)time * (bit<64>)config[38:0]) >> 16;
        until_ns = now_ns + duration_ns[47:0];
        if (config[38:0] == 0) {
            until_ns = 0xffffffffffff;
        }

        // A pause that is over, by this frame or by its time, goes into the log.
        if (status[208:208] == 1 && (time == 0 || now_ns > status[159:112])) {
            end_ns = status[159:112];
            if (now_ns < end_ns) {
                end_ns = now_ns;
            }
            log.apply(port, priority, status[207:160], end_ns, status[111:80]);
            status = 129w0 ++ end_ns ++ (status[31:0] + 1);
        }
        if (time != 0) {
            if (status[208:208] == 0) {
                status = 1w1 ++ now_ns ++ until_ns ++ 32w1 ++ status[79:0];
            } else {
                status[159:112] = until_ns;
                status[111:80] = status[111:80] + 1;
            }
        }
        pause_status.write(queue, status);
    }
}

// A PFC frame that came in at `ingress_port`: that port's own sending is what it pauses.
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

// Whether a queue is paused now or was within the ring's epochs, and how far back its traffic tells what it is about:
// behind a pause that lasts, the queue may have seen no packet since the pause began.
control RecentPause(
    in bit<PORT_BITS> port, in bit<3> priority, in bit<48> now_ns, out bit<1> paused, out bit<32> oldest)
{
    bit<209> status;
    bit<48> last_ns;

    apply {
        pause_status.read(status, (bit<32>)(port ++ priority));
        paused = 0;
        oldest = EPOCHS - 1;
        if (is_paused(status, now_ns)) {
            paused = 1;
            oldest = oldest
                + epochs_ago((bit<32>)(now_ns >> EPOCH_SHIFT), (bit<32>)(status[207:160] >> EPOCH_SHIFT));
        } else if (status[208:208] == 1 || status[31:0] != 0) {
            last_ns = status[79:32];
            if (status[208:208] == 1) {
                last_ns = status[159:112];
            }
            if (epochs_ago((bit<32>)(now_ns >> EPOCH_SHIFT), (bit<32>)(last_ns >> EPOCH_SHIFT)) < EPOCHS) {
                paused = 1;
            }
        }
    }
}
