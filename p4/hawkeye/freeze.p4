// Freezing: two banks of telemetry, of which packets write one while the other may be read.
//
// The number of freezes so far is the *generation*; its lowest bit names the bank that packets write. A freeze adds
// one, which diverts every update to the other bank, and the bank that was written holds still until the controller
// has released it. No further freeze happens until then: the switch is locked while `released` differs from the
// generation. Only packets write `freeze_state`, only the controller writes `released` and `collected`, so that no
// write can undo another. Elements of a register `x_bank1` have the fields that stand at `x_bank0`.
//
// What makes it lose nothing and mix nothing: a row carries the generation that last wrote it. `collected` says, a
// bank, below which generation everything has been read. The first packet that meets a row of its own epoch and of an
// earlier generation of the same bank starts it anew when that has been collected, and goes on counting in it when it
// has not (the reading failed), so a row is either in the controller's hands or still in the switch.

// `generation`, then what the controller needs when the notice of the freeze was lost, then exports so far.
@fields("generation:16,event:32,frozen_ns:48,evictions:32")
register<bit<128>>(1) freeze_state;

// Generation up to which the controller has released the frozen bank.
@fields("generation:16")
register<bit<16>>(1) released;

// A bank: everything of an earlier generation than this has been read.
@fields("generation:16")
register<bit<16>>(2) collected;

// Whether a row of `generation` is still to be read, `done` being its bank's `collected`. Generations wrap.
bool is_uncollected(in bit<16> generation, in bit<16> done) {
    bit<16> ahead = generation - done;
    return ahead[15:15] == 0;
}

// Freezes unless the switch is locked; `lock` is what `freeze_state` holds afterwards.
control Freeze(in bit<32> event, in bit<48> now_ns, out bit<128> lock, out bit<1> frozen_now) {
    bit<16> free;

    apply {
        frozen_now = 0;
        freeze_state.read(lock, 0);
        released.read(free, 0);
        if (lock[127:112] == free) {
            lock = (lock[127:112] + 1) ++ event ++ now_ns ++ lock[31:0];
            freeze_state.write(0, lock);
            frozen_now = 1;
        }
    }
}
