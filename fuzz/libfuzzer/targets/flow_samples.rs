//! libFuzzer driver of a target in `harrier_fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let target = harrier_fuzz::target("flow_samples").expect("a target of that name");
    (target.run)(bytes);
});
