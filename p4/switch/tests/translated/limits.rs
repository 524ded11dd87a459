// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x3810bc8cc5d1e287, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            4 => at_4(f, r),
            8 => at_8(f, r),
            9 => at_9(f, r),
            14 => at_14(f, r),
            27 => at_27(f, r),
            36 => at_36(f, r),
            37 => at_37(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_5: {
'to_2: {
if !r.jump_back() { return Ending::TooLong; } break 'to_2;
}
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
if f[1] != 0x1 { return Ending::Done; }
if !r.jump_back() { return Ending::TooLong; } break 'to_5;
}
f[4] = words::keep(u64::wrapping_add(f[4], 0x1), 56);
if !(f[4] & 0x0 == 0x0) { return Ending::Done; }
return Ending::Back(4);
Ending::Done
}

fn at_4(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_5: {
if !r.jump_back() { return Ending::TooLong; } break 'to_5;
}
f[4] = words::keep(u64::wrapping_add(f[4], 0x1), 56);
if !(f[4] & 0x0 == 0x0) { return Ending::Done; }
return Ending::Back(4);
Ending::Done
}

fn at_8(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_9(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_24: {
'to_21: {
'to_18: {
'to_12: {
f[6] = 0x1;
if f[19] != 0x5 { break 'to_12; }
f[2] = 0xee;
}
if f[1] != 0x2 { break 'to_18; }
f[21] = 0x0;
if f[21] >= 0xffffffffffffffff { return Ending::Done; }
f[4] = words::keep(u64::wrapping_add(f[4], 0x1), 56);
f[21] = u64::wrapping_add(f[21], 0x1);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(14);
}
if f[1] != 0x3 { break 'to_21; }
if let Err(error) = r.operation(f, 19) { return Ending::Rejected(error); }
return Ending::Done;
}
if f[1] != 0x5 { break 'to_24; }
if let Err(error) = r.operation(f, 22) { return Ending::Rejected(error); }
return Ending::Done;
}
if f[1] != 0x6 { return Ending::Done; }
f[16] = 0x1;
return Ending::Done;
Ending::Done
}

fn at_14(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[21] >= 0xffffffffffffffff { return Ending::Done; }
f[4] = words::keep(u64::wrapping_add(f[4], 0x1), 56);
f[21] = u64::wrapping_add(f[21], 0x1);
if !r.jump_back() { return Ending::TooLong; } return Ending::Back(14);
Ending::Done
}

fn at_27(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_32: {
'to_30: {
if f[1] == 0x4 { break 'to_30; }
if f[1] == 0x5 { break 'to_30; }
if f[1] != 0x6 { break 'to_32; }
}
if let Err(error) = r.operation(f, 30) { return Ending::Rejected(error); }
return Ending::Done;
}
if f[1] != 0x7 { return Ending::Done; }
if let Err(error) = r.operation(f, 33) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 34) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_36(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_37(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
return Ending::Done;
Ending::Done
}
