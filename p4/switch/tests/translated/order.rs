// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0xe66a0086f1983ece, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            5 => at_5(f, r),
            12 => at_12(f, r),
            17 => at_17(f, r),
            18 => at_18(f, r),
            74 => at_74(f, r),
            75 => at_75(f, r),
            76 => at_76(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_8: {
'to_2: {
if !r.jump_back() { return Ending::TooLong; } break 'to_2;
}
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
if f[1] != 0x9 { return Ending::Done; }
break 'to_8;
}
f[24] = words::keep(u64::wrapping_add(f[2], 0x1), 56);
if f[2] != 0x5 { return Ending::Back(5); }
f[24] = words::keep(u64::wrapping_add(f[24], f[2]), 56);
return Ending::Back(5);
Ending::Done
}

fn at_5(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_13: {
'to_6: {
if !r.jump_back() { return Ending::TooLong; } break 'to_6;
}
f[2] = f[24];
break 'to_13;
}
f[3] = words::keep(u64::wrapping_add(f[3], 0x1), 56);
if f[24] != 0x5 { return Ending::Back(12); }
f[3] = words::keep(u64::wrapping_add(f[3], f[24]), 56);
return Ending::Back(12);
Ending::Done
}

fn at_12(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if !r.jump_back() { return Ending::TooLong; } return Ending::Done;
Ending::Done
}

fn at_17(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_18(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_70: {
'to_68: {
'to_65: {
'to_60: {
'to_58: {
'to_55: {
'to_48: {
'to_46: {
'to_39: {
'to_33: {
'to_29: {
'to_27: {
'to_25: {
'to_23: {
'to_20: {
f[9] = 0x1;
match f[1] { 0x1 => { break 'to_20; } 0x2 => { break 'to_23; } 0x3 => { break 'to_25; } 0x4 => { break 'to_27; } 0x5 => { break 'to_29; } 0x6 => { break 'to_33; } 0x7 => { break 'to_39; } 0x8 => { break 'to_58; } 0xa => { break 'to_60; } 0xb => { break 'to_70; } _ => { return Ending::Done; } }
}
f[28] = words::keep(u64::wrapping_add(f[2], 0x10), 56);
f[2] = f[28];
return Ending::Done;
}
f[29] = f[2];
f[2] = f[3];
f[3] = f[29];
return Ending::Done;
}
f[2] = f[2];
return Ending::Done;
}
f[4] = 0x22;
return Ending::Done;
}
f[35] = words::keep(u64::wrapping_add(f[2], f[2]), 56);
f[35] = words::keep(u64::wrapping_add(f[35], f[2]), 56);
f[2] = f[35];
return Ending::Done;
}
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x1;
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x2;
f[4] = words::keep(u64::wrapping_add(0x1, 0x2), 56);
return Ending::Done;
}
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x1;
f[42] = u64::from(0x1 == 0x2);
if f[42] == 0 { break 'to_46; }
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x3;
f[42] = u64::from(0x3 == 0x3);
}
if f[42] == 0 { break 'to_48; }
f[4] = 0x1;
}
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x4;
f[45] = u64::from(0x4 == 0x4);
if f[45] != 0 { break 'to_55; }
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x5;
f[45] = u64::from(0x5 == 0x5);
}
if f[45] == 0 { return Ending::Done; }
f[4] = words::keep(u64::wrapping_add(f[4], 0x2), 56);
return Ending::Done;
}
f[3] = f[2];
f[2] = 0x40;
return Ending::Done;
}
if 0x5 >= f[2] { break 'to_65; }
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x6;
f[50] = 0x6;
break 'to_68;
}
f[61] = 0x0 | f[5] << 60 >> 60 << 4;
f[5] = f[61] | 0x7;
f[50] = 0x7;
}
f[4] = f[50];
return Ending::Done;
}
f[52] = f[2];
f[51] = words::keep(u64::wrapping_add(f[2], 0x1), 56);
f[2] = f[51];
f[4] = f[52];
return Ending::Done;
Ending::Done
}

fn at_74(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_75(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_76(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
return Ending::Done;
Ending::Done
}
