// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x9e106725cb438de4, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            50 => at_50(f, r),
            57 => at_57(f, r),
            814 => at_814(f, r),
            951 => at_951(f, r),
            958 => at_958(f, r),
            972 => at_972(f, r),
            974 => at_974(f, r),
            976 => at_976(f, r),
            978 => at_978(f, r),
            980 => at_980(f, r),
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
f[633] = words::keep(u64::wrapping_sub(f[37], 0x5), 48);
f[635] = words::keep(u64::wrapping_mul(f[633], 0x20), 48);
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
if f[633] == 0 { return Ending::Done; }
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
'to_812: {
'to_807: {
'to_806: {
'to_803: {
'to_791: {
'to_790: {
'to_785: {
'to_784: {
'to_779: {
'to_778: {
'to_775: {
'to_764: {
'to_763: {
'to_758: {
'to_756: {
'to_751: {
'to_750: {
'to_745: {
'to_741: {
'to_737: {
'to_736: {
'to_733: {
'to_726: {
'to_709: {
'to_702: {
'to_699: {
'to_688: {
'to_686: {
'to_684: {
'to_683: {
'to_677: {
'to_664: {
'to_663: {
'to_660: {
'to_655: {
'to_650: {
'to_648: {
'to_644: {
'to_639: {
'to_637: {
'to_633: {
'to_625: {
'to_613: {
'to_612: {
'to_610: {
'to_590: {
'to_589: {
'to_587: {
'to_562: {
'to_551: {
'to_550: {
'to_545: {
'to_538: {
'to_535: {
'to_533: {
'to_528: {
'to_526: {
'to_522: {
'to_519: {
'to_516: {
'to_515: {
'to_511: {
'to_506: {
'to_500: {
'to_496: {
'to_492: {
'to_491: {
'to_485: {
'to_480: {
'to_477: {
'to_476: {
'to_474: {
'to_473: {
'to_467: {
'to_464: {
'to_456: {
'to_453: {
'to_449: {
'to_439: {
'to_438: {
'to_432: {
'to_427: {
'to_424: {
'to_423: {
'to_421: {
'to_420: {
'to_414: {
'to_411: {
'to_403: {
'to_400: {
'to_396: {
'to_386: {
'to_385: {
'to_379: {
'to_374: {
'to_371: {
'to_370: {
'to_368: {
'to_367: {
'to_361: {
'to_358: {
'to_350: {
'to_347: {
'to_343: {
'to_333: {
'to_332: {
'to_326: {
'to_321: {
'to_318: {
'to_317: {
'to_315: {
'to_314: {
'to_308: {
'to_305: {
'to_297: {
'to_294: {
'to_290: {
'to_280: {
'to_279: {
'to_273: {
'to_268: {
'to_265: {
'to_264: {
'to_262: {
'to_261: {
'to_255: {
'to_252: {
'to_244: {
'to_241: {
'to_237: {
'to_227: {
'to_226: {
'to_220: {
'to_215: {
'to_212: {
'to_211: {
'to_209: {
'to_208: {
'to_202: {
'to_199: {
'to_191: {
'to_188: {
'to_184: {
'to_174: {
'to_173: {
'to_167: {
'to_162: {
'to_159: {
'to_158: {
'to_156: {
'to_155: {
'to_149: {
'to_146: {
'to_138: {
'to_135: {
'to_131: {
'to_121: {
'to_120: {
'to_114: {
'to_109: {
'to_106: {
'to_105: {
'to_103: {
'to_102: {
'to_96: {
'to_93: {
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
if f[9] == 0 { break 'to_496; }
if f[11] == 0 { break 'to_492; }
f[148] = words::keep(u64::wrapping_sub(f[125], 0x1), 55);
f[149] = words::keep(f[148] >> 0, 58);
if f[148] >= 0x40 { break 'to_492; }
if !(f[12] & 0x1 == 0x1) { break 'to_121; }
f[166] = 0x0 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[633] = words::keep(f[162] >> 0, 25);
f[635] = u64::wrapping_mul(f[13], f[633]);
f[163] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[635]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_78; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_109; }
if f[13] == 0x0 { break 'to_82; }
f[633] = f[159].rotate_left(16) & 0xffff;
f[633] = f[633] | f[160].rotate_left(16) & 0xffffffff0000;
if f[633] >= f[134] { break 'to_109; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_85; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[633] = f[178].rotate_left(16) & 0xffff;
if f[633] == f[179] { break 'to_93; }
f[635] = f[177].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[178].rotate_left(32) & 0xffff00000000;
if f[635] < f[174] { break 'to_93; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_96; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[635] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[635]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x0_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_102; }
if f[180] != 0x1 { break 'to_103; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_105; }
if f[180] != 0x1 { break 'to_106; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[635] = words::keep(f[158] >> 0, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[158] = f[633] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[13] == 0x0 { break 'to_120; }
if !(f[161] & 0x10000 == 0x0) { break 'to_114; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_120;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[633] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[633] << 0 & 0xffffffff;
f[633] = words::keep(f[159] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x2 == 0x2) { break 'to_174; }
f[166] = 0x1 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[635] = words::keep(f[162] >> 0, 25);
f[633] = u64::wrapping_mul(f[14], f[635]);
f[163] = f[633].rotate_left(48) & 0xffffffffffff;
f[633] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[633]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_131; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_162; }
if f[14] == 0x0 { break 'to_135; }
f[635] = f[159].rotate_left(16) & 0xffff;
f[635] = f[635] | f[160].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[134] { break 'to_162; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_138; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[635] = f[178].rotate_left(16) & 0xffff;
if f[635] == f[179] { break 'to_146; }
f[633] = f[177].rotate_left(32) & 0xffffffff;
f[633] = f[633] | f[178].rotate_left(32) & 0xffff00000000;
if f[633] < f[174] { break 'to_146; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_149; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[633] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[633]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x1_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_155; }
if f[180] != 0x1 { break 'to_156; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_158; }
if f[180] != 0x1 { break 'to_159; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[633] = words::keep(f[158] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[158] = f[635] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[14] == 0x0 { break 'to_173; }
if !(f[161] & 0x10000 == 0x0) { break 'to_167; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_173;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[635] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[159] >> 16, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[633] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x4 == 0x4) { break 'to_227; }
f[166] = 0x2 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[633] = words::keep(f[162] >> 0, 25);
f[635] = u64::wrapping_mul(f[15], f[633]);
f[163] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[635]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_184; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_215; }
if f[15] == 0x0 { break 'to_188; }
f[633] = f[159].rotate_left(16) & 0xffff;
f[633] = f[633] | f[160].rotate_left(16) & 0xffffffff0000;
if f[633] >= f[134] { break 'to_215; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_191; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[633] = f[178].rotate_left(16) & 0xffff;
if f[633] == f[179] { break 'to_199; }
f[635] = f[177].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[178].rotate_left(32) & 0xffff00000000;
if f[635] < f[174] { break 'to_199; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_202; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[635] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[635]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x2_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_208; }
if f[180] != 0x1 { break 'to_209; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_211; }
if f[180] != 0x1 { break 'to_212; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[635] = words::keep(f[158] >> 0, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[158] = f[633] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[15] == 0x0 { break 'to_226; }
if !(f[161] & 0x10000 == 0x0) { break 'to_220; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_226;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[633] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[633] << 0 & 0xffffffff;
f[633] = words::keep(f[159] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x8 == 0x8) { break 'to_280; }
f[166] = 0x3 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[635] = words::keep(f[162] >> 0, 25);
f[633] = u64::wrapping_mul(f[16], f[635]);
f[163] = f[633].rotate_left(48) & 0xffffffffffff;
f[633] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[633]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_237; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_268; }
if f[16] == 0x0 { break 'to_241; }
f[635] = f[159].rotate_left(16) & 0xffff;
f[635] = f[635] | f[160].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[134] { break 'to_268; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_244; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[635] = f[178].rotate_left(16) & 0xffff;
if f[635] == f[179] { break 'to_252; }
f[633] = f[177].rotate_left(32) & 0xffffffff;
f[633] = f[633] | f[178].rotate_left(32) & 0xffff00000000;
if f[633] < f[174] { break 'to_252; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_255; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[633] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[633]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x3_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_261; }
if f[180] != 0x1 { break 'to_262; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_264; }
if f[180] != 0x1 { break 'to_265; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[633] = words::keep(f[158] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[158] = f[635] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[16] == 0x0 { break 'to_279; }
if !(f[161] & 0x10000 == 0x0) { break 'to_273; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_279;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[635] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[159] >> 16, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[633] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x10 == 0x10) { break 'to_333; }
f[166] = 0x4 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[633] = words::keep(f[162] >> 0, 25);
f[635] = u64::wrapping_mul(f[17], f[633]);
f[163] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[635]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_290; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_321; }
if f[17] == 0x0 { break 'to_294; }
f[633] = f[159].rotate_left(16) & 0xffff;
f[633] = f[633] | f[160].rotate_left(16) & 0xffffffff0000;
if f[633] >= f[134] { break 'to_321; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_297; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[633] = f[178].rotate_left(16) & 0xffff;
if f[633] == f[179] { break 'to_305; }
f[635] = f[177].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[178].rotate_left(32) & 0xffff00000000;
if f[635] < f[174] { break 'to_305; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_308; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[635] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[635]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x4_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_314; }
if f[180] != 0x1 { break 'to_315; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_317; }
if f[180] != 0x1 { break 'to_318; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[635] = words::keep(f[158] >> 0, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[158] = f[633] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[17] == 0x0 { break 'to_332; }
if !(f[161] & 0x10000 == 0x0) { break 'to_326; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_332;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[633] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[633] << 0 & 0xffffffff;
f[633] = words::keep(f[159] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x20 == 0x20) { break 'to_386; }
f[166] = 0x5 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[635] = words::keep(f[162] >> 0, 25);
f[633] = u64::wrapping_mul(f[18], f[635]);
f[163] = f[633].rotate_left(48) & 0xffffffffffff;
f[633] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[633]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_343; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_374; }
if f[18] == 0x0 { break 'to_347; }
f[635] = f[159].rotate_left(16) & 0xffff;
f[635] = f[635] | f[160].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[134] { break 'to_374; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_350; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[635] = f[178].rotate_left(16) & 0xffff;
if f[635] == f[179] { break 'to_358; }
f[633] = f[177].rotate_left(32) & 0xffffffff;
f[633] = f[633] | f[178].rotate_left(32) & 0xffff00000000;
if f[633] < f[174] { break 'to_358; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_361; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[633] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[633]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x5_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_367; }
if f[180] != 0x1 { break 'to_368; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_370; }
if f[180] != 0x1 { break 'to_371; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[633] = words::keep(f[158] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[158] = f[635] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[18] == 0x0 { break 'to_385; }
if !(f[161] & 0x10000 == 0x0) { break 'to_379; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_385;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[635] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[159] >> 16, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[633] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x40 == 0x40) { break 'to_439; }
f[166] = 0x6 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[633] = words::keep(f[162] >> 0, 25);
f[635] = u64::wrapping_mul(f[19], f[633]);
f[163] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[635]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_396; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_427; }
if f[19] == 0x0 { break 'to_400; }
f[633] = f[159].rotate_left(16) & 0xffff;
f[633] = f[633] | f[160].rotate_left(16) & 0xffffffff0000;
if f[633] >= f[134] { break 'to_427; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_403; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[633] = f[178].rotate_left(16) & 0xffff;
if f[633] == f[179] { break 'to_411; }
f[635] = f[177].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[178].rotate_left(32) & 0xffff00000000;
if f[635] < f[174] { break 'to_411; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_414; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[635] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[635]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x6_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_420; }
if f[180] != 0x1 { break 'to_421; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_423; }
if f[180] != 0x1 { break 'to_424; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[635] = words::keep(f[158] >> 0, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[158] = f[633] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[19] == 0x0 { break 'to_438; }
if !(f[161] & 0x10000 == 0x0) { break 'to_432; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_438;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[633] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[633] << 0 & 0xffffffff;
f[633] = words::keep(f[159] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if !(f[12] & 0x80 == 0x80) { break 'to_492; }
f[166] = 0x7 | f[149] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[166]); f[158] = e[0]; f[159] = e[1]; f[160] = e[2]; f[161] = e[3]; }
f[162] = r.read(8, f[149]);
f[635] = words::keep(f[162] >> 0, 25);
f[633] = u64::wrapping_mul(f[20], f[635]);
f[163] = f[633].rotate_left(48) & 0xffffffffffff;
f[633] = f[163] & 0xffffffffffff;
f[164] = words::keep(u64::wrapping_add(f[134], f[633]), 16);
if !(f[162] & 0x7fffffffff == 0x0) { break 'to_449; }
f[164] = 0xffffffffffff;
}
if !(f[161] & 0x10000 == 0x10000) { break 'to_480; }
if f[20] == 0x0 { break 'to_453; }
f[635] = f[159].rotate_left(16) & 0xffff;
f[635] = f[635] | f[160].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[134] { break 'to_480; }
}
f[165] = f[159].rotate_left(16) & 0xffff;
f[165] = f[165] | f[160].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[165] { break 'to_456; }
f[165] = f[134];
}
f[174] = f[160].rotate_left(32) & 0xffffffff;
f[174] = f[174] | f[161].rotate_left(32) & 0xffff00000000;
f[176] = f[159].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[177] = e[0]; f[178] = e[1]; }
f[179] = r.read(2, 0x0);
f[180] = 0x0;
f[635] = f[178].rotate_left(16) & 0xffff;
if f[635] == f[179] { break 'to_464; }
f[633] = f[177].rotate_left(32) & 0xffffffff;
f[633] = f[633] | f[178].rotate_left(32) & 0xffff00000000;
if f[633] < f[174] { break 'to_464; }
f[180] = 0x1;
}
f[183] = words::keep(f[176] >> 0, 51);
if f[176] & 0xffffe000 == 0x0 { break 'to_467; }
f[183] = 0x1fff;
}
f[181] = r.read(7, f[149]);
f[633] = words::keep(u64::wrapping_add(f[181], 0x1), 32);
r.write(7, f[149], f[633]);
f[182] = f[181] & 0x7f;
f[182] = f[182] | f[149].rotate_left(7) & 0x1f80;
f[184] = f[181] & 0xffff;
f[184] = f[184] | 0x7_u64.rotate_left(16) & 0x70000;
f[184] = f[184] | f[183].rotate_left(19) & 0xfff80000;
f[184] = f[184] | f[165].rotate_left(32) & 0xffffffff00000000;
f[185] = f[165].rotate_left(32) & 0xffff;
f[185] = f[185] | f[174].rotate_left(16) & 0xffffffffffff0000;
if f[178] & 0x1000000000000 == 0x0 { break 'to_473; }
if f[180] != 0x1 { break 'to_474; }
}
r.write_limbs(5, f[182], [f[184], f[185]]);
}
if f[178] & 0x1000000000000 == 0x1000000000000 { break 'to_476; }
if f[180] != 0x1 { break 'to_477; }
}
r.write_limbs(6, f[182], [f[184], f[185]]);
}
f[633] = words::keep(f[158] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[633], 0x1), 32);
f[158] = f[635] | f[165].rotate_left(32) & 0xffffffff00000000;
f[159] = f[165].rotate_left(32) & 0xffff;
f[160] = 0x0;
f[161] = 0x0;
}
if f[20] == 0x0 { break 'to_491; }
if !(f[161] & 0x10000 == 0x0) { break 'to_485; }
f[646] = f[158];
f[647] = 0x10000 | f[159] & 0xffff;
f[647] = f[647] | f[164].rotate_left(48) & 0xffff000000000000;
f[648] = f[164].rotate_left(48) & 0xffffffff;
f[648] = f[648] | f[134].rotate_left(32) & 0xffffffff00000000;
f[649] = 0x10000 | f[134].rotate_left(32) & 0xffff;
f[158] = f[646]; f[159] = f[647]; f[160] = f[648]; f[161] = f[649];
break 'to_491;
}
f[159] = f[159] & 0xffffffffffff | f[164] << 48 & 0xffff000000000000;
f[635] = words::keep(f[164] >> 16, 32);
f[160] = f[160] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[159] >> 16, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[159] & 0xffff00000000ffff | f[633] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[166], [f[158], f[159], f[160], f[161]]);
}
if let Err(error) = r.operation(f, 492) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
f[141] = 0x1;
f[255] = 0x0;
f[256] = 0x0;
if f[35] == 0 { break 'to_500; }
f[115] = 0x1;
f[117] = f[38];
f[107] = 0xffff00000000 | f[47] & 0xffffffff;
f[108] = 0x0;
f[109] = 0xffff00000000 | f[48] & 0xffffffff;
f[110] = 0x0;
f[113] = f[45];
f[255] = f[37].rotate_left(2) & 0x3c;
f[256] = f[40];
break 'to_516;
}
if f[56] == 0 { break 'to_506; }
f[117] = f[58];
f[108] = f[65]; f[107] = f[64];
f[110] = f[67]; f[109] = f[66];
f[113] = f[62];
f[256] = f[61];
break 'to_516;
}
if f[21] == 0 { break 'to_515; }
f[654] = f[31].rotate_left(32) & 0xffffffff;
f[654] = f[654] | f[32].rotate_left(32) & 0xffffffff00000000;
f[655] = f[32].rotate_left(32) & 0xffffffff;
if f[654] != 0xffff { break 'to_511; }
if f[655] != 0x0 { break 'to_511; }
f[115] = 0x1;
}
f[108] = f[30]; f[107] = f[29];
f[110] = f[32]; f[109] = f[31];
f[111] = f[33];
f[112] = f[34];
f[113] = f[27];
break 'to_516;
}
f[141] = 0x0;
}
if f[68] == 0 { break 'to_519; }
f[111] = f[69];
f[112] = f[70];
break 'to_522;
}
if f[73] == 0 { break 'to_522; }
f[111] = f[74];
f[112] = f[75];
f[633] = f[78].rotate_left(2) & 0x3c;
f[255] = words::keep(u64::wrapping_add(f[255], f[633]), 48);
}
f[116] = 0x1;
if f[21] != 0 { break 'to_526; }
if f[73] == 0 { break 'to_528; }
if f[255] < f[256] { break 'to_528; }
}
f[116] = 0x0;
break 'to_538;
}
if f[84] == 0 { break 'to_538; }
f[118] = f[95];
f[253] = f[85] & 0x1f;
f[254] = f[85].rotate_left(59) & 0x7;
if f[254] != 0x4 { break 'to_533; }
f[116] = 0x0;
break 'to_538;
}
if f[253] == 0x11 { break 'to_535; }
if f[253] != 0x12 { break 'to_538; }
}
if f[254] == 0x1 { break 'to_538; }
if f[254] == 0x3 { break 'to_538; }
f[116] = 0x0;
}
f[660] = f[113].rotate_left(24) & 0xff000000;
f[660] = f[660] | f[112].rotate_left(32) & 0xffff00000000;
f[660] = f[660] | f[111].rotate_left(48) & 0xffff000000000000;
f[661] = f[109];
f[662] = f[110];
f[663] = f[107];
f[664] = f[108];
f[114] = u64::wrapping_add(0x0, words::remainder(words::crc32([f[660], f[661], f[662], f[663], f[664]], 37), 0x100000000)) & 0xffffffff;
if f[141] != 0x0 { break 'to_545; }
if let Err(error) = r.operation(f, 541) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
f[257] = 0x0;
f[258] = 0x0;
if f[115] != 0x1 { break 'to_550; }
f[633] = words::keep(f[109] >> 0, 32);
match match r.apply(f, 0) { Some(972) => run(972, f, r), Some(974) => run(974, f, r), Some(976) => run(976, f, r), Some(978) => run(978, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
break 'to_551;
}
match match r.apply(f, 1) { Some(972) => run(972, f, r), Some(974) => run(974, f, r), Some(976) => run(976, f, r), Some(978) => run(978, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
if f[258] == 0x0 { break 'to_562; }
f[260] = r.read(0, 0x0);
f[633] = f[260] ^ f[114];
f[260] = words::keep(u64::wrapping_mul(f[633], 0x9e3779b1), 32);
f[633] = words::keep(f[260] >> 15, 47);
f[635] = f[260] ^ f[633];
f[260] = words::keep(u64::wrapping_mul(f[635], 0x85ebca77), 32);
f[635] = words::keep(f[260] >> 16, 48);
f[260] = words::keep(u64::wrapping_mul(f[635], f[258]), 32);
f[259] = f[260].rotate_left(48) & 0xffff;
f[654] = f[257];
f[655] = f[259];
match match r.apply(f, 2) { Some(972) => run(972, f, r), Some(974) => run(974, f, r), Some(978) => run(978, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[122] = f[134].rotate_left(44) & 0xfffffff;
f[123] = f[134].rotate_left(44) & 0x3;
if f[21] == 0 { break 'to_644; }
f[269] = f[24];
f[142] = 0x1;
if f[22] != 0x1 { break 'to_639; }
if f[25] == 0x0 { break 'to_639; }
if !(f[24] & 0x1 == 0x1) { break 'to_590; }
f[317] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[317] = f[317] | f[111].rotate_left(24) & 0xffff000000;
f[317] = f[317] | f[109].rotate_left(40) & 0xffffff0000000000;
f[318] = f[109].rotate_left(40) & 0xffffffffff;
f[318] = f[318] | f[110].rotate_left(40) & 0xffffff0000000000;
f[319] = f[110].rotate_left(40) & 0xffffffffff;
f[319] = f[319] | f[107].rotate_left(40) & 0xffffff0000000000;
f[320] = f[107].rotate_left(40) & 0xffffffffff;
f[320] = f[320] | f[108].rotate_left(40) & 0xffffff0000000000;
f[321] = f[108].rotate_left(40) & 0xffffffffff;
f[321] = f[321] | 0x0_u64.rotate_left(40) & 0x1ff0000000000;
f[321] = f[321] | f[28].rotate_left(49) & 0xfffe000000000000;
f[322] = f[28].rotate_left(49) & 0x1ffff;
f[635] = f[114] ^ f[28];
f[633] = 0x0 | 0x0 << 55 >> 55 << 7;
f[667] = f[635] ^ f[633];
f[323] = words::keep(u64::wrapping_mul(f[667], 0x9e3779b1), 32);
f[667] = f[323].rotate_left(42) & 0x3ff;
f[323] = f[667];
{ let e = r.read_limbs::<7>(12, f[667]); f[310] = e[0]; f[311] = e[1]; f[312] = e[2]; f[313] = e[3]; f[314] = e[4]; f[315] = e[5]; f[316] = e[6]; }
f[667] = words::keep(f[310] >> 0, 16);
f[324] = words::keep(u64::wrapping_sub(f[134], f[667]), 16);
f[309] = 0x1;
f[668] = f[310].rotate_left(16) & 0xffff;
f[668] = f[668] | f[311].rotate_left(16) & 0xffffffffffff0000;
f[669] = f[311].rotate_left(16) & 0xffff;
f[669] = f[669] | f[312].rotate_left(16) & 0xffffffffffff0000;
f[670] = f[312].rotate_left(16) & 0xffff;
f[670] = f[670] | f[313].rotate_left(16) & 0xffffffffffff0000;
f[671] = f[313].rotate_left(16) & 0xffff;
f[671] = f[671] | f[314].rotate_left(16) & 0xffffffffffff0000;
f[672] = f[314].rotate_left(16) & 0xffff;
f[672] = f[672] | f[315].rotate_left(16) & 0xffffffffffff0000;
f[673] = f[315].rotate_left(16) & 0xffff;
f[673] = f[673] | f[316].rotate_left(16) & 0x10000;
if f[668] != f[317] { break 'to_587; }
if f[669] != f[318] { break 'to_587; }
if f[670] != f[319] { break 'to_587; }
if f[671] != f[320] { break 'to_587; }
if f[672] != f[321] { break 'to_587; }
if f[673] != f[322] { break 'to_587; }
if !(f[324] & 0xffffc0000000 == 0x0) { break 'to_587; }
f[309] = 0x0;
break 'to_589;
}
f[674] = f[134] | f[317].rotate_left(48) & 0xffff000000000000;
f[675] = f[317].rotate_left(48) & 0xffffffffffff;
f[675] = f[675] | f[318].rotate_left(48) & 0xffff000000000000;
f[676] = f[318].rotate_left(48) & 0xffffffffffff;
f[676] = f[676] | f[319].rotate_left(48) & 0xffff000000000000;
f[677] = f[319].rotate_left(48) & 0xffffffffffff;
f[677] = f[677] | f[320].rotate_left(48) & 0xffff000000000000;
f[678] = f[320].rotate_left(48) & 0xffffffffffff;
f[678] = f[678] | f[321].rotate_left(48) & 0xffff000000000000;
f[679] = f[321].rotate_left(48) & 0xffffffffffff;
f[679] = f[679] | f[322].rotate_left(48) & 0xffff000000000000;
f[680] = f[322].rotate_left(48) & 0x1;
r.write_limbs(12, f[323], [f[674], f[675], f[676], f[677], f[678], f[679], f[680]]);
}
f[24] = f[24] & 0xfffffffffffffffe | f[309] << 0 & 0x1;
}
if !(f[269] & 0x2 == 0x2) { break 'to_613; }
f[317] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[317] = f[317] | f[111].rotate_left(24) & 0xffff000000;
f[317] = f[317] | f[109].rotate_left(40) & 0xffffff0000000000;
f[318] = f[109].rotate_left(40) & 0xffffffffff;
f[318] = f[318] | f[110].rotate_left(40) & 0xffffff0000000000;
f[319] = f[110].rotate_left(40) & 0xffffffffff;
f[319] = f[319] | f[107].rotate_left(40) & 0xffffff0000000000;
f[320] = f[107].rotate_left(40) & 0xffffffffff;
f[320] = f[320] | f[108].rotate_left(40) & 0xffffff0000000000;
f[321] = f[108].rotate_left(40) & 0xffffffffff;
f[321] = f[321] | f[125].rotate_left(40) & 0x1ff0000000000;
f[321] = f[321] | f[28].rotate_left(49) & 0xfffe000000000000;
f[322] = f[28].rotate_left(49) & 0x1ffff;
f[667] = f[114] ^ f[28];
f[633] = 0x0 | f[125] << 55 >> 55 << 7;
f[635] = f[667] ^ f[633];
f[323] = words::keep(u64::wrapping_mul(f[635], 0x9e3779b1), 32);
f[635] = f[323].rotate_left(42) & 0x3ff;
f[323] = f[635];
{ let e = r.read_limbs::<7>(12, f[635]); f[310] = e[0]; f[311] = e[1]; f[312] = e[2]; f[313] = e[3]; f[314] = e[4]; f[315] = e[5]; f[316] = e[6]; }
f[635] = words::keep(f[310] >> 0, 16);
f[324] = words::keep(u64::wrapping_sub(f[134], f[635]), 16);
f[309] = 0x1;
f[668] = f[310].rotate_left(16) & 0xffff;
f[668] = f[668] | f[311].rotate_left(16) & 0xffffffffffff0000;
f[669] = f[311].rotate_left(16) & 0xffff;
f[669] = f[669] | f[312].rotate_left(16) & 0xffffffffffff0000;
f[670] = f[312].rotate_left(16) & 0xffff;
f[670] = f[670] | f[313].rotate_left(16) & 0xffffffffffff0000;
f[671] = f[313].rotate_left(16) & 0xffff;
f[671] = f[671] | f[314].rotate_left(16) & 0xffffffffffff0000;
f[672] = f[314].rotate_left(16) & 0xffff;
f[672] = f[672] | f[315].rotate_left(16) & 0xffffffffffff0000;
f[673] = f[315].rotate_left(16) & 0xffff;
f[673] = f[673] | f[316].rotate_left(16) & 0x10000;
if f[668] != f[317] { break 'to_610; }
if f[669] != f[318] { break 'to_610; }
if f[670] != f[319] { break 'to_610; }
if f[671] != f[320] { break 'to_610; }
if f[672] != f[321] { break 'to_610; }
if f[673] != f[322] { break 'to_610; }
if !(f[324] & 0xffffc0000000 == 0x0) { break 'to_610; }
f[309] = 0x0;
break 'to_612;
}
f[674] = f[134] | f[317].rotate_left(48) & 0xffff000000000000;
f[675] = f[317].rotate_left(48) & 0xffffffffffff;
f[675] = f[675] | f[318].rotate_left(48) & 0xffff000000000000;
f[676] = f[318].rotate_left(48) & 0xffffffffffff;
f[676] = f[676] | f[319].rotate_left(48) & 0xffff000000000000;
f[677] = f[319].rotate_left(48) & 0xffffffffffff;
f[677] = f[677] | f[320].rotate_left(48) & 0xffff000000000000;
f[678] = f[320].rotate_left(48) & 0xffffffffffff;
f[678] = f[678] | f[321].rotate_left(48) & 0xffff000000000000;
f[679] = f[321].rotate_left(48) & 0xffffffffffff;
f[679] = f[679] | f[322].rotate_left(48) & 0xffff000000000000;
f[680] = f[322].rotate_left(48) & 0x1;
r.write_limbs(12, f[323], [f[674], f[675], f[676], f[677], f[678], f[679], f[680]]);
}
f[24] = f[24] & 0xfffffffffffffffd | f[309] << 1 & 0x2;
}
if f[24] == 0x0 { break 'to_639; }
f[271] = 0x0;
{ let e = r.read_limbs::<2>(1, 0x0); f[272] = e[0]; f[273] = e[1]; }
f[341] = r.read(2, 0x0);
f[635] = words::keep(f[273] >> 48, 48);
if f[635] != f[341] { break 'to_625; }
f[635] = words::keep(f[273] >> 48, 48);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 48);
f[654] = f[272] & 0xffffffff;
f[654] = f[654] | f[134].rotate_left(32) & 0xffffffff00000000;
f[655] = f[134].rotate_left(32) & 0xffff;
f[655] = f[655] | f[28].rotate_left(16) & 0xffffffff0000;
f[655] = f[655] | f[633].rotate_left(48) & 0xffff000000000000;
f[272] = f[654]; f[273] = f[655];
r.write_limbs(1, 0x0, [f[654], f[655]]);
f[271] = 0x1;
}
f[288] = f[122] & 0xfffffff;
f[633] = f[273].rotate_left(16) & 0xffff;
f[290] = words::keep(u64::wrapping_sub(f[633], 0x1), 48);
f[291] = f[273].rotate_left(48) & 0xffffffff;
f[292] = f[272].rotate_left(32) & 0xffffffff;
f[292] = f[292] | f[273].rotate_left(32) & 0xffff00000000;
f[293] = f[272] & 0xffffffff;
if let Err(error) = r.operation(f, 628) { return Ending::Rejected(error); }
f[119] = 0x7;
f[140] = 0x7;
f[25] = words::keep(u64::wrapping_sub(f[25], 0x1), 56);
if !(f[24] & 0x1 == 0x1) { break 'to_633; }
f[121] = f[120];
}
if f[25] == 0x0 { break 'to_639; }
if !(f[24] & 0x2 == 0x2) { break 'to_637; }
f[136] = 0x1;
f[142] = 0x0;
break 'to_639;
}
if f[121] == 0x0 { break 'to_639; }
f[126] = f[121];
f[142] = 0x0;
}
if f[142] != 0x1 { return Ending::Done; }
if let Err(error) = r.operation(f, 640) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
if f[35] == 0 { break 'to_648; }
f[143] = f[44];
f[44] = words::keep(u64::wrapping_sub(f[44], 0x1), 56);
break 'to_650;
}
f[143] = f[63];
f[63] = words::keep(u64::wrapping_sub(f[63], 0x1), 56);
}
if 0x1 < f[143] { break 'to_655; }
if let Err(error) = r.operation(f, 651) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
if f[120] != 0x0 { break 'to_660; }
if let Err(error) = r.operation(f, 656) { return Ending::Rejected(error); }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
if f[4] == 0 { break 'to_663; }
f[119] = f[5];
break 'to_664;
}
match match r.apply(f, 3) { Some(980) => run(980, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[140] = f[119];
f[126] = f[120];
{ let e = r.read_limbs::<2>(1, 0x0); f[144] = e[0]; f[145] = e[1]; }
f[124] = f[145].rotate_left(16) & 0xffff;
f[350] = 0x0;
f[352] = 0x0; f[353] = 0x0; f[354] = 0x0;
f[355] = 0x0;
f[356] = 0x0;
f[348] = words::keep(u64::wrapping_sub(f[125], 0x1), 55);
f[349] = words::keep(u64::wrapping_sub(f[120], 0x1), 55);
if f[349] >= 0x40 { break 'to_677; }
f[358] = f[119] | f[349] << 55 >> 55 << 3;
f[350] = r.read(9, f[358]);
f[633] = words::keep(u64::wrapping_add(f[350], 0x1), 32);
r.write(9, f[358], f[633]);
{ let e = r.read_limbs::<4>(4, f[358]); f[351] = e[0]; f[352] = e[1]; f[353] = e[2]; f[354] = e[3]; }
}
if f[116] != 0x1 { return Ending::Done; }
if !(f[354] & 0x10000 == 0x10000) { break 'to_683; }
f[667] = f[352].rotate_left(16) & 0xffff;
f[667] = f[667] | f[353].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[667] { break 'to_683; }
f[633] = 0x1;
break 'to_684;
}
f[633] = 0x0;
}
if f[633] == 0 { break 'to_686; }
f[355] = 0x1;
}
if f[350] == 0x0 { break 'to_688; }
f[356] = 0x1;
}
f[667] = words::keep(f[114] >> 16, 48);
f[635] = f[114] ^ f[667];
f[633] = 0x0 | f[120] << 55 >> 55 << 4;
f[685] = f[635] ^ f[633];
f[357] = f[685] ^ f[125];
f[358] = f[357] & 0xfff;
f[358] = f[358] | f[123].rotate_left(12) & 0x3000;
f[359] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[359] = f[359] | f[111].rotate_left(24) & 0xffff000000;
f[359] = f[359] | f[109].rotate_left(40) & 0xffffff0000000000;
f[360] = f[109].rotate_left(40) & 0xffffffffff;
f[360] = f[360] | f[110].rotate_left(40) & 0xffffff0000000000;
f[361] = f[110].rotate_left(40) & 0xffffffffff;
f[361] = f[361] | f[107].rotate_left(40) & 0xffffff0000000000;
f[362] = f[107].rotate_left(40) & 0xffffffffff;
f[362] = f[362] | f[108].rotate_left(40) & 0xffffff0000000000;
f[363] = f[108].rotate_left(40) & 0xffffffffff;
f[363] = f[363] | f[119].rotate_left(40) & 0x70000000000;
f[363] = f[363] | f[120].rotate_left(43) & 0xff80000000000;
f[363] = f[363] | f[125].rotate_left(52) & 0x1ff0000000000000;
f[363] = f[363] | f[124].rotate_left(61) & 0xe000000000000000;
f[364] = f[124].rotate_left(61) & 0x1fff;
f[364] = f[364] | f[122].rotate_left(13) & 0x1fffffffe000;
f[365] = f[355] | f[350].rotate_left(32) & 0xffffffff00000000;
f[366] = f[356].rotate_left(16) & 0x10000;
f[366] = f[366] | f[129].rotate_left(48) & 0xffff000000000000;
f[367] = 0x100000000 | f[129].rotate_left(48) & 0xffff;
f[407] = f[363].rotate_left(3) & 0x1;
if f[407] != 0x0 { break 'to_699; }
{ let e = r.read_limbs::<6>(13, f[358]); f[391] = e[0]; f[392] = e[1]; f[393] = e[2]; f[394] = e[3]; f[395] = e[4]; f[396] = e[5]; }
{ let e = r.read_limbs::<3>(15, f[358]); f[397] = e[0]; f[398] = e[1]; f[399] = e[2]; }
{ let e = r.read_limbs::<4>(17, f[358]); f[400] = e[0]; f[401] = e[1]; f[402] = e[2]; f[403] = e[3]; }
break 'to_702;
}
{ let e = r.read_limbs::<6>(14, f[358]); f[391] = e[0]; f[392] = e[1]; f[393] = e[2]; f[394] = e[3]; f[395] = e[4]; f[396] = e[5]; }
{ let e = r.read_limbs::<3>(16, f[358]); f[397] = e[0]; f[398] = e[1]; f[399] = e[2]; }
{ let e = r.read_limbs::<4>(18, f[358]); f[400] = e[0]; f[401] = e[1]; f[402] = e[2]; f[403] = e[3]; }
}
f[408] = 0x0;
if f[391] != f[359] { break 'to_709; }
if f[392] != f[360] { break 'to_709; }
if f[393] != f[361] { break 'to_709; }
if f[394] != f[362] { break 'to_709; }
if f[395] != f[363] { break 'to_709; }
if f[396] == f[364] { break 'to_737; }
}
f[408] = 0x1;
f[685] = f[396].rotate_left(51) & 0xffffffff;
f[633] = f[364].rotate_left(51) & 0xffffffff;
if f[685] != f[633] { break 'to_733; }
if f[399] & 0xffffffff00000000 == 0x0 { break 'to_733; }
f[406] = r.read(3, f[407]);
f[451] = f[395].rotate_left(3) & 0x7;
f[451] = f[451] | f[396].rotate_left(3) & 0xfff8;
f[454] = words::keep(u64::wrapping_sub(f[451], f[406]), 48);
f[635] = words::keep(f[454] >> 15, 63);
f[453] = u64::from(f[635] == 0x0);
if f[453] == 0 { break 'to_733; }
f[664] = f[395] & 0x1fffffffffffffff;
f[690] = f[363] & 0x1fffffffffffffff;
if f[391] != f[359] { break 'to_726; }
if f[392] != f[360] { break 'to_726; }
if f[393] != f[361] { break 'to_726; }
if f[394] != f[362] { break 'to_726; }
if f[664] != f[690] { break 'to_726; }
f[408] = 0x0;
break 'to_733;
}
{ let e = r.read_limbs::<2>(1, 0x0); f[404] = e[0]; f[405] = e[1]; }
f[635] = words::keep(f[404] >> 0, 32);
f[633] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[404] = f[404] & 0xffffffff00000000 | f[633] << 0 & 0xffffffff;
r.write_limbs(1, 0x0, [f[404], f[405]]);
f[422] = words::keep(f[404] >> 0, 32);
if let Err(error) = r.operation(f, 732) { return Ending::Rejected(error); }
}
if f[407] != 0x0 { break 'to_736; }
r.write_limbs(13, f[358], [f[359], f[360], f[361], f[362], f[363], f[364]]);
break 'to_737;
}
r.write_limbs(14, f[358], [f[359], f[360], f[361], f[362], f[363], f[364]]);
}
if f[408] != 0x1 { break 'to_741; }
f[397] = 0x0; f[398] = 0x0; f[399] = 0x0;
f[400] = 0x0;
f[401] = f[134].rotate_left(32) & 0xffffffff00000000;
f[402] = f[134].rotate_left(32) & 0xffff;
f[402] = f[402] | f[134].rotate_left(16) & 0xffffffffffff0000;
f[403] = f[118] | f[118].rotate_left(24) & 0xffffff000000;
break 'to_745;
}
f[403] = f[403] & 0xffffffffff000000 | f[118] << 0 & 0xffffff;
f[401] = f[401] & 0xffffffff | f[134] << 32 & 0xffffffff00000000;
f[633] = words::keep(f[134] >> 32, 48);
f[402] = f[402] & 0xffffffffffff0000 | f[633] << 0 & 0xffff;
}
if f[366] & 0xffffffff0000 == 0x0 { break 'to_751; }
if !(f[398] & 0xffffffff0000 == 0x0) { break 'to_750; }
f[400] = f[400] & 0xffffffffffff | f[134] << 48 & 0xffff000000000000;
f[633] = words::keep(f[134] >> 16, 32);
f[401] = f[401] & 0xffffffff00000000 | f[633] << 0 & 0xffffffff;
}
f[400] = f[400] & 0xffff000000000000 | f[134] << 0 & 0xffffffffffff;
}
{ let carry = false; let (limb, carry) = words::add(f[397], f[365], carry); f[397] = words::keep(limb, 0); let (limb, carry) = words::add(f[398], f[366], carry); f[398] = words::keep(limb, 0); let (limb, carry) = words::add(f[399], f[367], carry); f[399] = words::keep(limb, 0); let _ = carry; }
if f[407] != 0x0 { break 'to_756; }
r.write_limbs(15, f[358], [f[397], f[398], f[399]]);
r.write_limbs(17, f[358], [f[400], f[401], f[402], f[403]]);
break 'to_758;
}
r.write_limbs(16, f[358], [f[397], f[398], f[399]]);
r.write_limbs(18, f[358], [f[400], f[401], f[402], f[403]]);
}
if f[349] >= 0x40 { return Ending::Done; }
f[358] = f[349] & 0x3f;
f[358] = f[358] | f[123].rotate_left(6) & 0xc0;
if !(f[124] & 0x1 == 0x0) { break 'to_763; }
{ let e = r.read_limbs::<3>(19, f[358]); f[462] = e[0]; f[463] = e[1]; f[464] = e[2]; }
break 'to_764;
}
{ let e = r.read_limbs::<3>(20, f[358]); f[462] = e[0]; f[463] = e[1]; f[464] = e[2]; }
}
f[633] = f[463].rotate_left(16) & 0xffff;
f[633] = f[633] | f[464].rotate_left(16) & 0xffffffff0000;
f[635] = f[124] | f[122].rotate_left(16) & 0xffffffff0000;
if f[633] == f[635] { break 'to_779; }
f[635] = words::keep(f[124] >> 0, 63);
f[465] = r.read(3, f[635]);
f[477] = u64::from(f[464] == f[122]);
if f[477] == 0 { break 'to_775; }
f[473] = words::keep(f[463] >> 48, 48);
f[476] = words::keep(u64::wrapping_sub(f[473], f[465]), 48);
f[635] = words::keep(f[476] >> 15, 63);
f[475] = u64::from(f[635] == 0x0);
f[477] = f[475];
}
if f[477] == 0 { break 'to_778; }
f[463] = f[463] & 0xffffffffffff | f[124] << 48 & 0xffff000000000000;
break 'to_779;
}
f[462] = 0x0;
f[463] = f[124].rotate_left(48) & 0xffff000000000000;
f[464] = f[122];
}
f[638] = f[355] | f[350].rotate_left(32) & 0xffffffff00000000;
f[639] = 0x10000;
f[640] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[462], f[638], carry); f[462] = words::keep(limb, 0); let (limb, carry) = words::add(f[463], f[639], carry); f[463] = words::keep(limb, 0); let (limb, carry) = words::add(f[464], f[640], carry); f[464] = words::keep(limb, 32); let _ = carry; }
if !(f[124] & 0x1 == 0x0) { break 'to_784; }
r.write_limbs(19, f[358], [f[462], f[463], f[464]]);
break 'to_785;
}
r.write_limbs(20, f[358], [f[462], f[463], f[464]]);
}
if f[348] >= 0x40 { return Ending::Done; }
f[358] = f[349] & 0x3f;
f[358] = f[358] | f[348].rotate_left(6) & 0xfc0;
f[358] = f[358] | f[123].rotate_left(12) & 0x3000;
if !(f[124] & 0x1 == 0x0) { break 'to_790; }
{ let e = r.read_limbs::<2>(10, f[358]); f[482] = e[0]; f[483] = e[1]; }
break 'to_791;
}
{ let e = r.read_limbs::<2>(11, f[358]); f[482] = e[0]; f[483] = e[1]; }
}
f[635] = f[483].rotate_left(48) & 0xffffffffffff;
f[633] = f[124] | f[122].rotate_left(16) & 0xffffffff0000;
if f[635] == f[633] { break 'to_807; }
f[633] = words::keep(f[124] >> 0, 63);
f[484] = r.read(3, f[633]);
f[633] = words::keep(f[483] >> 32, 32);
f[494] = u64::from(f[633] == f[122]);
if f[494] == 0 { break 'to_803; }
f[490] = words::keep(f[483] >> 16, 48);
f[493] = words::keep(u64::wrapping_sub(f[490], f[484]), 48);
f[633] = words::keep(f[493] >> 15, 63);
f[492] = u64::from(f[633] == 0x0);
f[494] = f[492];
}
if f[494] == 0 { break 'to_806; }
f[483] = f[483] & 0xffffffff0000ffff | f[124] << 16 & 0xffff0000;
break 'to_807;
}
f[482] = 0x0;
f[483] = f[124].rotate_left(16) & 0xffff0000;
f[483] = f[483] | f[122].rotate_left(32) & 0xffffffff00000000;
}
f[654] = 0x1000000000000 | f[129] & 0xffffffff;
f[655] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[482], f[654], carry); f[482] = words::keep(limb, 0); let (limb, carry) = words::add(f[483], f[655], carry); f[483] = words::keep(limb, 0); let _ = carry; }
if !(f[124] & 0x1 == 0x0) { break 'to_812; }
r.write_limbs(10, f[358], [f[482], f[483]]);
return Ending::Done;
}
r.write_limbs(11, f[358], [f[482], f[483]]);
return Ending::Done;
Ending::Done
}

fn at_814(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_949: {
'to_945: {
'to_944: {
'to_942: {
'to_933: {
'to_931: {
'to_922: {
'to_920: {
'to_911: {
'to_909: {
'to_900: {
'to_898: {
'to_889: {
'to_887: {
'to_878: {
'to_876: {
'to_867: {
'to_865: {
'to_853: {
'to_850: {
'to_845: {
'to_842: {
'to_840: {
'to_834: {
'to_833: {
'to_818: {
f[495] = words::keep(u64::wrapping_sub(f[127], 0x1), 55);
if f[495] >= 0x40 { break 'to_818; }
f[633] = f[119] | f[495] << 55 >> 55 << 3;
r.write(9, f[633], f[133]);
}
if f[21] == 0 { return Ending::Done; }
f[499] = 0x0;
f[496] = words::keep(u64::wrapping_sub(f[125], 0x1), 55);
f[497] = words::keep(u64::wrapping_sub(f[127], 0x1), 55);
if f[497] >= 0x40 { break 'to_945; }
f[498] = r.read(8, f[497]);
if !(f[498] & 0x8000000000 == 0x0) { break 'to_945; }
f[504] = f[497] & 0x3f;
f[505] = f[26] & 0x7;
f[633] = f[505] | f[504].rotate_left(3) & 0x1f8;
{ let e = r.read_limbs::<4>(4, f[633]); f[507] = e[0]; f[508] = e[1]; f[509] = e[2]; f[510] = e[3]; }
f[500] = 0x0;
f[501] = 0x3;
if !(f[510] & 0x10000 == 0x10000) { break 'to_833; }
f[685] = f[508].rotate_left(16) & 0xffff;
f[685] = f[685] | f[509].rotate_left(16) & 0xffffffff0000;
if f[134] >= f[685] { break 'to_833; }
f[633] = 0x1;
break 'to_834;
}
f[633] = 0x0;
}
if f[633] == 0 { break 'to_840; }
f[500] = 0x1;
f[522] = f[134].rotate_left(44) & 0xfffffff;
f[523] = f[509].rotate_left(12) & 0xfff;
f[523] = f[523] | f[510].rotate_left(12) & 0xffff000;
f[685] = words::keep(u64::wrapping_sub(f[522], f[523]), 32);
f[524] = words::keep(f[685] >> 0, 36);
f[501] = words::keep(u64::wrapping_add(0x3, f[524]), 32);
break 'to_850;
}
if f[510] & 0x10000 == 0x10000 { break 'to_842; }
if f[507] & 0xffffffff == 0x0 { break 'to_850; }
}
f[511] = f[507].rotate_left(32) & 0xffffffff;
f[511] = f[511] | f[508].rotate_left(32) & 0xffff00000000;
if !(f[510] & 0x10000 == 0x10000) { break 'to_845; }
f[511] = f[508].rotate_left(16) & 0xffff;
f[511] = f[511] | f[509].rotate_left(16) & 0xffffffff0000;
}
f[526] = f[134].rotate_left(44) & 0xfffffff;
f[527] = f[511].rotate_left(44) & 0xfffffff;
f[635] = words::keep(u64::wrapping_sub(f[526], f[527]), 32);
f[528] = words::keep(f[635] >> 0, 36);
if f[528] >= 0x4 { break 'to_850; }
f[500] = 0x1;
}
if f[127] != f[121] { break 'to_853; }
f[499] = 0x1 | f[500] << 63 >> 63 << 1;
break 'to_945;
}
if !(f[24] & 0x2 == 0x2) { break 'to_945; }
if f[500] != 0x1 { break 'to_945; }
if f[496] >= 0x40 { break 'to_945; }
f[529] = f[496] & 0x3f;
f[530] = f[497] & 0x3f;
f[502] = 0x0;
f[635] = f[530] | f[529].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[545] = u64::from(f[635] != 0x0);
if f[545] == 0 { break 'to_865; }
f[543] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[543]), 32);
f[544] = words::keep(f[635] >> 0, 36);
f[545] = u64::from(f[544] <= f[501]);
}
if f[545] == 0 { break 'to_867; }
f[502] = 0x1;
}
f[635] = f[530] | f[529] << 58 >> 58 << 6;
{ let e = r.read_limbs::<2>(11, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[556] = u64::from(f[635] != 0x0);
if f[556] == 0 { break 'to_876; }
f[554] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[554]), 32);
f[555] = words::keep(f[635] >> 0, 36);
f[556] = u64::from(f[555] <= f[501]);
}
if f[556] == 0 { break 'to_878; }
f[502] = 0x1;
}
f[635] = 0x1000 | f[530] & 0x3f;
f[635] = f[635] | f[529].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[567] = u64::from(f[635] != 0x0);
if f[567] == 0 { break 'to_887; }
f[565] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[565]), 32);
f[566] = words::keep(f[635] >> 0, 36);
f[567] = u64::from(f[566] <= f[501]);
}
if f[567] == 0 { break 'to_889; }
f[502] = 0x1;
}
f[635] = 0x1000 | f[530] & 0x3f;
f[635] = f[635] | f[529].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[578] = u64::from(f[635] != 0x0);
if f[578] == 0 { break 'to_898; }
f[576] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[576]), 32);
f[577] = words::keep(f[635] >> 0, 36);
f[578] = u64::from(f[577] <= f[501]);
}
if f[578] == 0 { break 'to_900; }
f[502] = 0x1;
}
f[635] = 0x2000 | f[530] & 0x3f;
f[635] = f[635] | f[529].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[589] = u64::from(f[635] != 0x0);
if f[589] == 0 { break 'to_909; }
f[587] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[587]), 32);
f[588] = words::keep(f[635] >> 0, 36);
f[589] = u64::from(f[588] <= f[501]);
}
if f[589] == 0 { break 'to_911; }
f[502] = 0x1;
}
f[635] = 0x2000 | f[530] & 0x3f;
f[635] = f[635] | f[529].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[600] = u64::from(f[635] != 0x0);
if f[600] == 0 { break 'to_920; }
f[598] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[598]), 32);
f[599] = words::keep(f[635] >> 0, 36);
f[600] = u64::from(f[599] <= f[501]);
}
if f[600] == 0 { break 'to_922; }
f[502] = 0x1;
}
f[635] = 0x3000 | f[530] & 0x3f;
f[635] = f[635] | f[529].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[611] = u64::from(f[635] != 0x0);
if f[611] == 0 { break 'to_931; }
f[609] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[609]), 32);
f[610] = words::keep(f[635] >> 0, 36);
f[611] = u64::from(f[610] <= f[501]);
}
if f[611] == 0 { break 'to_933; }
f[502] = 0x1;
}
f[635] = 0x3000 | f[530] & 0x3f;
f[635] = f[635] | f[529].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[635]); f[533] = e[0]; f[534] = e[1]; }
f[635] = f[533].rotate_left(16) & 0xffff;
f[635] = f[635] | f[534].rotate_left(16) & 0xffff0000;
f[622] = u64::from(f[635] != 0x0);
if f[622] == 0 { break 'to_942; }
f[620] = words::keep(f[534] >> 32, 32);
f[635] = words::keep(u64::wrapping_sub(f[122], f[620]), 32);
f[621] = words::keep(f[635] >> 0, 36);
f[622] = u64::from(f[621] <= f[501]);
}
if f[622] == 0 { break 'to_944; }
f[502] = 0x1;
}
f[499] = 0x0 | f[502] << 63 >> 63 << 1;
}
if f[499] != 0x0 { break 'to_949; }
f[126] = 0x1ff;
f[136] = 0; 
return Ending::Done;
}
f[24] = f[499];
return Ending::Done;
Ending::Done
}

fn at_951(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_954: {
if f[35] == 0 { break 'to_954; }
if f[49] != 0 { break 'to_954; }
f[46] = words::checksum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(0, f[48].rotate_left(48) & 0xffff000000000000), f[48].rotate_left(48) & 0xffff), f[47].rotate_left(16) & 0xffffffff0000), f[45].rotate_left(48) & 0xff000000000000), f[44].rotate_left(56) & 0xff00000000000000), f[43]), f[42].rotate_left(13) & 0xe000), f[41].rotate_left(16) & 0xffff0000), f[40].rotate_left(32) & 0xffff00000000), f[39].rotate_left(48) & 0x3000000000000), f[38].rotate_left(50) & 0xfc000000000000), f[37].rotate_left(56) & 0xf00000000000000), f[36].rotate_left(60) & 0xf000000000000000)) & 0xffff;
}
if f[35] == 0 { return Ending::Done; }
if f[49] == 0 { return Ending::Done; }
if let Err(error) = r.operation(f, 956) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_958(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
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
if let Err(error) = r.operation(f, 964) { return Ending::Rejected(error); }
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

fn at_972(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[261];
return Ending::Returned;
Ending::Done
}

fn at_974(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[262];
f[2] = f[263];
f[1] = f[264];
return Ending::Returned;
Ending::Done
}

fn at_976(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[257] = f[265];
f[258] = f[266];
return Ending::Returned;
Ending::Done
}

fn at_978(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = 0x0;
return Ending::Returned;
Ending::Done
}

fn at_980(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[119] = f[345];
return Ending::Returned;
Ending::Done
}
