// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x42607e98d011c2e, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            38 => at_38(f, r),
            39 => at_39(f, r),
            40 => at_40(f, r),
            42 => at_42(f, r),
            44 => at_44(f, r),
            46 => at_46(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if let Some(header) = r.header::<8>() {
let word = words::load(header, 0);
f[1] = word << 0 >> 56;
f[2] = word << 8 >> 56;
f[3] = word << 16 >> 32;
f[4] = word << 48 >> 48;
f[0] = 1;
f[5] = r.place();
r.advance(64);
} else if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_3(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_4(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_34: {
'to_32: {
'to_30: {
'to_28: {
'to_26: {
'to_23: {
'to_21: {
'to_19: {
'to_16: {
'to_14: {
'to_11: {
'to_9: {
'to_7: {
'to_5: {
match f[1] { 0x1 => { break 'to_7; } 0x2 => { break 'to_9; } 0x3 => { break 'to_11; } 0x4 => { break 'to_14; } 0x5 => { break 'to_16; } 0x6 => { break 'to_19; } 0x7 => { break 'to_21; } 0x8 => { break 'to_23; } 0x9 => { break 'to_34; } _ => { break 'to_5; } }
}
match match r.apply(f, 0) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
match match r.apply(f, 1) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
match match r.apply(f, 2) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(46) => run(46, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
f[27] = f[4];
f[28] = f[3];
match match r.apply(f, 3) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
match match r.apply(f, 4) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
f[27] = f[4];
f[28] = f[3];
match match r.apply(f, 5) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
match match r.apply(f, 6) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
match match r.apply(f, 7) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(46) => run(46, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
return Ending::Done;
}
match match r.apply(f, 8) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(46) => run(46, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
if f[24] != 0x0 { break 'to_26; }
break 'to_30;
}
if f[24] != 0x2 { break 'to_28; }
break 'to_32;
}
f[2] = 0x77;
return Ending::Done;
}
f[2] = words::keep(u64::wrapping_add(f[2], 0x40), 56);
return Ending::Done;
}
f[8] = 0x4;
return Ending::Done;
}
match match r.apply(f, 9) { Some(42) => run(42, f, r), Some(44) => run(44, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
if f[25] != 0 { return Ending::Done; }
f[8] = 0x5;
return Ending::Done;
Ending::Done
}

fn at_38(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_39(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_40(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<8>(f[5]) {
let word = words::load(header, 0) & 0xff00ffffffffffff | f[2].rotate_left(48) & 0xff000000000000;
words::store(header, 0, word);
} else { r.emit(f, 0); }
}
return Ending::Done;
Ending::Done
}

fn at_42(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[2] = f[23];
f[8] = 0x1;
return Ending::Returned;
Ending::Done
}

fn at_44(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[2] = 0xff;
f[8] = 0x2;
return Ending::Returned;
Ending::Done
}

fn at_46(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[8] = 0x1ff;
f[18] = 0; 
return Ending::Returned;
Ending::Done
}
