// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x1772f124ce3676b5, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            45 => at_45(f, r),
            61 => at_61(f, r),
            62 => at_62(f, r),
            63 => at_63(f, r),
            65 => at_65(f, r),
            67 => at_67(f, r),
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
'to_59: {
'to_57: {
'to_55: {
'to_53: {
'to_51: {
'to_50: {
'to_48: {
'to_44: {
'to_42: {
'to_40: {
'to_38: {
'to_35: {
'to_33: {
'to_31: {
'to_29: {
'to_27: {
'to_25: {
'to_23: {
'to_21: {
'to_19: {
'to_17: {
'to_15: {
'to_13: {
'to_12: {
'to_11: {
'to_8: {
f[7] = 0x1;
if f[2] >= 0xa { break 'to_8; }
f[5] = 0x0;
break 'to_12;
}
if f[2] >= 0x64 { break 'to_11; }
f[5] = 0x1;
break 'to_12;
}
f[5] = 0x2;
}
match f[1] { 0x1 => { break 'to_15; } 0x2 => { break 'to_25; } 0x3 => { break 'to_35; } 0x4 => { break 'to_44; } 0x5 => { break 'to_53; } 0x6 => { break 'to_53; } 0x7 => { break 'to_53; } _ => { break 'to_13; } }
}
f[3] = 0xdd;
return Ending::Done;
}
if f[5] != 0x0 { break 'to_17; }
break 'to_21;
}
if f[5] != 0x2 { break 'to_19; }
break 'to_23;
}
f[3] = 0x2;
return Ending::Done;
}
f[3] = 0x1;
return Ending::Done;
}
f[3] = 0x3;
return Ending::Done;
}
if f[2] != 0x1 { break 'to_27; }
break 'to_31;
}
if f[2] != 0xf0 { break 'to_29; }
break 'to_33;
}
f[3] = f[2];
return Ending::Done;
}
f[3] = 0x101;
return Ending::Done;
}
f[3] = 0x1f0;
return Ending::Done;
}
match match r.apply(f, 0) { Some(65) => run(65, f, r), Some(67) => run(67, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
if f[23] != 0x0 { break 'to_38; }
break 'to_42;
}
if f[23] != 0x1 { break 'to_40; }
return Ending::Done;
}
f[3] = 0x99;
return Ending::Done;
}
f[3] = words::keep(u64::wrapping_add(f[3], 0x100), 48);
return Ending::Done;
}
f[25] = 0x0;
if f[25] >= 0x14 { return Ending::Done; }
if f[25] != 0x3 { break 'to_48; }
break 'to_51;
}
if f[25] != 0x8 { break 'to_50; }
return Ending::Done;
}
f[3] = words::keep(u64::wrapping_add(f[3], f[25]), 48);
}
f[25] = words::keep(u64::wrapping_add(f[25], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(45);
}
if f[2] != 0x1 { break 'to_55; }
break 'to_57;
}
if f[2] != 0x2 { return Ending::Done; }
break 'to_59;
}
f[3] = 0x1;
return Ending::Done;
}
f[3] = 0x2;
return Ending::Done;
Ending::Done
}

fn at_45(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_51: {
'to_50: {
'to_48: {
if f[25] >= 0x14 { return Ending::Done; }
if f[25] != 0x3 { break 'to_48; }
break 'to_51;
}
if f[25] != 0x8 { break 'to_50; }
return Ending::Done;
}
f[3] = words::keep(u64::wrapping_add(f[3], f[25]), 48);
}
f[25] = words::keep(u64::wrapping_add(f[25], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(45);
Ending::Done
}

fn at_61(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_62(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_63(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
return Ending::Done;
Ending::Done
}

fn at_65(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[3] = f[24];
return Ending::Returned;
Ending::Done
}

fn at_67(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[3] = 0xee;
return Ending::Returned;
Ending::Done
}
