// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0xd9163619f816c6ac, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            7 => at_7(f, r),
            20 => at_20(f, r),
            23 => at_23(f, r),
            70 => at_70(f, r),
            71 => at_71(f, r),
            72 => at_72(f, r),
            75 => at_75(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_3(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_4(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_67: {
'to_66: {
'to_64: {
'to_62: {
'to_60: {
'to_58: {
'to_55: {
'to_53: {
'to_49: {
'to_47: {
'to_41: {
'to_39: {
'to_38: {
'to_34: {
'to_32: {
'to_29: {
'to_17: {
'to_15: {
'to_13: {
'to_12: {
'to_10: {
f[7] = 0x1;
f[22] = 0x0;
if f[1] != 0x1 { break 'to_17; }
f[23] = 0x0;
if f[23] >= f[2] { break 'to_15; }
if f[23] != 0x3 { break 'to_10; }
break 'to_13;
}
if f[23] != 0x7 { break 'to_12; }
break 'to_15;
}
f[22] = words::keep(u64::wrapping_add(f[22], f[23]), 48);
}
f[23] = words::keep(u64::wrapping_add(f[23], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(7);
}
f[3] = f[22];
break 'to_67;
}
if f[1] != 0x2 { break 'to_34; }
f[24] = 0x1;
f[26] = u64::from(0x1 <= 0x5);
if f[26] == 0 { break 'to_32; }
f[28] = 0x1;
f[30] = u64::from(0x1 <= 0x3);
if f[30] == 0 { break 'to_29; }
f[41] = words::keep(u64::wrapping_mul(f[24], f[28]), 56);
f[22] = words::keep(u64::wrapping_add(f[22], f[41]), 48);
f[30] = u64::from(f[28] != 0x3);
f[28] = words::keep(u64::wrapping_add(f[28], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(23);
}
f[26] = u64::from(f[24] != 0x5);
f[24] = words::keep(u64::wrapping_add(f[24], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(20);
}
f[3] = f[22];
break 'to_67;
}
if f[1] != 0x3 { break 'to_41; }
if 0x9 >= f[2] { break 'to_38; }
f[33] = f[2];
break 'to_39;
}
f[33] = 0x9;
}
f[3] = f[33];
break 'to_67;
}
if f[1] != 0x4 { break 'to_49; }
f[22] = words::keep(u64::wrapping_mul(0x5, 0x2), 48);
f[41] = 0x5 | f[22] << 48 >> 48 << 16;
if f[41] != 0xa0005 { break 'to_47; }
f[3] = 0x1;
break 'to_67;
}
f[3] = 0x0;
break 'to_67;
}
if f[1] != 0x5 { break 'to_55; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x1), 48);
if f[2] != 0x1 { break 'to_53; }
match run(75, f, r) { Ending::Returned => {} ending => return ending }
}
f[3] = words::keep(u64::wrapping_add(f[3], 0x2), 48);
break 'to_67;
}
if f[1] != 0x6 { break 'to_58; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x1), 48);
return Ending::Done;
}
if f[2] != 0x1 { break 'to_60; }
break 'to_66;
}
if f[2] != 0x2 { break 'to_62; }
break 'to_66;
}
if f[2] != 0x3 { break 'to_64; }
break 'to_67;
}
f[3] = 0xdd;
break 'to_67;
}
f[3] = 0x12;
}
if f[1] != 0x6 { return Ending::Done; }
f[3] = 0x0;
return Ending::Done;
Ending::Done
}

fn at_7(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_67: {
'to_15: {
'to_13: {
'to_12: {
'to_10: {
if f[23] >= f[2] { break 'to_15; }
if f[23] != 0x3 { break 'to_10; }
break 'to_13;
}
if f[23] != 0x7 { break 'to_12; }
break 'to_15;
}
f[22] = words::keep(u64::wrapping_add(f[22], f[23]), 48);
}
f[23] = words::keep(u64::wrapping_add(f[23], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(7);
}
f[3] = f[22];
break 'to_67;
}
if f[1] != 0x6 { return Ending::Done; }
f[3] = 0x0;
return Ending::Done;
Ending::Done
}

fn at_20(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_67: {
'to_32: {
'to_29: {
if f[26] == 0 { break 'to_32; }
f[28] = 0x1;
f[30] = u64::from(0x1 <= 0x3);
if f[30] == 0 { break 'to_29; }
f[41] = words::keep(u64::wrapping_mul(f[24], f[28]), 56);
f[22] = words::keep(u64::wrapping_add(f[22], f[41]), 48);
f[30] = u64::from(f[28] != 0x3);
f[28] = words::keep(u64::wrapping_add(f[28], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(23);
}
f[26] = u64::from(f[24] != 0x5);
f[24] = words::keep(u64::wrapping_add(f[24], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(20);
}
f[3] = f[22];
break 'to_67;
}
if f[1] != 0x6 { return Ending::Done; }
f[3] = 0x0;
return Ending::Done;
Ending::Done
}

fn at_23(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_29: {
if f[30] == 0 { break 'to_29; }
f[41] = words::keep(u64::wrapping_mul(f[24], f[28]), 56);
f[22] = words::keep(u64::wrapping_add(f[22], f[41]), 48);
f[30] = u64::from(f[28] != 0x3);
f[28] = words::keep(u64::wrapping_add(f[28], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(23);
}
f[26] = u64::from(f[24] != 0x5);
f[24] = words::keep(u64::wrapping_add(f[24], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(20);
Ending::Done
}

fn at_70(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_71(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_72(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
return Ending::Done;
Ending::Done
}

fn at_75(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[3] = words::keep(u64::wrapping_add(f[3], 0x100), 48);
return Ending::Done;
Ending::Done
}
