// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0xa0a8ef3814098fae, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            31 => at_31(f, r),
            32 => at_32(f, r),
            33 => at_33(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if let Some(header) = r.header::<16>() {
let word = words::load(header, 0);
f[1] = word << 0 >> 56;
f[2] = word << 8 >> 52;
f[3] = word << 20 >> 60;
f[4] = word << 24 >> 32;
f[5] = word << 56 >> 63;
f[6] = word << 57 >> 57;
let word = words::load(header, 8);
f[7] = word << 0 >> 0;
f[0] = 1;
f[8] = r.place();
r.advance(128);
} else if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_3(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_4(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_29: {
'to_26: {
'to_23: {
'to_21: {
'to_18: {
'to_15: {
'to_12: {
'to_9: {
'to_6: {
f[11] = 0x1;
f[26] = 0x0;
match f[1] { 0x1 => { break 'to_6; } 0x2 => { break 'to_9; } 0x3 => { break 'to_12; } 0x4 => { break 'to_15; } 0x5 => { break 'to_18; } 0x6 => { break 'to_21; } 0x7 => { break 'to_23; } 0x8 => { break 'to_26; } _ => { break 'to_29; } }
}
f[31] = f[4].rotate_left(16) & 0xffffffff0000;
f[31] = f[31] | f[3].rotate_left(48) & 0xf000000000000;
f[31] = f[31] | f[2].rotate_left(52) & 0xfff0000000000000;
f[26] = u64::wrapping_add(0x0, words::remainder(words::crc32([f[31]], 6), 0x100000000)) & 0xffffffff;
break 'to_29;
}
f[31] = 0x0 | f[4] << 32 >> 32 << 32;
f[26] = u64::wrapping_add(0x3e8, words::remainder(words::crc32([f[31]], 4), 0x3e8)) & 0xffffffff;
break 'to_29;
}
f[31] = f[3].rotate_left(16) & 0xf0000;
f[31] = f[31] | f[2].rotate_left(20) & 0xfff00000;
f[31] = f[31] | f[4].rotate_left(32) & 0xffffffff00000000;
if let Err(error) = r.operation(f, 13) { return Ending::Rejected(error); }
break 'to_29;
}
f[31] = f[6].rotate_left(56) & 0x7f00000000000000;
f[31] = f[31] | f[5].rotate_left(63) & 0x8000000000000000;
if let Err(error) = r.operation(f, 16) { return Ending::Rejected(error); }
break 'to_29;
}
f[31] = f[3].rotate_left(16) & 0xf0000;
f[31] = f[31] | f[2].rotate_left(20) & 0xfff00000;
f[31] = f[31] | f[4].rotate_left(32) & 0xffffffff00000000;
if let Err(error) = r.operation(f, 19) { return Ending::Rejected(error); }
break 'to_29;
}
f[26] = u64::wrapping_add(0x0, words::remainder(words::checksum(words::sum(words::sum(words::sum(0, f[3].rotate_left(16) & 0xf0000), f[2].rotate_left(20) & 0xfff00000), f[4].rotate_left(32) & 0xffffffff00000000)), 0x10000)) & 0xffffffff;
break 'to_29;
}
f[31] = f[6].rotate_left(56) & 0x7f00000000000000;
f[31] = f[31] | f[5].rotate_left(63) & 0x8000000000000000;
if let Err(error) = r.operation(f, 24) { return Ending::Rejected(error); }
break 'to_29;
}
f[31] = 0x0 | f[4] << 32 >> 32 << 32;
f[27] = u64::wrapping_add(0x3, words::remainder(words::crc32([f[31]], 4), 0xea60)) & 0xffff;
f[26] = f[27];
}
f[7] = f[26];
return Ending::Done;
Ending::Done
}

fn at_31(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_32(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_33(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<16>(f[8]) {
let word = words::load(header, 8) & 0x0 | f[7];
words::store(header, 8, word);
} else { r.emit(f, 0); }
}
return Ending::Done;
Ending::Done
}
