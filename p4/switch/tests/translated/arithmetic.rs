// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x479d724cb52688fe, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            69 => at_69(f, r),
            70 => at_70(f, r),
            71 => at_71(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if let Some(header) = r.header::<9>() {
let word = words::load(header, 0);
f[1] = word << 0 >> 56;
f[2] = word << 8 >> 48;
f[3] = word << 24 >> 48;
let word = words::load(header, 1);
f[4] = word << 32 >> 32;
f[0] = 1;
f[5] = r.place();
r.advance(72);
} else if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_3(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_4(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_67: {
'to_64: {
'to_62: {
'to_59: {
'to_56: {
'to_50: {
'to_47: {
'to_45: {
'to_44: {
'to_41: {
'to_40: {
'to_36: {
'to_32: {
'to_30: {
'to_27: {
'to_24: {
'to_22: {
'to_20: {
'to_17: {
'to_14: {
'to_11: {
'to_8: {
'to_6: {
f[8] = 0x1;
f[27] = 0x0;
match f[1] { 0x1 => { break 'to_8; } 0x2 => { break 'to_11; } 0x3 => { break 'to_14; } 0x4 => { break 'to_17; } 0x5 => { break 'to_20; } 0x6 => { break 'to_22; } 0x7 => { break 'to_24; } 0x8 => { break 'to_27; } 0x9 => { break 'to_30; } 0xa => { break 'to_32; } 0xb => { break 'to_36; } 0xc => { break 'to_47; } 0xd => { break 'to_50; } 0xe => { break 'to_56; } 0xf => { break 'to_59; } 0x10 => { break 'to_62; } 0x11 => { break 'to_64; } _ => { break 'to_6; } }
}
f[27] = 0xffffffff;
break 'to_67;
}
if let Err(error) = r.operation(f, 8) { return Ending::Rejected(error); }
f[27] = f[31];
break 'to_67;
}
if let Err(error) = r.operation(f, 11) { return Ending::Rejected(error); }
f[27] = f[31];
break 'to_67;
}
if let Err(error) = r.operation(f, 14) { return Ending::Rejected(error); }
f[27] = f[31];
break 'to_67;
}
if let Err(error) = r.operation(f, 17) { return Ending::Rejected(error); }
f[27] = f[31];
break 'to_67;
}
f[27] = f[3] | f[2] << 48 >> 48 << 16;
break 'to_67;
}
f[27] = f[3] & 0xf;
f[27] = f[27] | f[2] & 0xff0;
break 'to_67;
}
f[31] = words::sign_extend(f[2], 48, 32);
f[27] = f[31];
break 'to_67;
}
if let Err(error) = r.operation(f, 27) { return Ending::Rejected(error); }
f[27] = f[31];
break 'to_67;
}
f[27] = words::keep(f[2] >> 3, 51);
break 'to_67;
}
f[31] = words::keep(f[3] >> 0, 56);
f[33] = words::shift_left(f[2], f[31], 48);
f[27] = f[33];
break 'to_67;
}
if let Err(error) = r.operation(f, 36) { return Ending::Rejected(error); }
if f[31] == 0 { break 'to_40; }
f[33] = 0x1;
break 'to_41;
}
f[33] = 0x2;
}
if f[2] >= f[3] { break 'to_44; }
f[35] = 0x10;
break 'to_45;
}
f[35] = 0x20;
}
f[27] = words::keep(u64::wrapping_add(f[33], f[35]), 32);
break 'to_67;
}
f[35] = words::keep(u64::wrapping_mul(f[2], f[3]), 48);
f[27] = f[35];
break 'to_67;
}
f[35] = words::keep(!f[2], 48);
f[31] = f[2] | f[3];
f[33] = f[35] & f[31];
f[38] = f[33] ^ f[3];
f[27] = f[38];
break 'to_67;
}
if let Err(error) = r.operation(f, 56) { return Ending::Rejected(error); }
f[27] = f[38];
break 'to_67;
}
f[27] = f[27] & 0xffffffffff0000ff | f[2] << 8 & 0xffff00;
f[27] = f[27] & 0xffffffffffffff0f | f[3] << 4 & 0xf0;
break 'to_67;
}
f[27] = words::keep(u64::wrapping_add(f[2], 0x0), 32);
break 'to_67;
}
f[39] = f[2].rotate_left(49) & 0xfffe000000000000;
f[40] = f[2].rotate_left(49) & 0x1;
if let Err(error) = r.operation(f, 65) { return Ending::Rejected(error); }
f[27] = f[43].rotate_left(24) & 0xffffff;
f[27] = f[27] | f[44].rotate_left(24) & 0x1000000;
}
f[4] = f[27];
return Ending::Done;
Ending::Done
}

fn at_69(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_70(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_71(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<9>(f[5]) {
let word = words::load(header, 0) & 0xffffffffff000000 | f[4].rotate_left(56) & 0xffffff;
words::store(header, 0, word);
let word = words::load(header, 1) & 0xffffffff00000000 | f[4] & 0xffffffff;
words::store(header, 1, word);
} else { r.emit(f, 0); }
}
return Ending::Done;
Ending::Done
}
