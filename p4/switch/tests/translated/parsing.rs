// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0xd64a907e482dc1db, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            2 => at_2(f, r),
            50 => at_50(f, r),
            51 => at_51(f, r),
            62 => at_62(f, r),
            63 => at_63(f, r),
            109 => at_109(f, r),
            110 => at_110(f, r),
            111 => at_111(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_2(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_57: {
'to_52: {
'to_51: {
'to_48: {
'to_45: {
'to_42: {
'to_40: {
'to_38: {
'to_35: {
'to_31: {
'to_27: {
'to_23: {
'to_21: {
'to_16: {
'to_11: {
'to_9: {
'to_6: {
'to_3: {
if !r.jump_back() { return Ending::TooLong; } break 'to_3;
}
if let Err(error) = r.operation(f, 3) { return Ending::Rejected(error); }
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
match f[1] { 0x1 => { break 'to_11; } 0x2 => { break 'to_16; } 0x3 => { break 'to_23; } 0x4 => { break 'to_27; } 0x5 => { break 'to_42; } _ => { break 'to_6; } }
}
if let Err(error) = r.operation(f, 6) { return Ending::Rejected(error); }
if f[58] == 0 { break 'to_9; }
break 'to_45;
}
if !(f[1] & 0xf0 == 0x40) { return Ending::Done; }
break 'to_48;
}
f[4] = 0; 
f[7] = 0; 
f[10] = 0; 
f[34] = 0x0;
break 'to_51;
}
if let Err(error) = r.operation(f, 16) { return Ending::Rejected(error); }
if f[53] < 0x0 { break 'to_21; }
if 0x9 < f[53] { break 'to_21; }
if let Err(error) = r.extract(f, 1) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Some(header) = r.header::<4>() {
f[16] = 1;
f[13] = 0;
f[31] = r.place();
r.advance(32);
} else if let Err(error) = r.extract(f, 2) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Err(error) = r.operation(f, 23) { return Ending::Rejected(error); }
f[58] = words::keep(u64::wrapping_mul(f[54], 0x8), 32);
if let Err(error) = r.operation(f, 25) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Err(error) = r.extract(f, 3) { return Ending::Rejected(error); }
if f[24] != 0x1 { break 'to_31; }
if f[25] != 0x5 { break 'to_31; }
break 'to_38;
}
if !(f[24] & 0x2 == 0x2) { break 'to_35; }
if f[25] < 0x100 { break 'to_35; }
if 0x1ff < f[25] { break 'to_35; }
break 'to_40;
}
if f[25] != 0x7 { return Ending::Rejected(0x2); }
return Ending::Rejected(0x0);
}
f[35] = 0x1;
return Ending::Done;
}
f[35] = 0x2;
return Ending::Done;
}
if let Err(error) = r.operation(f, 42) { return Ending::Rejected(error); }
if let Some(header) = r.header::<2>() {
f[23] = 1;
f[33] = r.place();
r.advance(16);
} else if let Err(error) = r.extract(f, 4) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Err(error) = r.operation(f, 45) { return Ending::Rejected(error); }
f[35] = f[55];
return Ending::Done;
}
if 0x3 < f[3] { return Ending::Done; }
return Ending::Rejected(0x7);
}
if !r.jump_back() { return Ending::TooLong; } break 'to_52;
}
if let Err(error) = r.operation(f, 52) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 53) { return Ending::Rejected(error); }
f[34] = words::keep(u64::wrapping_add(f[34], 0x1), 32);
if f[34] != 0x0 { break 'to_57; }
return Ending::Rejected(0x3);
}
f[58] = words::keep(u64::wrapping_sub(f[34], 0x1), 32);
if let Err(error) = r.operation(f, 58) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 59) { return Ending::Rejected(error); }
if f[74] != 0x1 { return Ending::Back(51); }
return Ending::Back(50);
Ending::Done
}

fn at_50(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if !r.jump_back() { return Ending::TooLong; } return Ending::Done;
Ending::Done
}

fn at_51(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_57: {
'to_52: {
if !r.jump_back() { return Ending::TooLong; } break 'to_52;
}
if let Err(error) = r.operation(f, 52) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 53) { return Ending::Rejected(error); }
f[34] = words::keep(u64::wrapping_add(f[34], 0x1), 32);
if f[34] != 0x0 { break 'to_57; }
return Ending::Rejected(0x3);
}
f[58] = words::keep(u64::wrapping_sub(f[34], 0x1), 32);
if let Err(error) = r.operation(f, 58) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 59) { return Ending::Rejected(error); }
if f[74] != 0x1 { return Ending::Back(51); }
return Ending::Back(50);
Ending::Done
}

fn at_62(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_63(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_106: {
'to_104: {
'to_102: {
'to_97: {
'to_95: {
'to_94: {
'to_89: {
'to_85: {
'to_83: {
'to_82: {
'to_79: {
'to_76: {
'to_73: {
'to_70: {
'to_67: {
f[38] = 0x1;
if f[51] != 0x0 { break 'to_67; }
f[2] = 0x0;
break 'to_83;
}
if f[51] != 0x1 { break 'to_70; }
f[2] = 0x1;
break 'to_83;
}
if f[51] != 0x2 { break 'to_73; }
f[2] = 0x2;
break 'to_83;
}
if f[51] != 0x3 { break 'to_76; }
f[2] = 0x3;
break 'to_83;
}
if f[51] != 0x4 { break 'to_79; }
f[2] = 0x4;
break 'to_83;
}
if f[51] != 0x7 { break 'to_82; }
f[2] = 0x5;
break 'to_83;
}
f[2] = 0x9;
}
if f[4] == 0 { break 'to_85; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x1), 56);
}
if f[10] == 0 { break 'to_89; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x10), 56);
if let Err(error) = r.operation(f, 87) { return Ending::Rejected(error); }
break 'to_95;
}
if f[7] == 0 { break 'to_95; }
if let Err(error) = r.operation(f, 90) { return Ending::Rejected(error); }
if f[4] != 0 { break 'to_94; }
f[6] = 0; 
f[4] = 0x1;
}
f[5] = 0x7f;
}
if f[13] == 0 { break 'to_97; }
f[3] = 0x51;
}
if f[16] == 0 { break 'to_104; }
f[3] = 0x52;
if f[13] != 0 { break 'to_102; }
f[30] = 0; 
f[13] = 0x1;
}
f[16] = 0; 
f[15] = 0xab;
}
if f[35] == 0x0 { break 'to_106; }
f[3] = f[35];
}
if f[1] != 0x50 { return Ending::Done; }
f[3] = words::keep(f[36] >> 0, 56);
return Ending::Done;
Ending::Done
}

fn at_109(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_110(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_111(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
if let Err(error) = r.operation(f, 112) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 113) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 114) { return Ending::Rejected(error); }
if f[13] & 1 != 0 { r.emit(f, 1); }
if f[16] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<4>(f[31]) {
} else { r.emit(f, 2); }
}
if let Err(error) = r.operation(f, 117) { return Ending::Rejected(error); }
if f[23] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<2>(f[33]) {
} else { r.emit(f, 3); }
}
return Ending::Done;
Ending::Done
}
