// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x2852607cb56e7765, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            10 => at_10(f, r),
            11 => at_11(f, r),
            70 => at_70(f, r),
            71 => at_71(f, r),
            72 => at_72(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_7: {
'to_5: {
'to_2: {
if !r.jump_back() { return Ending::TooLong; } break 'to_2;
}
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
if !(f[1] & 0x80 == 0x80) { break 'to_5; }
break 'to_7;
}
if let Err(error) = r.extract(f, 1) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Err(error) = r.extract(f, 2) { return Ending::Rejected(error); }
if let Err(error) = r.extract(f, 3) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_10(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_11(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_68: {
'to_66: {
'to_64: {
'to_62: {
'to_59: {
'to_55: {
'to_53: {
'to_49: {
'to_47: {
'to_45: {
'to_42: {
'to_40: {
'to_37: {
'to_35: {
'to_33: {
'to_30: {
'to_28: {
'to_26: {
'to_25: {
'to_23: {
'to_19: {
'to_18: {
'to_16: {
f[26] = 0x1;
f[44] = 0x0;
if f[3] == 0 { break 'to_16; }
if f[6] == 0 { break 'to_16; }
if f[4] != f[7] { break 'to_16; }
if f[5] == f[8] { break 'to_18; }
}
if f[3] != 0 { break 'to_19; }
if f[6] != 0 { break 'to_19; }
}
f[44] = 0x0 | 0x1;
}
if f[9] == 0 { break 'to_23; }
if f[12] == 0 { break 'to_23; }
if f[10] != f[13] { break 'to_23; }
if f[11] == f[14] { break 'to_25; }
}
if f[9] != 0 { break 'to_26; }
if f[12] != 0 { break 'to_26; }
}
f[44] = f[44] | 0x2;
}
f[51] = f[1] & 0x7f;
match f[51] { 0x1 => { break 'to_28; } 0x2 => { break 'to_30; } 0x3 => { break 'to_35; } 0x4 => { break 'to_37; } 0x5 => { break 'to_40; } 0x6 => { break 'to_42; } 0x7 => { break 'to_47; } 0x8 => { break 'to_49; } 0x9 => { break 'to_55; } 0xa => { break 'to_59; } _ => { break 'to_62; } }
}
f[7] = 0x77;
break 'to_62;
}
if f[6] != 0 { break 'to_33; }
f[20] = 0; 
f[6] = 0x1;
}
f[7] = 0x11;
f[8] = 0x22;
break 'to_62;
}
f[3] = 0; 
break 'to_62;
}
f[8] = f[5]; f[7] = f[4]; f[6] = f[3];
f[3] = 0; 
break 'to_62;
}
f[3] = f[6]; f[4] = f[7]; f[5] = f[8];
break 'to_62;
}
if f[6] != 0 { break 'to_45; }
f[20] = 0; 
f[6] = 0x1;
}
f[7] = 0xab;
f[8] = 0xcd;
break 'to_62;
}
f[3] = 0; 
break 'to_62;
}
f[11] = f[5]; f[10] = f[4]; f[9] = f[3];
if f[12] != 0 { break 'to_53; }
f[22] = 0; 
f[12] = 0x1;
}
f[13] = 0x1;
f[14] = 0x2;
break 'to_62;
}
f[17] = f[5]; f[16] = f[4]; f[15] = f[3];
f[3] = 0; 
f[6] = f[15]; f[7] = f[16]; f[8] = f[17];
break 'to_62;
}
f[43] = f[5]; f[42] = f[4]; f[41] = f[3];
f[3] = f[6]; f[4] = f[7]; f[5] = f[8];
f[6] = f[41]; f[7] = f[42]; f[8] = f[43];
}
if f[3] == 0 { break 'to_64; }
f[44] = f[44] | 0x4;
}
if f[6] == 0 { break 'to_66; }
f[44] = f[44] | 0x8;
}
if f[12] == 0 { break 'to_68; }
f[44] = f[44] | 0x10;
}
f[2] = f[44];
return Ending::Done;
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
if f[3] & 1 != 0 { r.emit(f, 1); }
if f[6] & 1 != 0 { r.emit(f, 2); }
if f[9] & 1 != 0 { r.emit(f, 3); }
if f[12] & 1 != 0 { r.emit(f, 4); }
return Ending::Done;
Ending::Done
}
