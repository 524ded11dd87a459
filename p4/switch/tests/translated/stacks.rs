// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x966b7f79e2f48c5d, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            15 => at_15(f, r),
            16 => at_16(f, r),
            108 => at_108(f, r),
            109 => at_109(f, r),
            110 => at_110(f, r),
            120 => at_120(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_10: {
'to_4: {
'to_2: {
if !r.jump_back() { return Ending::TooLong; } break 'to_2;
}
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
if !r.jump_back() { return Ending::TooLong; } break 'to_4;
}
if let Err(error) = r.operation(f, 4) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 5) { return Ending::Rejected(error); }
f[37] = words::keep(u64::wrapping_add(f[37], 0x1), 32);
f[39] = words::keep(u64::wrapping_sub(f[37], 0x1), 32);
if f[37] != 0x0 { break 'to_10; }
return Ending::Rejected(0x3);
}
f[59] = words::keep(u64::wrapping_sub(f[37], 0x1), 32);
if let Err(error) = r.operation(f, 11) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 12) { return Ending::Rejected(error); }
if f[62] != 0x1 { return Ending::Done; }
return Ending::Back(3);
Ending::Done
}

fn at_3(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_10: {
'to_4: {
if !r.jump_back() { return Ending::TooLong; } break 'to_4;
}
if let Err(error) = r.operation(f, 4) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 5) { return Ending::Rejected(error); }
f[37] = words::keep(u64::wrapping_add(f[37], 0x1), 32);
f[39] = words::keep(u64::wrapping_sub(f[37], 0x1), 32);
if f[37] != 0x0 { break 'to_10; }
return Ending::Rejected(0x3);
}
f[59] = words::keep(u64::wrapping_sub(f[37], 0x1), 32);
if let Err(error) = r.operation(f, 11) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 12) { return Ending::Rejected(error); }
if f[62] != 0x1 { return Ending::Done; }
return Ending::Back(3);
Ending::Done
}

