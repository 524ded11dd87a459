// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x53b34aaab3b5948b, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            2 => at_2(f, r),
            8 => at_8(f, r),
            27 => at_27(f, r),
            38 => at_38(f, r),
            39 => at_39(f, r),
            72 => at_72(f, r),
            73 => at_73(f, r),
            74 => at_74(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_2(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_36: {
'to_33: {
'to_30: {
'to_23: {
'to_19: {
'to_16: {
'to_13: {
'to_9: {
'to_8: {
'to_5: {
'to_3: {
if !r.jump_back() { return Ending::TooLong; } break 'to_3;
}
if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
match f[1] { 0x1 => { break 'to_5; } 0x2 => { break 'to_8; } 0x3 => { break 'to_13; } 0x4 => { break 'to_16; } 0x5 => { break 'to_19; } 0x6 => { break 'to_23; } _ => { return Ending::Done; } }
}
f[4] = 0; 
f[6] = 0; 
break 'to_30;
}
if !r.jump_back() { return Ending::TooLong; } break 'to_9;
}
if let Err(error) = r.operation(f, 9) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 10) { return Ending::Rejected(error); }
f[24] = words::keep(u64::wrapping_add(f[24], 0x1), 32);
return Ending::Back(8);
}
if let Err(error) = r.operation(f, 13) { return Ending::Rejected(error); }
if let Some(header) = r.header::<1>() {
f[15] = 1;
f[23] = r.place();
r.advance(8);
} else if let Err(error) = r.extract(f, 1) { return Ending::Rejected(error); }
return Ending::Done;
}
if f[2] != 0x1 { return Ending::Rejected(0x2); }
return Ending::Done;
}
f[45] = 0x0 | f[2] << 56 >> 56 << 3;
if let Err(error) = r.operation(f, 20) { return Ending::Rejected(error); }
if let Some(header) = r.header::<1>() {
f[15] = 1;
f[23] = r.place();
r.advance(8);
} else if let Err(error) = r.extract(f, 2) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Err(error) = r.operation(f, 23) { return Ending::Rejected(error); }
f[2] = words::keep(f[42] >> 0, 56);
if let Some(header) = r.header::<1>() {
f[15] = 1;
f[23] = r.place();
r.advance(8);
} else if let Err(error) = r.extract(f, 3) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Err(error) = r.extract(f, 5) { return Ending::Rejected(error); }
if f[5] != 0x0 { break 'to_33; }
return Ending::Rejected(0x7);
}
if let Some(header) = r.header::<4>() {
f[6] = 1;
f[19] = r.place();
r.advance(32);
} else if let Err(error) = r.extract(f, 6) { return Ending::Rejected(error); }
if f[5] != 0x1 { break 'to_36; }
return Ending::Rejected(0x8);
}
if f[5] != 0x2 { return Ending::Back(27); }
return Ending::Rejected(0x0);
Ending::Done
}

fn at_8(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_9: {
if !r.jump_back() { return Ending::TooLong; } break 'to_9;
}
if let Err(error) = r.operation(f, 9) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 10) { return Ending::Rejected(error); }
f[24] = words::keep(u64::wrapping_add(f[24], 0x1), 32);
return Ending::Back(8);
Ending::Done
}

fn at_27(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_28: {
if !r.jump_back() { return Ending::TooLong; } break 'to_28;
}
if let Some(header) = r.header::<1>() {
f[15] = 1;
f[23] = r.place();
r.advance(8);
} else if let Err(error) = r.extract(f, 4) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_38(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_39(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_70: {
'to_67: {
'to_64: {
'to_61: {
'to_58: {
'to_55: {
'to_52: {
'to_50: {
'to_48: {
'to_46: {
'to_44: {
'to_42: {
f[27] = 0x1;
f[3] = 0x0;
if f[4] == 0 { break 'to_42; }
f[3] = words::keep(u64::wrapping_add(0x0, 0x1), 56);
}
if f[6] == 0 { break 'to_44; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x2), 56);
}
if f[10] == 0 { break 'to_46; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x4), 56);
}
if f[12] == 0 { break 'to_48; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x8), 56);
}
if f[15] == 0 { break 'to_50; }
f[3] = words::keep(u64::wrapping_add(f[3], 0x10), 56);
}
if f[40] != 0x0 { break 'to_52; }
return Ending::Done;
}
if f[40] != 0x7 { break 'to_55; }
f[2] = 0xa1;
return Ending::Done;
}
if f[40] != 0x8 { break 'to_58; }
f[2] = 0xa2;
return Ending::Done;
}
if f[40] != 0x1 { break 'to_61; }
f[2] = 0xa3;
return Ending::Done;
}
if f[40] != 0x3 { break 'to_64; }
f[2] = 0xa4;
return Ending::Done;
}
if f[40] != 0x4 { break 'to_67; }
f[2] = 0xa5;
return Ending::Done;
}
if f[40] != 0x2 { break 'to_70; }
f[2] = 0xa6;
return Ending::Done;
}
f[2] = 0xaf;
return Ending::Done;
Ending::Done
}

fn at_72(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_73(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_74(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 { r.emit(f, 0); }
if f[4] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<1>(f[18]) {
} else { r.emit(f, 1); }
}
if f[6] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<4>(f[19]) {
} else { r.emit(f, 2); }
}
if let Err(error) = r.operation(f, 77) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 78) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 79) { return Ending::Rejected(error); }
if f[15] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<1>(f[23]) {
} else { r.emit(f, 3); }
}
return Ending::Done;
Ending::Done
}
