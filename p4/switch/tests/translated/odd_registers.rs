// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x7a692899e0c2487b, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            3 => at_3(f, r),
            4 => at_4(f, r),
            34 => at_34(f, r),
            35 => at_35(f, r),
            36 => at_36(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if let Some(header) = r.header::<11>() {
let word = words::load(header, 0);
f[1] = word << 0 >> 56;
f[2] = word << 8 >> 56;
f[4] = word << 16 >> 56;
let word = words::load(header, 3);
f[3] = word << 0 >> 0;
f[0] = 1;
f[5] = r.place();
r.advance(88);
} else if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_3(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_4(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_31: {
'to_27: {
'to_24: {
'to_21: {
'to_18: {
'to_15: {
'to_12: {
'to_9: {
'to_6: {
f[8] = 0x1;
match f[1] { 0x1 => { break 'to_6; } 0x2 => { break 'to_9; } 0x3 => { break 'to_12; } 0x4 => { break 'to_15; } 0x5 => { break 'to_18; } 0x6 => { break 'to_21; } 0x7 => { break 'to_24; } 0x8 => { break 'to_27; } 0x9 => { break 'to_31; } _ => { return Ending::Done; } }
}
f[38] = words::keep(f[3] >> 0, 63);
r.write(0, f[2], f[38]);
return Ending::Done;
}
f[24] = r.read(0, f[2]);
f[3] = f[24];
f[4] = 0x0;
return Ending::Done;
}
f[38] = words::keep(f[3] >> 0, 57);
r.write(1, f[2], f[38]);
return Ending::Done;
}
f[25] = r.read(1, f[2]);
f[3] = f[25];
f[4] = 0x0;
return Ending::Done;
}
f[39] = f[3];
f[40] = f[4] & 0x1;
r.write_limbs(2, f[2], [f[39], f[40]]);
return Ending::Done;
}
{ let e = r.read_limbs::<2>(2, f[2]); f[26] = e[0]; f[27] = e[1]; }
f[3] = f[26]; f[4] = f[27];
return Ending::Done;
}
f[38] = words::keep(f[3] >> 0, 31);
r.write(3, f[2], f[38]);
return Ending::Done;
}
f[28] = r.read(3, f[2]);
if let Err(error) = r.operation(f, 28) { return Ending::Rejected(error); }
f[3] = f[38];
f[4] = 0x0;
return Ending::Done;
}
if let Err(error) = r.operation(f, 31) { return Ending::Rejected(error); }
if let Err(error) = r.operation(f, 32) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_34(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_35(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
return Ending::Done;
Ending::Done
}

fn at_36(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<11>(f[5]) {
let word = words::load(header, 0) & 0xffff000000000000 | f[3].rotate_left(40) & 0xffffffffff | f[4].rotate_left(40) & 0xff0000000000;
words::store(header, 0, word);
let word = words::load(header, 3) & 0x0 | f[3];
words::store(header, 3, word);
} else { r.emit(f, 0); }
}
return Ending::Done;
Ending::Done
}
