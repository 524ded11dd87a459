// Freezing: telemetry has two banks. Packets write the active bank while the controller reads the frozen one.
//
// The number of freezes so far is the generation; its lowest bit is the active bank and the first bit of every row. The first
// copy of a polling packet in a pipe increments it, unless the pipe is frozen already: until the controller has set
// `released` to the generation. The controller releases a bank no earlier than one epoch after the freeze; rows that it has
// read are then of earlier epochs, and the first packet that finds one restarts it.

struct freeze_t {
    bit<32> generation;
    // The event of the last freeze.
    bit<32> event;
}

control Freeze(inout egress_headers_t hdr, inout egress_metadata_t meta) {
    // Written only by the controller.
    Register<bit<32>, bit<1>>(1) released;
    Register<freeze_t, bit<1>>(1) freeze_state;
    // When the last freeze happened, in ticks.
    Register<bit<32>, bit<1>>(1) freeze_ticks;

    RegisterAction<bit<32>, bit<1>, bit<32>>(released) read_released = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
        }
    };

    RegisterAction<freeze_t, bit<1>, bit<32>>(freeze_state) freeze = {
        void apply(inout freeze_t state, out bit<32> before) {
            before = state.generation;
            if (state.generation == meta.released) {
                state.generation = state.generation + 1;
                state.event = hdr.polling.event;
            }
        }
    };

    RegisterAction<freeze_t, bit<1>, bit<32>>(freeze_state) read_generation = {
        void apply(inout freeze_t state, out bit<32> generation) {
            generation = state.generation;
        }
    };

    RegisterAction<bit<32>, bit<1>, bit<32>>(freeze_ticks) note_ticks = {
        void apply(inout bit<32> ticks) {
            ticks = hdr.bridge.arrival;
        }
    };

    action get_released() {
        meta.released = read_released.execute(0);
    }

    action note_freeze() {
        note_ticks.execute(0);
    }

    action freeze_bank() {
        meta.generation = freeze.execute(0);
    }

    action get_generation() {
        meta.generation = read_generation.execute(0);
    }

    apply {
        get_released();
        if (hdr.bridge.kind == KIND_POLLING) {
            freeze_bank();
            if (meta.generation == meta.released) {
                note_freeze();
            }
        } else {
            get_generation();
        }
    }
}