fn at_15(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_16(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_106: {
'to_104: {
'to_101: {
'to_99: {
'to_98: {
'to_96: {
'to_92: {
'to_90: {
'to_86: {
'to_84: {
'to_80: {
'to_78: {
'to_73: {
'to_72: {
'to_70: {
'to_66: {
'to_64: {
'to_60: {
'to_58: {
'to_54: {
'to_52: {
'to_43: {
'to_37: {
'to_34: {
'to_31: {
'to_29: {
'to_27: {
'to_25: {
'to_22: {
'to_20: {
'to_18: {
f[41] = 0x1;
match f[1] { 0x1 => { break 'to_18; } 0x2 => { break 'to_20; } 0x3 => { break 'to_22; } 0x4 => { break 'to_27; } 0x5 => { break 'to_29; } 0x6 => { break 'to_31; } 0x7 => { break 'to_34; } 0x8 => { break 'to_37; } 0x9 => { break 'to_43; } 0xa => { break 'to_101; } 0xb => { break 'to_104; } _ => { break 'to_106; } }
}
if let Err(error) = r.operation(f, 18) { return Ending::Rejected(error); }
break 'to_106;
}
if let Err(error) = r.operation(f, 20) { return Ending::Rejected(error); }
break 'to_106;
}
if let Err(error) = r.operation(f, 22) { return Ending::Rejected(error); }
if f[4] != 0 { break 'to_25; }
f[4] = 0x1;
}
f[5] = 0x2a;
f[6] = 0x1;
break 'to_106;
}
if let Err(error) = r.operation(f, 27) { return Ending::Rejected(error); }
break 'to_106;
}
if let Err(error) = r.operation(f, 29) { return Ending::Rejected(error); }
break 'to_106;
}
if let Err(error) = r.operation(f, 31) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 32) { return Ending::Rejected(error); }
break 'to_106;
}
if let Err(error) = r.operation(f, 34) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 35) { return Ending::Rejected(error); }
break 'to_106;
}
f[18] = f[6]; f[17] = f[5]; f[16] = f[4];
f[21] = f[9]; f[20] = f[8]; f[19] = f[7];
f[24] = f[12]; f[23] = f[11]; f[22] = f[10];
f[27] = f[15]; f[26] = f[14]; f[25] = f[13];
if let Err(error) = r.operation(f, 41) { return Ending::Rejected(error); }
break 'to_106;
}
f[18] = f[6]; f[17] = f[5];
f[21] = f[9]; f[20] = f[8]; f[19] = f[7];
f[24] = f[12]; f[23] = f[11]; f[22] = f[10];
f[27] = f[15]; f[26] = f[14]; f[25] = f[13];
f[38] = f[37];
if f[4] == 0 { break 'to_52; }
if f[4] == 0 { break 'to_52; }
if f[5] != f[5] { break 'to_52; }
if f[6] == f[6] { break 'to_54; }
}
if f[4] != 0 { break 'to_73; }
if f[4] != 0 { break 'to_73; }
}
if f[7] == 0 { break 'to_58; }
if f[7] == 0 { break 'to_58; }
if f[8] != f[8] { break 'to_58; }
if f[9] == f[9] { break 'to_60; }
}
if f[7] != 0 { break 'to_73; }
if f[7] != 0 { break 'to_73; }
}
if f[10] == 0 { break 'to_64; }
if f[10] == 0 { break 'to_64; }
if f[11] != f[11] { break 'to_64; }
if f[12] == f[12] { break 'to_66; }
}
if f[10] != 0 { break 'to_73; }
if f[10] != 0 { break 'to_73; }
}
if f[13] == 0 { break 'to_70; }
if f[13] == 0 { break 'to_70; }
if f[14] != f[14] { break 'to_70; }
if f[15] == f[15] { break 'to_72; }
}
if f[13] != 0 { break 'to_73; }
if f[13] != 0 { break 'to_73; }
}
f[2] = 0x1;
}
f[16] = 0; 
if f[16] == 0 { break 'to_78; }
if f[4] == 0 { break 'to_78; }
if f[5] != f[5] { break 'to_78; }
if f[6] == f[6] { break 'to_80; }
}
if f[16] != 0 { break 'to_98; }
if f[4] != 0 { break 'to_98; }
}
if f[7] == 0 { break 'to_84; }
if f[7] == 0 { break 'to_84; }
if f[8] != f[8] { break 'to_84; }
if f[9] == f[9] { break 'to_86; }
}
if f[7] != 0 { break 'to_98; }
if f[7] != 0 { break 'to_98; }
}
if f[10] == 0 { break 'to_90; }
if f[10] == 0 { break 'to_90; }
if f[11] != f[11] { break 'to_90; }
if f[12] == f[12] { break 'to_92; }
}
if f[10] != 0 { break 'to_98; }
if f[10] != 0 { break 'to_98; }
}
if f[13] == 0 { break 'to_96; }
if f[13] == 0 { break 'to_96; }
if f[14] != f[14] { break 'to_96; }
if f[15] == f[15] { break 'to_99; }
}
if f[13] != 0 { break 'to_98; }
if f[13] == 0 { break 'to_99; }
}
f[2] = words::keep(u64::wrapping_add(f[2], 0x2), 56);
}
if let Err(error) = r.operation(f, 99) { return Ending::Rejected(error); }
break 'to_106;
}
f[62] = words::keep(f[39] >> 0, 56);
f[2] = words::keep(u64::wrapping_add(f[62], 0x4), 56);
break 'to_106;
}
if let Err(error) = r.operation(f, 104) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 105) { return Ending::Rejected(error); }
}
match run(120, f, r) { Ending::Returned => {} ending => return ending }
return Ending::Done;
Ending::Done
}

fn at_108(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_109(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_110(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
if let Err(error) = r.operation(f, 111) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 112) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 113) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 114) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 115) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 116) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 117) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 118) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_120(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_129: {
'to_127: {
'to_125: {
'to_123: {
f[56] = 0x0;
if f[4] == 0 { break 'to_123; }
f[56] = 0x0 | 0x1;
}
if f[7] == 0 { break 'to_125; }
f[56] = f[56] | 0x2;
}
if f[10] == 0 { break 'to_127; }
f[56] = f[56] | 0x4;
}
if f[13] == 0 { break 'to_129; }
f[56] = f[56] | 0x8;
}
f[3] = f[56];
return Ending::Returned;
Ending::Done
}
