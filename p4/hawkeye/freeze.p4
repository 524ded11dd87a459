// Freezing: telemetry has two banks. Packets write the active bank while the controller reads the frozen one.
//
// The number of freezes so far is the *generation*; its lowest bit names the active bank. A freeze increments it, which
// diverts every update to the other bank. The bank that was active before stays unchanged until the controller has
// released it, and no further freeze happens until then: the switch is frozen while `released` differs from the
// generation. Only packets write `freeze_state`, and only the controller writes `released` and `collected`, so neither
// can overwrite an update of the other. A register `x_bank1` has the fields of `x_bank0`.
//
// Every row carries the generation that last wrote it, so that nothing is lost and no generations are mixed.
// `collected` holds, for each bank, the generation below which every row has been read. When a packet finds a row of
// its own epoch and bank but of an earlier generation, it clears the row if that generation has been collected. If it
// has not (the read failed), the packet keeps counting in the row. Each count is therefore either with the controller
// or still in the switch.

// `event` and `frozen_ns` describe the last freeze, for a controller that lost its digest; `evictions` counts exported
// slots.
@fields("generation:16,event:32,frozen_ns:48,evictions:32")
register<bit<FREEZE_STATE_WIDTH>>(1) freeze_state;

// Generation up to which the controller has released the frozen bank.
@fields("generation:16")
register<bit<16>>(1) released;

// Index: bank. Rows of earlier generations than this have been read.
@fields("generation:16")
register<bit<16>>(2) collected;

// Whether a row of `generation` is still to be read; `done` is the `collected` of its bank. Generations wrap.
bool is_uncollected(in bit<16> generation, in bit<16> done) {
    bit<16> ahead = generation - done;
    return ahead[15:15] == 0;
}

// Freezes the active bank unless the switch is frozen already; `state` is the resulting `freeze_state`.
control Freeze(in bit<32> event, in bit<48> now_ns, out bit<FREEZE_STATE_WIDTH> state, out bit<1> frozen_now) {
    bit<16> free;

    apply {
        frozen_now = 0;
        freeze_state.read(state, 0);
        released.read(free, 0);
        if (FREEZE_STATE_GENERATION(state) == free) {
            state = FREEZE_STATE(
                FREEZE_STATE_GENERATION(state) + 1, event, now_ns, FREEZE_STATE_EVICTIONS(state));
            freeze_state.write(0, state);
            frozen_now = 1;
        }
    }
}
