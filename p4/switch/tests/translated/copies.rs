// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0xf2713e6b2f2b70cc, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            40 => at_40(f, r),
            62 => at_62(f, r),
            63 => at_63(f, r),
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
'to_37: {
'to_32: {
'to_29: {
'to_26: {
'to_22: {
'to_20: {
'to_15: {
'to_11: {
'to_7: {
f[10] = 0x1;
if f[12] != 0x0 { break 'to_7; }
f[6] = 0x5a;
f[8] = 0x77;
}
if f[1] != 0x1 { break 'to_11; }
if let Err(error) = r.operation(f, 8) { return Ending::Rejected(error); }
f[2] = 0x99;
return Ending::Done;
}
if f[1] != 0x2 { break 'to_15; }
if let Err(error) = r.operation(f, 12) { return Ending::Rejected(error); }
f[2] = 0x99;
return Ending::Done;
}
if f[1] != 0x5 { break 'to_22; }
if f[7] >= 0x3 { break 'to_20; }
f[7] = words::keep(u64::wrapping_add(f[7], 0x1), 56);
f[6] = words::keep(u64::wrapping_add(f[6], 0x1), 56);
if let Err(error) = r.operation(f, 19) { return Ending::Rejected(error); }
}
f[2] = f[7];
f[4] = f[6];
return Ending::Done;
}
if f[1] != 0x6 { break 'to_26; }
f[7] = words::keep(u64::wrapping_add(f[7], 0x1), 56);
f[2] = words::keep(u64::wrapping_add(f[2], 0x10), 56);
return Ending::Done;
}
if f[1] != 0x7 { break 'to_29; }
f[20] = 0x6;
return Ending::Done;
}
if f[1] != 0x8 { break 'to_32; }
if let Err(error) = r.operation(f, 30) { return Ending::Rejected(error); }
return Ending::Done;
}
if f[1] != 0x9 { break 'to_37; }
if let Err(error) = r.operation(f, 33) { return Ending::Rejected(error); }
f[10] = 0x1ff;
f[20] = 0; 
return Ending::Done;
}
if f[1] != 0xa { return Ending::Done; }
if let Err(error) = r.operation(f, 38) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_40(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_58: {
'to_55: {
'to_51: {
'to_49: {
'to_47: {
f[3] = words::keep(f[12] >> 0, 56);
if f[12] != 0x5 { break 'to_47; }
f[4] = words::keep(f[21] >> 0, 56);
if f[21] != 0x9 { return Ending::Done; }
f[10] = 0x1ff;
f[20] = 0; 
return Ending::Done;
}
if f[12] == 0x1 { break 'to_49; }
if f[12] != 0x2 { break 'to_51; }
}
f[4] = words::keep(u64::wrapping_add(f[6], f[8]), 56);
return Ending::Done;
}
if f[1] != 0x3 { break 'to_55; }
if let Err(error) = r.operation(f, 52) { return Ending::Rejected(error); }
f[2] = words::keep(u64::wrapping_add(f[2], 0x1), 56);
return Ending::Done;
}
if f[1] != 0x4 { break 'to_58; }
if let Err(error) = r.operation(f, 56) { return Ending::Rejected(error); }
return Ending::Done;
}
if f[1] != 0x6 { return Ending::Done; }
if f[7] >= 0x3 { return Ending::Done; }
if let Err(error) = r.operation(f, 60) { return Ending::Rejected(error); }
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
