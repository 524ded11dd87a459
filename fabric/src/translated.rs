// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x49dd0aeaa4583642, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            50 => at_50(f, r),
            57 => at_57(f, r),
            662 => at_662(f, r),
            799 => at_799(f, r),
            806 => at_806(f, r),
            820 => at_820(f, r),
            822 => at_822(f, r),
            824 => at_824(f, r),
            826 => at_826(f, r),
            828 => at_828(f, r),
            _ => Ending::Done,
        };
        let Ending::Back(to) = ending else { return ending };
        pc = to;
    }
}

fn at_1(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_48: {
'to_46: {
'to_43: {
'to_40: {
'to_38: {
'to_36: {
'to_33: {
'to_30: {
'to_27: {
'to_24: {
'to_22: {
'to_20: {
'to_17: {
'to_15: {
'to_11: {
'to_9: {
'to_7: {
'to_4: {
'to_2: {
if !r.jump_back() { return Ending::TooLong; } break 'to_2;
}
if let Some(header) = r.header::<14>() {
let word = words::load(header, 0);
f[1] = word << 0 >> 16;
let word = words::load(header, 6);
f[2] = word << 0 >> 16;
f[3] = word << 48 >> 48;
f[0] = 1;
f[96] = r.place();
r.advance(112);
} else if let Err(error) = r.extract(f, 0) { return Ending::Rejected(error); }
match f[3] { 0x800 => { break 'to_17; } 0x8100 => { break 'to_4; } 0x86dd => { break 'to_33; } 0x8808 => { break 'to_11; } 0x88b5 => { break 'to_15; } _ => { return Ending::Done; } }
}
if let Err(error) = r.extract(f, 1) { return Ending::Rejected(error); }
if f[8] != 0x800 { break 'to_7; }
break 'to_17;
}
if f[8] != 0x86dd { break 'to_9; }
break 'to_33;
}
if f[8] != 0x88b5 { return Ending::Done; }
break 'to_15;
}
if let Err(error) = r.extract(f, 2) { return Ending::Rejected(error); }
if f[10] != 0x101 { return Ending::Done; }
if let Some(header) = r.header::<18>() {
let word = words::load(header, 0);
f[12] = word << 0 >> 48;
f[13] = word << 16 >> 48;
f[14] = word << 32 >> 48;
f[15] = word << 48 >> 48;
let word = words::load(header, 8);
f[16] = word << 0 >> 48;
f[17] = word << 16 >> 48;
f[18] = word << 32 >> 48;
f[19] = word << 48 >> 48;
let word = words::load(header, 10);
f[20] = word << 48 >> 48;
f[11] = 1;
f[99] = r.place();
r.advance(144);
} else if let Err(error) = r.extract(f, 3) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Some(header) = r.header::<44>() {
let word = words::load(header, 0);
f[22] = word << 0 >> 60;
f[24] = word << 6 >> 62;
f[25] = word << 8 >> 56;
f[26] = word << 16 >> 56;
f[27] = word << 24 >> 56;
f[28] = word << 32 >> 32;
let word = words::load(header, 8);
f[30] = word << 0 >> 0;
let word = words::load(header, 16);
f[29] = word << 0 >> 0;
let word = words::load(header, 24);
f[32] = word << 0 >> 0;
let word = words::load(header, 32);
f[31] = word << 0 >> 0;
let word = words::load(header, 36);
f[33] = word << 32 >> 48;
f[34] = word << 48 >> 48;
f[21] = 1;
f[100] = r.place();
r.advance(352);
} else if let Err(error) = r.extract(f, 4) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Some(header) = r.header::<20>() {
let word = words::load(header, 0);
f[36] = word << 0 >> 60;
f[37] = word << 4 >> 60;
f[38] = word << 8 >> 58;
f[39] = word << 14 >> 62;
f[40] = word << 16 >> 48;
f[41] = word << 32 >> 48;
f[42] = word << 48 >> 61;
f[43] = word << 51 >> 51;
let word = words::load(header, 8);
f[44] = word << 0 >> 56;
f[45] = word << 8 >> 56;
f[46] = word << 16 >> 48;
f[47] = word << 32 >> 32;
let word = words::load(header, 12);
f[48] = word << 32 >> 32;
f[35] = 1;
f[101] = r.place();
r.advance(160);
} else if let Err(error) = r.extract(f, 5) { return Ending::Rejected(error); }
if f[36] == 0x4 { break 'to_20; }
return Ending::Rejected(0x7);
}
if f[37] >= 0x5 { break 'to_22; }
return Ending::Rejected(0x8);
}
if f[37] != 0x5 { break 'to_24; }
break 'to_27;
}
f[587] = words::keep(u64::wrapping_sub(f[37], 0x5), 48);
f[589] = words::keep(u64::wrapping_mul(f[587], 0x20), 48);
if let Err(error) = r.operation(f, 26) { return Ending::Rejected(error); }
}
if f[43] != 0x0 { break 'to_30; }
if f[45] != 0x11 { break 'to_30; }
break 'to_40;
}
if f[43] != 0x0 { return Ending::Done; }
if f[45] != 0x6 { return Ending::Done; }
break 'to_46;
}
if let Some(header) = r.header::<40>() {
let word = words::load(header, 0);
f[57] = word << 0 >> 60;
f[58] = word << 4 >> 58;
f[61] = word << 32 >> 48;
f[62] = word << 48 >> 56;
f[63] = word << 56 >> 56;
let word = words::load(header, 8);
f[65] = word << 0 >> 0;
let word = words::load(header, 16);
f[64] = word << 0 >> 0;
let word = words::load(header, 24);
f[67] = word << 0 >> 0;
let word = words::load(header, 32);
f[66] = word << 0 >> 0;
f[56] = 1;
f[103] = r.place();
r.advance(320);
} else if let Err(error) = r.extract(f, 6) { return Ending::Rejected(error); }
if f[57] == 0x6 { break 'to_36; }
return Ending::Rejected(0x7);
}
if f[62] != 0x11 { break 'to_38; }
break 'to_40;
}
if f[62] != 0x6 { return Ending::Done; }
break 'to_46;
}
if let Some(header) = r.header::<8>() {
let word = words::load(header, 0);
f[69] = word << 0 >> 48;
f[70] = word << 16 >> 48;
f[68] = 1;
f[104] = r.place();
r.advance(64);
} else if let Err(error) = r.extract(f, 7) { return Ending::Rejected(error); }
if f[70] != 0x12b7 { break 'to_43; }
break 'to_48;
}
if let Err(error) = r.operation(f, 43) { return Ending::Rejected(error); }
if f[587] == 0 { return Ending::Done; }
break 'to_48;
}
if let Some(header) = r.header::<20>() {
let word = words::load(header, 0);
f[74] = word << 0 >> 48;
f[75] = word << 16 >> 48;
let word = words::load(header, 12);
f[78] = word << 0 >> 60;
f[73] = 1;
f[105] = r.place();
r.advance(160);
} else if let Err(error) = r.extract(f, 8) { return Ending::Rejected(error); }
return Ending::Done;
}
if let Some(header) = r.header::<12>() {
let word = words::load(header, 0);
f[85] = word << 0 >> 56;
let word = words::load(header, 4);
f[95] = word << 40 >> 40;
f[84] = 1;
f[106] = r.place();
r.advance(96);
} else if let Err(error) = r.extract(f, 9) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_50(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_53: {
if f[35] == 0 { break 'to_53; }
if f[49] != 0 { break 'to_53; }
if words::checksum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(0, f[48].rotate_left(48) & 0xffff000000000000), f[48].rotate_left(48) & 0xffff), f[47].rotate_left(16) & 0xffffffff0000), f[45].rotate_left(48) & 0xff000000000000), f[44].rotate_left(56) & 0xff00000000000000), f[43]), f[42].rotate_left(13) & 0xe000), f[41].rotate_left(16) & 0xffff0000), f[40].rotate_left(32) & 0xffff00000000), f[39].rotate_left(48) & 0x3000000000000), f[38].rotate_left(50) & 0xfc000000000000), f[37].rotate_left(56) & 0xf00000000000000), f[36].rotate_left(60) & 0xf000000000000000)) & 0xffff != f[46] { r.wrong_checksum(); }
}
if f[35] == 0 { return Ending::Done; }
if f[49] == 0 { return Ending::Done; }
if let Err(error) = r.operation(f, 55) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_57(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_660: {
'to_655: {
'to_654: {
'to_651: {
'to_639: {
'to_638: {
'to_633: {
'to_632: {
'to_627: {
'to_626: {
'to_623: {
'to_612: {
'to_611: {
'to_606: {
'to_604: {
'to_599: {
'to_598: {
'to_593: {
'to_589: {
'to_585: {
'to_584: {
'to_581: {
'to_574: {
'to_557: {
'to_550: {
'to_547: {
'to_536: {
'to_534: {
'to_532: {
'to_531: {
'to_525: {
'to_512: {
'to_511: {
'to_508: {
'to_503: {
'to_498: {
'to_496: {
'to_492: {
'to_487: {
'to_485: {
'to_481: {
'to_473: {
'to_461: {
'to_460: {
'to_458: {
'to_438: {
'to_437: {
'to_435: {
'to_410: {
'to_399: {
'to_398: {
'to_393: {
'to_386: {
'to_383: {
'to_381: {
'to_376: {
'to_374: {
'to_370: {
'to_367: {
'to_364: {
'to_363: {
'to_359: {
'to_354: {
'to_348: {
'to_344: {
'to_340: {
'to_339: {
'to_333: {
'to_328: {
'to_323: {
'to_320: {
'to_316: {
'to_306: {
'to_305: {
'to_299: {
'to_294: {
'to_289: {
'to_286: {
'to_282: {
'to_272: {
'to_271: {
'to_265: {
'to_260: {
'to_255: {
'to_252: {
'to_248: {
'to_238: {
'to_237: {
'to_231: {
'to_226: {
'to_221: {
'to_218: {
'to_214: {
'to_204: {
'to_203: {
'to_197: {
'to_192: {
'to_187: {
'to_184: {
'to_180: {
'to_170: {
'to_169: {
'to_163: {
'to_158: {
'to_153: {
'to_150: {
'to_146: {
'to_136: {
'to_135: {
'to_129: {
'to_124: {
'to_119: {
'to_116: {
'to_112: {
'to_102: {
'to_101: {
'to_95: {
'to_90: {
'to_85: {
'to_82: {
'to_78: {
'to_63: {
'to_59: {
if f[139] != 0x0 { break 'to_59; }
if f[138] != 0x1 { break 'to_63; }
}
if let Err(error) = r.operation(f, 59) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
if f[9] == 0 { break 'to_344; }
if f[11] == 0 { break 'to_340; }
f[148] = words::keep(u64::wrapping_sub(f[125], 0x1), 55);
f[149] = words::keep(f[148] >> 0, 58);
if f[148] >= 0x40 { break 'to_340; }
if !(f[12] & 0x1 == 0x1) { break 'to_102; }
f[166] = 0x0 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[13], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_78; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_90; }
if f[13] == 0x0 { break 'to_82; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_90; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_85; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x0_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[13] == 0x0 { break 'to_101; }
if !(f[161] & 0x10000 == 0x0) { break 'to_95; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_101;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x2 == 0x2) { break 'to_136; }
f[166] = 0x1 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[14], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_112; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_124; }
if f[14] == 0x0 { break 'to_116; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_124; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_119; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x1_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[14] == 0x0 { break 'to_135; }
if !(f[161] & 0x10000 == 0x0) { break 'to_129; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_135;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x4 == 0x4) { break 'to_170; }
f[166] = 0x2 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[15], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_146; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_158; }
if f[15] == 0x0 { break 'to_150; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_158; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_153; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x2_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[15] == 0x0 { break 'to_169; }
if !(f[161] & 0x10000 == 0x0) { break 'to_163; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_169;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x8 == 0x8) { break 'to_204; }
f[166] = 0x3 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[16], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_180; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_192; }
if f[16] == 0x0 { break 'to_184; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_192; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_187; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x3_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[16] == 0x0 { break 'to_203; }
if !(f[161] & 0x10000 == 0x0) { break 'to_197; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_203;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x10 == 0x10) { break 'to_238; }
f[166] = 0x4 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[17], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_214; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_226; }
if f[17] == 0x0 { break 'to_218; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_226; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_221; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x4_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[17] == 0x0 { break 'to_237; }
if !(f[161] & 0x10000 == 0x0) { break 'to_231; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_237;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x20 == 0x20) { break 'to_272; }
f[166] = 0x5 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[18], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_248; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_260; }
if f[18] == 0x0 { break 'to_252; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_260; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_255; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x5_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[18] == 0x0 { break 'to_271; }
if !(f[161] & 0x10000 == 0x0) { break 'to_265; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_271;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x40 == 0x40) { break 'to_306; }
f[166] = 0x6 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[19], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_282; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_294; }
if f[19] == 0x0 { break 'to_286; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_294; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_289; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x6_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[19] == 0x0 { break 'to_305; }
if !(f[161] & 0x10000 == 0x0) { break 'to_299; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_305;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x80 == 0x80) { break 'to_340; }
f[166] = 0x7 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(6, f[149]);
f[587] = words::keep(f[162] >> 0, 25);
f[589] = u64::wrapping_mul(f[20], f[587]);
f[163] = f[589].rotate_left(48) & 0xffffffffffff;
f[589] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[589]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_316; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_328; }
if f[20] == 0x0 { break 'to_320; }
f[587] = f[159].rotate_left(16) & 0xffff;
f[587] = f[587] | f[160].rotate_left(16) & 0xffffffff0000;
if f[587] >= f[134] { break 'to_328; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_323; }
f[165] = f[134];
}
f[599] = f[159].rotate_left(48) & 0xffffffff;
f[599] = f[599] | f[165].rotate_left(32) & 0xffffffff00000000;
f[600] = f[165].rotate_left(32) & 0xffff;
f[600] = f[600] | f[160].rotate_left(48) & 0xffffffff0000;
f[600] = f[600] | f[161].rotate_left(48) & 0xffff000000000000;
f[587] = f[158] & 0xf;
f[587] = f[587] | 0x7_u64.rotate_left(4) & 0x70;
f[587] = f[587] | f[149].rotate_left(7) & 0x1f80;
r.write_limbs(5, f[587], [f[599], f[600]]);
f[587] = words::keep(f[158] >> 0, 32);
f[589] = words::keep(u64::wrapping_add(f[587], 0x1), 32);
f[158] = f[589] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[20] == 0x0 { break 'to_339; }
if !(f[161] & 0x10000 == 0x0) { break 'to_333; }
f[601] = f[158];
f[602] = 0x10000 | f[159] & 0xffff;
f[602] = f[602] | f[164].rotate_left(48) & 0xffff000000000000;
f[603] = f[164].rotate_left(48) & 0xffffffff;
f[603] = f[603] | f[134].rotate_left(32) & 0xffffffff00000000;
f[604] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[601]; f[159] = f[602]; f[160] = f[603]; f[161] = f[604];
break 'to_339;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[589] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[589] << 0 & 0xffffffff;
f[589] = words::keep(f[159] >> 16, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[587] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if let Err(error) = r.operation(f, 340) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
f[141] = 0x1;
f[209] = 0x0;
f[210] = 0x0;
if f[35] == 0 { break 'to_348; }
f[115] = 0x1;
f[117] = f[38];
f[107] = 0xffff00000000 | f[47] & 0xffffffff;
f[108] = 0x0;
f[109] = 0xffff00000000 | f[48] & 0xffffffff;
f[110] = 0x0;
f[113] = f[45];
f[209] = f[37].rotate_left(2) & 0x3c;
f[210] = f[40];
break 'to_364;
}
if f[56] == 0 { break 'to_354; }
f[117] = f[58];
f[108] = f[65]; f[107] = f[64];
f[110] = f[67]; f[109] = f[66];
f[113] = f[62];
f[210] = f[61];
break 'to_364;
}
if f[21] == 0 { break 'to_363; }
f[599] = f[31].rotate_left(32) & 0xffffffff;
f[599] = f[599] | f[32].rotate_left(32) & 0xffffffff00000000;
f[600] = f[32].rotate_left(32) & 0xffffffff;
if f[599] != 0xffff { break 'to_359; }
if f[600] != 0x0 { break 'to_359; }
f[115] = 0x1;
}
f[108] = f[30]; f[107] = f[29];
f[110] = f[32]; f[109] = f[31];
f[111] = f[33];
f[112] = f[34];
f[113] = f[27];
break 'to_364;
}
f[141] = 0x0;
}
if f[68] == 0 { break 'to_367; }
f[111] = f[69];
f[112] = f[70];
break 'to_370;
}
if f[73] == 0 { break 'to_370; }
f[111] = f[74];
f[112] = f[75];
f[587] = f[78].rotate_left(2) & 0x3c;
f[209] = words::keep(u64::wrapping_add(f[209], f[587]), 48);
}
f[116] = 0x1;
if f[21] != 0 { break 'to_374; }
if f[73] == 0 { break 'to_376; }
if f[209] < f[210] { break 'to_376; }
}
f[116] = 0x0;
break 'to_386;
}
if f[84] == 0 { break 'to_386; }
f[118] = f[95];
f[207] = f[85] & 0x1f;
f[208] = f[85].rotate_left(59) & 0x7;
if f[208] != 0x4 { break 'to_381; }
f[116] = 0x0;
break 'to_386;
}
if f[207] == 0x11 { break 'to_383; }
if f[207] != 0x12 { break 'to_386; }
}
if f[208] == 0x1 { break 'to_386; }
if f[208] == 0x3 { break 'to_386; }
f[116] = 0x0;
}
f[613] = f[113].rotate_left(24) & 0xff000000;
f[613] = f[613] | f[112].rotate_left(32) & 0xffff00000000;
f[613] = f[613] | f[111].rotate_left(48) & 0xffff000000000000;
f[614] = f[109];
f[615] = f[110];
f[616] = f[107];
f[617] = f[108];
f[114] = u64::wrapping_add(0x0, words::remainder(words::crc32([f[613], f[614], f[615], f[616], f[617]], 37), 0x100000000)) & 0xffffffff;
if f[141] != 0x0 { break 'to_393; }
if let Err(error) = r.operation(f, 389) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
f[211] = 0x0;
f[212] = 0x0;
if f[115] != 0x1 { break 'to_398; }
f[587] = words::keep(f[109] >> 0, 32);
match match r.apply(f, 0) { Some(820) => run(820, f, r), Some(822) => run(822, f, r), Some(824) => run(824, f, r), Some(826) => run(826, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
break 'to_399;
}
match match r.apply(f, 1) { Some(820) => run(820, f, r), Some(822) => run(822, f, r), Some(824) => run(824, f, r), Some(826) => run(826, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
if f[212] == 0x0 { break 'to_410; }
f[214] = r.read(0, 0x0);
f[587] = f[214] ^ f[114];
f[214] = words::keep(u64::wrapping_mul(f[587], 0x9e3779b1), 32);
f[587] = words::keep(f[214] >> 15, 47);
f[589] = f[214] ^ f[587];
f[214] = words::keep(u64::wrapping_mul(f[589], 0x85ebca77), 32);
f[589] = words::keep(f[214] >> 16, 48);
f[214] = words::keep(u64::wrapping_mul(f[589], f[212]), 32);
f[213] = f[214].rotate_left(48) & 0xffff;
f[599] = f[211];
f[600] = f[213];
match match r.apply(f, 2) { Some(820) => run(820, f, r), Some(822) => run(822, f, r), Some(826) => run(826, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[122] = f[134].rotate_left(44) & 0xfffffff;
f[123] = f[134].rotate_left(44) & 0x3;
if f[21] == 0 { break 'to_492; }
f[223] = f[24];
f[142] = 0x1;
if f[22] != 0x1 { break 'to_487; }
if f[25] == 0x0 { break 'to_487; }
if !(f[24] & 0x1 == 0x1) { break 'to_438; }
f[271] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[271] = f[271] | f[111].rotate_left(24) & 0xffff000000;
f[271] = f[271] | f[109].rotate_left(40) & 0xffffff0000000000;
f[272] = f[109].rotate_left(40) & 0xffffffffff;
f[272] = f[272] | f[110].rotate_left(40) & 0xffffff0000000000;
f[273] = f[110].rotate_left(40) & 0xffffffffff;
f[273] = f[273] | f[107].rotate_left(40) & 0xffffff0000000000;
f[274] = f[107].rotate_left(40) & 0xffffffffff;
f[274] = f[274] | f[108].rotate_left(40) & 0xffffff0000000000;
f[275] = f[108].rotate_left(40) & 0xffffffffff;
f[275] = f[275] | 0x0_u64.rotate_left(40) & 0x1ff0000000000;
f[275] = f[275] | f[28].rotate_left(49) & 0xfffe000000000000;
f[276] = f[28].rotate_left(49) & 0x1ffff;
f[589] = f[114] ^ f[28];
f[587] = 0x0 | 0x0 << 55 >> 55 << 7;
f[620] = f[589] ^ f[587];
f[277] = words::keep(u64::wrapping_mul(f[620], 0x9e3779b1), 32);
f[620] = f[277].rotate_left(42) & 0x3ff;
f[277] = f[620];
{ let e = r.read_limbs::<7>(10, f[620]); f[264] = e[0]; f[265] = e[1]; f[266] = e[2]; f[267] = e[3]; f[268] = e[4]; f[269] = e[5]; f[270] = e[6]; }
f[620] = words::keep(f[264] >> 0, 16);
f[278] = words::keep(u64::wrapping_sub(f[134], f[620]), 16);
f[263] = 0x1;
f[621] = f[264].rotate_left(16) & 0xffff;
f[621] = f[621] | f[265].rotate_left(16) & 0xffffffffffff0000;
f[622] = f[265].rotate_left(16) & 0xffff;
f[622] = f[622] | f[266].rotate_left(16) & 0xffffffffffff0000;
f[623] = f[266].rotate_left(16) & 0xffff;
f[623] = f[623] | f[267].rotate_left(16) & 0xffffffffffff0000;
f[624] = f[267].rotate_left(16) & 0xffff;
f[624] = f[624] | f[268].rotate_left(16) & 0xffffffffffff0000;
f[625] = f[268].rotate_left(16) & 0xffff;
f[625] = f[625] | f[269].rotate_left(16) & 0xffffffffffff0000;
f[626] = f[269].rotate_left(16) & 0xffff;
f[626] = f[626] | f[270].rotate_left(16) & 0x10000;
if f[621] != f[271] { break 'to_435; }
if f[622] != f[272] { break 'to_435; }
if f[623] != f[273] { break 'to_435; }
if f[624] != f[274] { break 'to_435; }
if f[625] != f[275] { break 'to_435; }
if f[626] != f[276] { break 'to_435; }
if !(f[278] & 0xffffc0000000 == 0x0) { break 'to_435; }
f[263] = 0x0;
break 'to_437;
}
f[627] = f[134] | f[271].rotate_left(48) & 0xffff000000000000;
f[628] = f[271].rotate_left(48) & 0xffffffffffff;
f[628] = f[628] | f[272].rotate_left(48) & 0xffff000000000000;
f[629] = f[272].rotate_left(48) & 0xffffffffffff;
f[629] = f[629] | f[273].rotate_left(48) & 0xffff000000000000;
f[630] = f[273].rotate_left(48) & 0xffffffffffff;
f[630] = f[630] | f[274].rotate_left(48) & 0xffff000000000000;
f[631] = f[274].rotate_left(48) & 0xffffffffffff;
f[631] = f[631] | f[275].rotate_left(48) & 0xffff000000000000;
f[632] = f[275].rotate_left(48) & 0xffffffffffff;
f[632] = f[632] | f[276].rotate_left(48) & 0xffff000000000000;
f[633] = f[276].rotate_left(48) & 0x1;
r.write_limbs(10, f[277], [f[627], f[628], f[629], f[630], f[631], f[632], f[633]]);
}
f[24] = f[24] & 0xfffffffffffffffe | f[263] << 0 & 0x1;
}
if !(f[223] & 0x2 == 0x2) { break 'to_461; }
f[271] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[271] = f[271] | f[111].rotate_left(24) & 0xffff000000;
f[271] = f[271] | f[109].rotate_left(40) & 0xffffff0000000000;
f[272] = f[109].rotate_left(40) & 0xffffffffff;
f[272] = f[272] | f[110].rotate_left(40) & 0xffffff0000000000;
f[273] = f[110].rotate_left(40) & 0xffffffffff;
f[273] = f[273] | f[107].rotate_left(40) & 0xffffff0000000000;
f[274] = f[107].rotate_left(40) & 0xffffffffff;
f[274] = f[274] | f[108].rotate_left(40) & 0xffffff0000000000;
f[275] = f[108].rotate_left(40) & 0xffffffffff;
f[275] = f[275] | f[125].rotate_left(40) & 0x1ff0000000000;
f[275] = f[275] | f[28].rotate_left(49) & 0xfffe000000000000;
f[276] = f[28].rotate_left(49) & 0x1ffff;
f[620] = f[114] ^ f[28];
f[587] = 0x0 | f[125] << 55 >> 55 << 7;
f[589] = f[620] ^ f[587];
f[277] = words::keep(u64::wrapping_mul(f[589], 0x9e3779b1), 32);
f[589] = f[277].rotate_left(42) & 0x3ff;
f[277] = f[589];
{ let e = r.read_limbs::<7>(10, f[589]); f[264] = e[0]; f[265] = e[1]; f[266] = e[2]; f[267] = e[3]; f[268] = e[4]; f[269] = e[5]; f[270] = e[6]; }
f[589] = words::keep(f[264] >> 0, 16);
f[278] = words::keep(u64::wrapping_sub(f[134], f[589]), 16);
f[263] = 0x1;
f[621] = f[264].rotate_left(16) & 0xffff;
f[621] = f[621] | f[265].rotate_left(16) & 0xffffffffffff0000;
f[622] = f[265].rotate_left(16) & 0xffff;
f[622] = f[622] | f[266].rotate_left(16) & 0xffffffffffff0000;
f[623] = f[266].rotate_left(16) & 0xffff;
f[623] = f[623] | f[267].rotate_left(16) & 0xffffffffffff0000;
f[624] = f[267].rotate_left(16) & 0xffff;
f[624] = f[624] | f[268].rotate_left(16) & 0xffffffffffff0000;
f[625] = f[268].rotate_left(16) & 0xffff;
f[625] = f[625] | f[269].rotate_left(16) & 0xffffffffffff0000;
f[626] = f[269].rotate_left(16) & 0xffff;
f[626] = f[626] | f[270].rotate_left(16) & 0x10000;
if f[621] != f[271] { break 'to_458; }
if f[622] != f[272] { break 'to_458; }
if f[623] != f[273] { break 'to_458; }
if f[624] != f[274] { break 'to_458; }
if f[625] != f[275] { break 'to_458; }
if f[626] != f[276] { break 'to_458; }
if !(f[278] & 0xffffc0000000 == 0x0) { break 'to_458; }
f[263] = 0x0;
break 'to_460;
}
f[627] = f[134] | f[271].rotate_left(48) & 0xffff000000000000;
f[628] = f[271].rotate_left(48) & 0xffffffffffff;
f[628] = f[628] | f[272].rotate_left(48) & 0xffff000000000000;
f[629] = f[272].rotate_left(48) & 0xffffffffffff;
f[629] = f[629] | f[273].rotate_left(48) & 0xffff000000000000;
f[630] = f[273].rotate_left(48) & 0xffffffffffff;
f[630] = f[630] | f[274].rotate_left(48) & 0xffff000000000000;
f[631] = f[274].rotate_left(48) & 0xffffffffffff;
f[631] = f[631] | f[275].rotate_left(48) & 0xffff000000000000;
f[632] = f[275].rotate_left(48) & 0xffffffffffff;
f[632] = f[632] | f[276].rotate_left(48) & 0xffff000000000000;
f[633] = f[276].rotate_left(48) & 0x1;
r.write_limbs(10, f[277], [f[627], f[628], f[629], f[630], f[631], f[632], f[633]]);
}
f[24] = f[24] & 0xfffffffffffffffd | f[263] << 1 & 0x2;
}
if f[24] == 0x0 { break 'to_487; }
f[225] = 0x0;
{ let e = r.read_limbs::<2>(1, 0x0); f[226] = e[0]; f[227] = e[1]; }
f[295] = r.read(2, 0x0);
f[589] = words::keep(f[227] >> 48, 48);
if f[589] != f[295] { break 'to_473; }
f[589] = words::keep(f[227] >> 48, 48);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 48);
f[599] = f[226] & 0xffffffff;
f[599] = f[599] | f[134].rotate_left(32) & 0xffffffff00000000;
f[600] = f[134].rotate_left(32) & 0xffff;
f[600] = f[600] | f[28].rotate_left(16) & 0xffffffff0000;
f[600] = f[600] | f[587].rotate_left(48) & 0xffff000000000000;
f[226] = f[599]; f[227] = f[600];
r.write_limbs(1, 0x0, [f[599], f[600]]);
f[225] = 0x1;
}
f[242] = f[122] & 0xfffffff;
f[587] = f[227].rotate_left(16) & 0xffff;
f[244] = words::keep(u64::wrapping_sub(f[587], 0x1), 48);
f[245] = f[227].rotate_left(48) & 0xffffffff;
f[246] = f[226].rotate_left(32) & 0xffffffff;
f[246] = f[246] | f[227].rotate_left(32) & 0xffff00000000;
f[247] = f[226] & 0xffffffff;
if let Err(error) = r.operation(f, 476) { return Ending::Rejected(error); }
f[119] = 0x7;
f[140] = 0x7;
f[25] = words::keep(u64::wrapping_sub(f[25], 0x1), 56);
if !(f[24] & 0x1 == 0x1) { break 'to_481; }
f[121] = f[120];
}
if f[25] == 0x0 { break 'to_487; }
if !(f[24] & 0x2 == 0x2) { break 'to_485; }
f[136] = 0x1;
f[142] = 0x0;
break 'to_487;
}
if f[121] == 0x0 { break 'to_487; }
f[126] = f[121];
f[142] = 0x0;
}
if f[142] != 0x1 { return Ending::Done; }
if let Err(error) = r.operation(f, 488) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
if f[35] == 0 { break 'to_496; }
f[143] = f[44];
f[44] = words::keep(u64::wrapping_sub(f[44], 0x1), 56);
break 'to_498;
}
f[143] = f[63];
f[63] = words::keep(u64::wrapping_sub(f[63], 0x1), 56);
}
if 0x1 < f[143] { break 'to_503; }
if let Err(error) = r.operation(f, 499) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
if f[120] != 0x0 { break 'to_508; }
if let Err(error) = r.operation(f, 504) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
if f[4] == 0 { break 'to_511; }
f[119] = f[5];
break 'to_512;
}
match match r.apply(f, 3) { Some(828) => run(828, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[140] = f[119];
f[126] = f[120];
{ let e = r.read_limbs::<2>(1, 0x0); f[144] = e[0]; f[145] = e[1]; }
f[124] = f[145].rotate_left(16) & 0xffff;
f[304] = 0x0;
f[306] = 0x0; f[307] = 0x0; f[308] = 0x0;
f[309] = 0x0;
f[310] = 0x0;
f[302] = words::keep(u64::wrapping_sub(f[125], 0x1), 55);
f[303] = words::keep(u64::wrapping_sub(f[120], 0x1), 55);
if f[303] >= 0x40 { break 'to_525; }
f[312] = f[119] | f[303] << 55 >> 55 << 3;
f[304] = r.read(7, f[312]);
f[587] = words::keep(u64::wrapping_add(f[304], 0x1), 32);
r.write(7, f[312], f[587]);
{ let e = r.read_limbs::<4>(4, f[312]); f[305] = e[0]; f[306] = e[1]; f[307] = e[2]; f[308] = e[3]; }
}
if f[116] != 0x1 { return Ending::Done; }
if !(f[308] & 0x10000 == 0x10000) { break 'to_531; }
f[620] = f[306].rotate_left(16) & 0xffff;
f[620] = f[620] | f[307].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[620] { break 'to_531; }
f[587] = 0x1;
break 'to_532;
}
f[587] = 0x0;
}
if f[587] == 0 { break 'to_534; }
f[309] = 0x1;
}
if f[304] == 0x0 { break 'to_536; }
f[310] = 0x1;
}
f[620] = words::keep(f[114] >> 16, 48);
f[589] = f[114] ^ f[620];
f[587] = 0x0 | f[120] << 55 >> 55 << 4;
f[638] = f[589] ^ f[587];
f[311] = f[638] ^ f[125];
f[312] = f[311] & 0xfff;
f[312] = f[312] | f[123].rotate_left(12) & 0x3000;
f[313] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[313] = f[313] | f[111].rotate_left(24) & 0xffff000000;
f[313] = f[313] | f[109].rotate_left(40) & 0xffffff0000000000;
f[314] = f[109].rotate_left(40) & 0xffffffffff;
f[314] = f[314] | f[110].rotate_left(40) & 0xffffff0000000000;
f[315] = f[110].rotate_left(40) & 0xffffffffff;
f[315] = f[315] | f[107].rotate_left(40) & 0xffffff0000000000;
f[316] = f[107].rotate_left(40) & 0xffffffffff;
f[316] = f[316] | f[108].rotate_left(40) & 0xffffff0000000000;
f[317] = f[108].rotate_left(40) & 0xffffffffff;
f[317] = f[317] | f[119].rotate_left(40) & 0x70000000000;
f[317] = f[317] | f[120].rotate_left(43) & 0xff80000000000;
f[317] = f[317] | f[125].rotate_left(52) & 0x1ff0000000000000;
f[317] = f[317] | f[124].rotate_left(61) & 0xe000000000000000;
f[318] = f[124].rotate_left(61) & 0x1fff;
f[318] = f[318] | f[122].rotate_left(13) & 0x1fffffffe000;
f[319] = f[309] | f[304].rotate_left(32) & 0xffffffff00000000;
f[320] = f[310].rotate_left(16) & 0x10000;
f[320] = f[320] | f[129].rotate_left(48) & 0xffff000000000000;
f[321] = 0x100000000 | f[129].rotate_left(48) & 0xffff;
f[361] = f[317].rotate_left(3) & 0x1;
if f[361] != 0x0 { break 'to_547; }
{ let e = r.read_limbs::<6>(11, f[312]); f[345] = e[0]; f[346] = e[1]; f[347] = e[2]; f[348] = e[3]; f[349] = e[4]; f[350] = e[5]; }
{ let e = r.read_limbs::<3>(13, f[312]); f[351] = e[0]; f[352] = e[1]; f[353] = e[2]; }
{ let e = r.read_limbs::<4>(15, f[312]); f[354] = e[0]; f[355] = e[1]; f[356] = e[2]; f[357] = e[3]; }
break 'to_550;
}
{ let e = r.read_limbs::<6>(12, f[312]); f[345] = e[0]; f[346] = e[1]; f[347] = e[2]; f[348] = e[3]; f[349] = e[4]; f[350] = e[5]; }
{ let e = r.read_limbs::<3>(14, f[312]); f[351] = e[0]; f[352] = e[1]; f[353] = e[2]; }
{ let e = r.read_limbs::<4>(16, f[312]); f[354] = e[0]; f[355] = e[1]; f[356] = e[2]; f[357] = e[3]; }
}
f[362] = 0x0;
if f[345] != f[313] { break 'to_557; }
if f[346] != f[314] { break 'to_557; }
if f[347] != f[315] { break 'to_557; }
if f[348] != f[316] { break 'to_557; }
if f[349] != f[317] { break 'to_557; }
if f[350] == f[318] { break 'to_585; }
}
f[362] = 0x1;
f[638] = f[350].rotate_left(51) & 0xffffffff;
f[587] = f[318].rotate_left(51) & 0xffffffff;
if f[638] != f[587] { break 'to_581; }
if f[353] & 0xffffffff00000000 == 0x0 { break 'to_581; }
f[360] = r.read(3, f[361]);
f[405] = f[349].rotate_left(3) & 0x7;
f[405] = f[405] | f[350].rotate_left(3) & 0xfff8;
f[408] = words::keep(u64::wrapping_sub(f[405], f[360]), 48);
f[589] = words::keep(f[408] >> 15, 63);
f[407] = u64::from(f[589] == 0x0);
if f[407] == 0 { break 'to_581; }
f[617] = f[349] & 0x1fffffffffffffff;
f[643] = f[317] & 0x1fffffffffffffff;
if f[345] != f[313] { break 'to_574; }
if f[346] != f[314] { break 'to_574; }
if f[347] != f[315] { break 'to_574; }
if f[348] != f[316] { break 'to_574; }
if f[617] != f[643] { break 'to_574; }
f[362] = 0x0;
break 'to_581;
}
{ let e = r.read_limbs::<2>(1, 0x0); f[358] = e[0]; f[359] = e[1]; }
f[589] = words::keep(f[358] >> 0, 32);
f[587] = words::keep(u64::wrapping_add(f[589], 0x1), 32);
f[358] = f[358] & 0xffffffff00000000 | f[587] << 0 & 0xffffffff;
r.write_limbs(1, 0x0, [f[358], f[359]]);
f[376] = words::keep(f[358] >> 0, 32);
if let Err(error) = r.operation(f, 580) { return Ending::Rejected(error); }
}
if f[361] != 0x0 { break 'to_584; }
r.write_limbs(11, f[312], [f[313], f[314], f[315], f[316], f[317], f[318]]);
break 'to_585;
}
r.write_limbs(12, f[312], [f[313], f[314], f[315], f[316], f[317], f[318]]);
}
if f[362] != 0x1 { break 'to_589; }
f[351] = 0x0; f[352] = 0x0; f[353] = 0x0;
f[354] = 0x0;
f[355] = f[134].rotate_left(32) & 0xffffffff00000000;
f[356] = f[134].rotate_left(32) & 0xffff;
f[356] = f[356] | f[134].rotate_left(16) & 0xffffffffffff0000;
f[357] = f[118] | f[118].rotate_left(24) & 0xffffff000000;
break 'to_593;
}
f[357] = f[357] & 0xffffffffff000000 | f[118] << 0 & 0xffffff;
f[355] = f[355] & 0xffffffff | f[134] << 32 & 0xffffffff00000000;
f[587] = words::keep(f[134] >> 32, 48);
f[356] = f[356] & 0xffffffffffff0000 | f[587] << 0 & 0xffff;
}
if f[320] & 0xffffffff0000 == 0x0 { break 'to_599; }
if !(f[352] & 0xffffffff0000 == 0x0) { break 'to_598; }
f[354] = f[354] & 0xffffffffffff | f[134] << 48 & 0xffff000000000000;
f[587] = words::keep(f[134] >> 16, 32);
f[355] = f[355] & 0xffffffff00000000 | f[587] << 0 & 0xffffffff;
}
f[354] = f[354] & 0xffff000000000000 | f[134] << 0 & 0xffffffffffff;
}
{ let carry = false; let (limb, carry) = words::add(f[351], f[319], carry); f[351] = words::keep(limb, 0); let (limb, carry) = words::add(f[352], f[320], carry); f[352] = words::keep(limb, 0); let (limb, carry) = words::add(f[353], f[321], carry); f[353] = words::keep(limb, 0); let _ = carry; }
if f[361] != 0x0 { break 'to_604; }
r.write_limbs(13, f[312], [f[351], f[352], f[353]]);
r.write_limbs(15, f[312], [f[354], f[355], f[356], f[357]]);
break 'to_606;
}
r.write_limbs(14, f[312], [f[351], f[352], f[353]]);
r.write_limbs(16, f[312], [f[354], f[355], f[356], f[357]]);
}
if f[303] >= 0x40 { return Ending::Done; }
f[312] = f[303] & 0x3f;
f[312] = f[312] | f[123].rotate_left(6) & 0xc0;
if !(f[124] & 0x1 == 0x0) { break 'to_611; }
{ let e = r.read_limbs::<3>(17, f[312]); f[416] = e[0]; f[417] = e[1]; f[418] = e[2]; }
break 'to_612;
}
{ let e = r.read_limbs::<3>(18, f[312]); f[416] = e[0]; f[417] = e[1]; f[418] = e[2]; }
}
f[587] = f[417].rotate_left(16) & 0xffff;
f[587] = f[587] | f[418].rotate_left(16) & 0xffffffff0000;
f[589] = f[124] | f[122].rotate_left(16) & 0xffffffff0000;
if f[587] == f[589] { break 'to_627; }
f[589] = words::keep(f[124] >> 0, 63);
f[419] = r.read(3, f[589]);
f[431] = u64::from(f[418] == f[122]);
if f[431] == 0 { break 'to_623; }
f[427] = words::keep(f[417] >> 48, 48);
f[430] = words::keep(u64::wrapping_sub(f[427], f[419]), 48);
f[589] = words::keep(f[430] >> 15, 63);
f[429] = u64::from(f[589] == 0x0);
f[431] = f[429];
}
if f[431] == 0 { break 'to_626; }
f[417] = f[417] & 0xffffffffffff | f[124] << 48 & 0xffff000000000000;
break 'to_627;
}
f[416] = 0x0;
f[417] = f[124].rotate_left(48) & 0xffff000000000000;
f[418] = f[122];
}
f[592] = f[309] | f[304].rotate_left(32) & 0xffffffff00000000;
f[593] = 0x10000;
f[594] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[416], f[592], carry); f[416] = words::keep(limb, 0); let (limb, carry) = words::add(f[417], f[593], carry); f[417] = words::keep(limb, 0); let (limb, carry) = words::add(f[418], f[594], carry); f[418] = words::keep(limb, 32); let _ = carry; }
if !(f[124] & 0x1 == 0x0) { break 'to_632; }
r.write_limbs(17, f[312], [f[416], f[417], f[418]]);
break 'to_633;
}
r.write_limbs(18, f[312], [f[416], f[417], f[418]]);
}
if f[302] >= 0x40 { return Ending::Done; }
f[312] = f[303] & 0x3f;
f[312] = f[312] | f[302].rotate_left(6) & 0xfc0;
f[312] = f[312] | f[123].rotate_left(12) & 0x3000;
if !(f[124] & 0x1 == 0x0) { break 'to_638; }
{ let e = r.read_limbs::<2>(8, f[312]); f[436] = e[0]; f[437] = e[1]; }
break 'to_639;
}
{ let e = r.read_limbs::<2>(9, f[312]); f[436] = e[0]; f[437] = e[1]; }
}
f[589] = f[437].rotate_left(48) & 0xffffffffffff;
f[587] = f[124] | f[122].rotate_left(16) & 0xffffffff0000;
if f[589] == f[587] { break 'to_655; }
f[587] = words::keep(f[124] >> 0, 63);
f[438] = r.read(3, f[587]);
f[587] = words::keep(f[437] >> 32, 32);
f[448] = u64::from(f[587] == f[122]);
if f[448] == 0 { break 'to_651; }
f[444] = words::keep(f[437] >> 16, 48);
f[447] = words::keep(u64::wrapping_sub(f[444], f[438]), 48);
f[587] = words::keep(f[447] >> 15, 63);
f[446] = u64::from(f[587] == 0x0);
f[448] = f[446];
}
if f[448] == 0 { break 'to_654; }
f[437] = f[437] & 0xffffffff0000ffff | f[124] << 16 & 0xffff0000;
break 'to_655;
}
f[436] = 0x0;
f[437] = f[124].rotate_left(16) & 0xffff0000;
f[437] = f[437] | f[122].rotate_left(32) & 0xffffffff00000000;
}
f[599] = 0x1000000000000 | f[129] & 0xffffffff;
f[600] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[436], f[599], carry); f[436] = words::keep(limb, 0); let (limb, carry) = words::add(f[437], f[600], carry); f[437] = words::keep(limb, 0); let _ = carry; }
if !(f[124] & 0x1 == 0x0) { break 'to_660; }
r.write_limbs(8, f[312], [f[436], f[437]]);
return Ending::Done;
}
r.write_limbs(9, f[312], [f[436], f[437]]);
return Ending::Done;
Ending::Done
}

fn at_662(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_797: {
'to_793: {
'to_792: {
'to_790: {
'to_781: {
'to_779: {
'to_770: {
'to_768: {
'to_759: {
'to_757: {
'to_748: {
'to_746: {
'to_737: {
'to_735: {
'to_726: {
'to_724: {
'to_715: {
'to_713: {
'to_701: {
'to_698: {
'to_693: {
'to_690: {
'to_688: {
'to_682: {
'to_681: {
'to_666: {
f[449] = words::keep(u64::wrapping_sub(f[127], 0x1), 55);
if f[449] >= 0x40 { break 'to_666; }
f[587] = f[119] | f[449] << 55 >> 55 << 3;
r.write(7, f[587], f[133]);
}
if f[21] == 0 { return Ending::Done; }
f[453] = 0x0;
f[450] = words::keep(u64::wrapping_sub(f[125], 0x1), 55);
f[451] = words::keep(u64::wrapping_sub(f[127], 0x1), 55);
if f[451] >= 0x40 { break 'to_793; }
f[452] = r.read(6, f[451]);
if !(f[452] & 0x8000000000 == 0x0) { break 'to_793; }
f[458] = f[451] & 0x3f;
f[459] = f[26] & 0x7;
f[587] = f[459] | f[458].rotate_left(3) & 0x1f8;
{ let e = r.read_limbs::<4>(4, f[587]); f[461] = e[0]; f[462] = e[1]; f[463] = e[2]; f[464] = e[3]; }
f[454] = 0x0;
f[455] = 0x3;
if !(f[464] & 0x10000 == 0x10000) { break 'to_681; }
f[638] = f[462].rotate_left(16) & 0xffff;
f[638] = f[638] | f[463].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[638] { break 'to_681; }
f[587] = 0x1;
break 'to_682;
}
f[587] = 0x0;
}
if f[587] == 0 { break 'to_688; }
f[454] = 0x1;
f[476] = f[134].rotate_left(44) & 0xfffffff;
f[477] = f[463].rotate_left(12) & 0xfff;
f[477] = f[477] | f[464].rotate_left(12) & 0xffff000;
f[638] = words::keep(u64::wrapping_sub(f[476], f[477]), 32);
f[478] = words::keep(f[638] >> 0, 36);
f[455] = words::keep(u64::wrapping_add(0x3, f[478]), 32);
break 'to_698;
}
if f[464] & 0x10000 == 0x10000 { break 'to_690; }
if f[461] & 0xffffffff == 0x0 { break 'to_698; }
}
f[465] = f[461].rotate_left(32) & 0xffffffff;
f[465] = f[465] | f[462].rotate_left(32) & 0xffff00000000;
if !(f[464] & 0x10000 == 0x10000) { break 'to_693; }
f[465] = f[462].rotate_left(16) & 0xffff;
f[465] = f[465] | f[463].rotate_left(16) & 0xffffffff0000;
}
f[480] = f[134].rotate_left(44) & 0xfffffff;
f[481] = f[465].rotate_left(44) & 0xfffffff;
f[589] = words::keep(u64::wrapping_sub(f[480], f[481]), 32);
f[482] = words::keep(f[589] >> 0, 36);
if f[482] >= 0x4 { break 'to_698; }
f[454] = 0x1;
}
if f[127] != f[121] { break 'to_701; }
f[453] = 0x1 | f[454] << 63 >> 63 << 1;
break 'to_793;
}
if !(f[24] & 0x2 == 0x2) { break 'to_793; }
if f[454] != 0x1 { break 'to_793; }
if f[450] >= 0x40 { break 'to_793; }
f[483] = f[450] & 0x3f;
f[484] = f[451] & 0x3f;
f[456] = 0x0;
f[589] = f[484] | f[483].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(8, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[499] = u64::from(f[589] != 0x0);
if f[499] == 0 { break 'to_713; }
f[497] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[497]), 32);
f[498] = words::keep(f[589] >> 0, 36);
f[499] = u64::from(f[498] <= f[455]);
}
if f[499] == 0 { break 'to_715; }
f[456] = 0x1;
}
f[589] = f[484] | f[483] << 58 >> 58 << 6;
{ let e = r.read_limbs::<2>(9, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[510] = u64::from(f[589] != 0x0);
if f[510] == 0 { break 'to_724; }
f[508] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[508]), 32);
f[509] = words::keep(f[589] >> 0, 36);
f[510] = u64::from(f[509] <= f[455]);
}
if f[510] == 0 { break 'to_726; }
f[456] = 0x1;
}
f[589] = 0x1000 | f[484] & 0x3f;
f[589] = f[589] | f[483].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(8, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[521] = u64::from(f[589] != 0x0);
if f[521] == 0 { break 'to_735; }
f[519] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[519]), 32);
f[520] = words::keep(f[589] >> 0, 36);
f[521] = u64::from(f[520] <= f[455]);
}
if f[521] == 0 { break 'to_737; }
f[456] = 0x1;
}
f[589] = 0x1000 | f[484] & 0x3f;
f[589] = f[589] | f[483].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(9, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[532] = u64::from(f[589] != 0x0);
if f[532] == 0 { break 'to_746; }
f[530] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[530]), 32);
f[531] = words::keep(f[589] >> 0, 36);
f[532] = u64::from(f[531] <= f[455]);
}
if f[532] == 0 { break 'to_748; }
f[456] = 0x1;
}
f[589] = 0x2000 | f[484] & 0x3f;
f[589] = f[589] | f[483].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(8, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[543] = u64::from(f[589] != 0x0);
if f[543] == 0 { break 'to_757; }
f[541] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[541]), 32);
f[542] = words::keep(f[589] >> 0, 36);
f[543] = u64::from(f[542] <= f[455]);
}
if f[543] == 0 { break 'to_759; }
f[456] = 0x1;
}
f[589] = 0x2000 | f[484] & 0x3f;
f[589] = f[589] | f[483].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(9, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[554] = u64::from(f[589] != 0x0);
if f[554] == 0 { break 'to_768; }
f[552] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[552]), 32);
f[553] = words::keep(f[589] >> 0, 36);
f[554] = u64::from(f[553] <= f[455]);
}
if f[554] == 0 { break 'to_770; }
f[456] = 0x1;
}
f[589] = 0x3000 | f[484] & 0x3f;
f[589] = f[589] | f[483].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(8, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[565] = u64::from(f[589] != 0x0);
if f[565] == 0 { break 'to_779; }
f[563] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[563]), 32);
f[564] = words::keep(f[589] >> 0, 36);
f[565] = u64::from(f[564] <= f[455]);
}
if f[565] == 0 { break 'to_781; }
f[456] = 0x1;
}
f[589] = 0x3000 | f[484] & 0x3f;
f[589] = f[589] | f[483].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(9, f[589]); f[487] = e[0]; f[488] = e[1]; }
f[589] = f[487].rotate_left(16) & 0xffff;
f[589] = f[589] | f[488].rotate_left(16) & 0xffff0000;
f[576] = u64::from(f[589] != 0x0);
if f[576] == 0 { break 'to_790; }
f[574] = words::keep(f[488] >> 32, 32);
f[589] = words::keep(u64::wrapping_sub(f[122], f[574]), 32);
f[575] = words::keep(f[589] >> 0, 36);
f[576] = u64::from(f[575] <= f[455]);
}
if f[576] == 0 { break 'to_792; }
f[456] = 0x1;
}
f[453] = 0x0 | f[456] << 63 >> 63 << 1;
}
if f[453] != 0x0 { break 'to_797; }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
f[24] = f[453];
return Ending::Done;
Ending::Done
}

fn at_799(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_802: {
if f[35] == 0 { break 'to_802; }
if f[49] != 0 { break 'to_802; }
f[46] = words::checksum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(0, f[48].rotate_left(48) & 0xffff000000000000), f[48].rotate_left(48) & 0xffff), f[47].rotate_left(16) & 0xffffffff0000), f[45].rotate_left(48) & 0xff000000000000), f[44].rotate_left(56) & 0xff00000000000000), f[43]), f[42].rotate_left(13) & 0xe000), f[41].rotate_left(16) & 0xffff0000), f[40].rotate_left(32) & 0xffff00000000), f[39].rotate_left(48) & 0x3000000000000), f[38].rotate_left(50) & 0xfc000000000000), f[37].rotate_left(56) & 0xf00000000000000), f[36].rotate_left(60) & 0xf000000000000000)) & 0xffff;
}
if f[35] == 0 { return Ending::Done; }
if f[49] == 0 { return Ending::Done; }
if let Err(error) = r.operation(f, 804) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_806(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
if f[0] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<14>(f[96]) {
let word = words::load(header, 0) & 0x0 | f[1].rotate_left(16) & 0xffffffffffff0000 | f[2].rotate_left(32) & 0xffff;
words::store(header, 0, word);
let word = words::load(header, 6) & 0xffff | f[2].rotate_left(16) & 0xffffffffffff0000;
words::store(header, 6, word);
} else { r.emit(f, 0); }
}
if f[4] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<4>(f[97]) {
} else { r.emit(f, 1); }
}
if f[9] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<2>(f[98]) {
} else { r.emit(f, 2); }
}
if f[11] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<18>(f[99]) {
} else { r.emit(f, 3); }
}
if f[21] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<44>(f[100]) {
let word = words::load(header, 0) & 0xfc00ffffffffffff | f[24].rotate_left(56) & 0x300000000000000 | f[25].rotate_left(48) & 0xff000000000000;
words::store(header, 0, word);
} else { r.emit(f, 4); }
}
if f[35] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<20>(f[101]) {
let word = words::load(header, 8) & 0xff0000ffffffff | f[44].rotate_left(56) & 0xff00000000000000 | f[46].rotate_left(32) & 0xffff00000000;
words::store(header, 8, word);
} else { r.emit(f, 5); }
}
if let Err(error) = r.operation(f, 812) { return Ending::Rejected(error); }
if f[56] & 1 != 0 {
if let Some(header) = r.emitted_in_place::<40>(f[103]) {
let word = words::load(header, 0) & 0xffffffffffffff00 | f[63] & 0xff;
words::store(header, 0, word);
} else { r.emit(f, 6); }
}
if f[68] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<8>(f[104]) {
} else { r.emit(f, 7); }
}
if f[73] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<20>(f[105]) {
} else { r.emit(f, 8); }
}
if f[84] & 1 != 0 {
if let Some(_) = r.emitted_in_place::<12>(f[106]) {
} else { r.emit(f, 9); }
}
return Ending::Done;
Ending::Done
}

fn at_820(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[215];
return Ending::Returned;
Ending::Done
}

fn at_822(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[216];
f[2] = f[217];
f[1] = f[218];
return Ending::Returned;
Ending::Done
}

fn at_824(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[211] = f[219];
f[212] = f[220];
return Ending::Returned;
Ending::Done
}

fn at_826(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = 0x0;
return Ending::Returned;
Ending::Done
}

fn at_828(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[119] = f[299];
return Ending::Returned;
Ending::Done
}
