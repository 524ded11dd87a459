// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x206150e106de9293, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            9 => at_9(f, r),
            32 => at_32(f, r),
            33 => at_33(f, r),
            39 => at_39(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if let Some(header) = r.header::<17>() {
let word = words::load(header, 0);
f[1] = word << 0 >> 56;
f[2] = word << 8 >> 56;
f[3] = word << 16 >> 32;
let word = words::load(header, 6);
f[4] = word << 0 >> 32;
f[5] = word << 32 >> 56;
f[6] = word << 40 >> 48;
let word = words::load(header, 9);
f[7] = word << 32 >> 32;
f[0] = 1;
f[8] = r.place();
r.advance(136);
} else if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_3(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_6: {
if f[1] != 0x1 { break 'to_6; }
f[30] = f[4] | f[3] << 32 >> 32 << 32;
if let Err(error) = r.operation(f, 5) { return Ending::Rejected(error); }
}
if f[1] != 0x2 { return Ending::Done; }
if let Err(error) = r.operation(f, 7) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_9(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_28: {
'to_25: {
'to_22: {
'to_19: {
'to_16: {
'to_13: {
f[11] = 0x1;
f[2] = f[23];
f[26] = f[5] | f[4].rotate_left(8) & 0xffffffff00;
f[26] = f[26] | f[3].rotate_left(40) & 0xffffff0000000000;
f[27] = f[3].rotate_left(40) & 0xff;
if f[1] != 0x5 { break 'to_13; }
f[34] = f[26].rotate_left(56) & 0xff00000000000000;
f[35] = f[26].rotate_left(56) & 0xffffffffffffff;
f[35] = f[35] | f[27].rotate_left(56) & 0xff00000000000000;
f[7] = u64::wrapping_add(0x0, words::remainder(words::crc32([f[34], f[35]], 9), 0x100000000)) & 0xffffffff;
}
if f[1] != 0x6 { break 'to_16; }
f[34] = f[26].rotate_left(56) & 0xff00000000000000;
f[35] = f[26].rotate_left(56) & 0xffffffffffffff;
f[35] = f[35] | f[27].rotate_left(56) & 0xff00000000000000;
if let Err(error) = r.operation(f, 15) { return Ending::Rejected(error); }
}
if f[1] != 0x7 { break 'to_19; }
f[30] = f[4] | f[3] << 32 >> 32 << 32;
if let Err(error) = r.operation(f, 18) { return Ending::Rejected(error); }
}
if f[1] != 0x8 { break 'to_22; }
f[30] = f[4] | f[3] << 32 >> 32 << 32;
if let Err(error) = r.operation(f, 21) { return Ending::Rejected(error); }
}
if f[1] != 0x9 { break 'to_25; }
f[30] = 0x0 | f[3] << 32 >> 32 << 32;
if let Err(error) = r.operation(f, 24) { return Ending::Rejected(error); }
}
if f[1] != 0xa { break 'to_28; }
f[34] = f[26].rotate_left(56) & 0xff00000000000000;
f[35] = f[26].rotate_left(56) & 0xffffffffffffff;
f[35] = f[35] | f[27].rotate_left(56) & 0xff00000000000000;
f[7] = u64::wrapping_add(0x64, words::remainder(words::crc32([f[34], f[35]], 9), 0x7)) & 0xffffffff;
}
if f[1] != 0xb { return Ending::Done; }
f[34] = f[26].rotate_left(56) & 0xff00000000000000;
f[35] = f[26].rotate_left(56) & 0xffffffffffffff;
f[35] = f[35] | f[27].rotate_left(56) & 0xff00000000000000;
f[7] = u64::wrapping_add(0x64, words::remainder(words::crc32([f[34], f[35]], 9), 0x0)) & 0xffffffff;
return Ending::Done;
Ending::Done
}

fn at_32(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_33(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_36: {
if f[1] != 0x3 { break 'to_36; }
f[30] = f[4] | f[3] << 32 >> 32 << 32;
if let Err(error) = r.operation(f, 35) { return Ending::Rejected(error); }
}
if f[1] != 0x4 { return Ending::Done; }
if let Err(error) = r.operation(f, 37) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_39(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<17>(f[8]) {
let word = words::load(header, 0) & 0xff00ffffffffffff | f[2].rotate_left(48) & 0xff000000000000;
words::store(header, 0, word);
let word = words::load(header, 8) & 0xffffff0000000000 | f[6].rotate_left(24) & 0xffff000000 | f[7].rotate_left(56) & 0xffffff;
words::store(header, 8, word);
let word = words::load(header, 9) & 0xffff000000000000 | f[6].rotate_left(32) & 0xffff00000000 | f[7] & 0xffffffff;
words::store(header, 9, word);
} else { r.emit(f, 0); }
}
return Ending::Done;
Ending::Done
}
