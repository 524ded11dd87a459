// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x65881bca39b9bd3e, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            21 => at_21(f, r),
            32 => at_32(f, r),
            39 => at_39(f, r),
            40 => at_40(f, r),
            42 => at_42(f, r),
            44 => at_44(f, r),
            47 => at_47(f, r),
            49 => at_49(f, r),
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
'to_30: {
'to_28: {
'to_25: {
'to_20: {
'to_19: {
'to_16: {
'to_13: {
'to_12: {
'to_9: {
'to_7: {
f[7] = 0x1;
if f[1] != 0x1 { break 'to_7; }
match run(42, f, r) { Ending::Returned => {} ending => return ending }
}
if f[1] != 0x2 { break 'to_9; }
return Ending::Done;
}
if f[1] != 0x6 { break 'to_12; }
f[23] = 0x40;
break 'to_13;
}
f[23] = 0x0;
}
f[2] = f[2] | f[23];
if f[1] != 0x3 { break 'to_16; }
break 'to_20;
}
match match r.apply(f, 0) { Some(44) => run(44, f, r), Some(47) => run(47, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
if f[26] == 0 { break 'to_19; }
return Ending::Done;
}
f[2] = f[2] | 0x8;
}
f[27] = 0x0;
if f[27] >= 0x4 { break 'to_30; }
if f[1] != 0x5 { break 'to_25; }
if f[27] != 0x2 { break 'to_25; }
return Ending::Done;
}
f[2] = words::keep(u64::wrapping_add(f[2], 0x10), 56);
if f[1] == 0x5 { break 'to_28; }
break 'to_30;
}
f[27] = words::keep(u64::wrapping_add(f[27], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(21);
}
f[2] = f[2] | 0x80;
return Ending::Done;
Ending::Done
}

fn at_21(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_30: {
'to_28: {
'to_25: {
if f[27] >= 0x4 { break 'to_30; }
if f[1] != 0x5 { break 'to_25; }
if f[27] != 0x2 { break 'to_25; }
return Ending::Done;
}
f[2] = words::keep(u64::wrapping_add(f[2], 0x10), 56);
if f[1] == 0x5 { break 'to_28; }
break 'to_30;
}
f[27] = words::keep(u64::wrapping_add(f[27], 0x1), 56);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(21);
}
f[2] = f[2] | 0x80;
return Ending::Done;
Ending::Done
}

fn at_32(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_37: {
'to_35: {
f[3] = 0x1;
if f[1] != 0x7 { break 'to_35; }
match run(49, f, r) { Ending::Returned => {} ending => return ending }
}
if f[1] != 0x8 { break 'to_37; }
return Ending::Done;
}
f[3] = 0x3;
return Ending::Done;
Ending::Done
}

fn at_39(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_40(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
return Ending::Done;
Ending::Done
}

fn at_42(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[2] = f[2] | 0x1;
return Ending::Done;
Ending::Done
}

fn at_44(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[2] = f[2] | 0x4;
f[26] = 0x1;
return Ending::Returned;
Ending::Done
}

fn at_47(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[2] = f[2] | 0x2;
return Ending::Returned;
Ending::Done
}

fn at_49(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}
