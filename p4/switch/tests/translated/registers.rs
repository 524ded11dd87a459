// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x1f2f405188d142b0, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            6 => at_6(f, r),
            7 => at_7(f, r),
            31 => at_31(f, r),
            34 => at_34(f, r),
            35 => at_35(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_2: {
if !r.jump_back() { return Ending::TooLong; } break 'to_2;
}
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
if f[1] != 0x2 { return Ending::Done; }
if let Some(header) = r.header::<16>() {
let word = words::load(header, 0);
f[6] = word << 0 >> 0;
let word = words::load(header, 8);
f[5] = word << 0 >> 0;
f[4] = 1;
f[8] = r.place();
r.advance(128);
} else if let Err(error) = r.extract(f, 1) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_6(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_7(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_29: {
'to_18: {
'to_13: {
f[11] = 0x1;
if f[1] != 0x1 { break 'to_13; }
f[27] = r.read(0, f[2]);
f[41] = words::keep(u64::wrapping_add(f[27], f[3]), 32);
r.write(0, f[2], f[41]);
return Ending::Done;
}
if f[1] != 0x2 { break 'to_18; }
{ let e = r.read_limbs::<2>(1, f[2]); f[29] = e[0]; f[30] = e[1]; }
r.write_limbs(1, f[2], [f[5], f[6]]);
f[5] = f[29]; f[6] = f[30];
return Ending::Done;
}
if f[1] != 0x3 { return Ending::Done; }
f[33] = r.read(2, f[2]);
f[41] = words::keep(f[3] >> 0, 48);
f[33] = words::keep(u64::wrapping_add(f[33], f[41]), 48);
r.write(2, f[2], f[33]);
f[34] = r.read(3, f[2]);
if let Err(error) = r.operation(f, 24) { return Ending::Rejected(error); }
r.write(3, f[2], f[41]);
if f[34] == 0 { break 'to_29; }
f[3] = 0x1;
return Ending::Done;
}
f[3] = 0x0;
return Ending::Done;
Ending::Done
}

fn at_31(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[1] != 0x1 { return Ending::Done; }
f[3] = r.read(0, f[2]);
return Ending::Done;
Ending::Done
}

fn at_34(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_35(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
if f[4] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<16>(f[8]) {
let word = words::load(header, 0) & 0x0 | f[6];
words::store(header, 0, word);
let word = words::load(header, 8) & 0x0 | f[5];
words::store(header, 8, word);
} else { r.emit(f, 1); }
}
return Ending::Done;
Ending::Done
}
