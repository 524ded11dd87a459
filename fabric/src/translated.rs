// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0x15ff5fa49b9a5f36, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            50 => at_50(f, r),
            57 => at_57(f, r),
            818 => at_818(f, r),
            955 => at_955(f, r),
            962 => at_962(f, r),
            976 => at_976(f, r),
            978 => at_978(f, r),
            980 => at_980(f, r),
            982 => at_982(f, r),
            984 => at_984(f, r),
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
f[635] = words::keep(u64::wrapping_sub(f[37], 0x5), 48);
f[637] = words::keep(u64::wrapping_mul(f[635], 0x20), 48);
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
if f[635] == 0 { return Ending::Done; }
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
'to_816: {
'to_811: {
'to_810: {
'to_807: {
'to_795: {
'to_794: {
'to_789: {
'to_788: {
'to_783: {
'to_782: {
'to_779: {
'to_768: {
'to_767: {
'to_762: {
'to_760: {
'to_755: {
'to_754: {
'to_749: {
'to_745: {
'to_741: {
'to_740: {
'to_737: {
'to_730: {
'to_713: {
'to_706: {
'to_703: {
'to_692: {
'to_690: {
'to_688: {
'to_687: {
'to_681: {
'to_668: {
'to_667: {
'to_664: {
'to_659: {
'to_654: {
'to_652: {
'to_648: {
'to_643: {
'to_641: {
'to_637: {
'to_629: {
'to_617: {
'to_615: {
'to_613: {
'to_593: {
'to_591: {
'to_589: {
'to_567: {
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
if f[140] != 0x0 { break 'to_59; }
if f[139] != 0x1 { break 'to_63; }
}
if let Err(error) = r.operation(f, 59) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
if f[9] == 0 { break 'to_496; }
if f[11] == 0 { break 'to_492; }
f[149] = words::keep(u64::wrapping_sub(f[126], 0x1), 55);
f[150] = words::keep(f[149] >> 0, 58);
if f[149] >= 0x40 { break 'to_492; }
if !(f[12] & 0x1 == 0x1) { break 'to_121; }
f[167] = 0x0 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[635] = words::keep(f[163] >> 0, 25);
f[637] = u64::wrapping_mul(f[13], f[635]);
f[164] = f[637].rotate_left(48) & 0xffffffffffff;
f[637] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[637]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_78; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_109; }
if f[13] == 0x0 { break 'to_82; }
f[635] = f[160].rotate_left(16) & 0xffff;
f[635] = f[635] | f[161].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[135] { break 'to_109; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_85; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[635] = f[179].rotate_left(16) & 0xffff;
if f[635] == f[180] { break 'to_93; }
f[637] = f[178].rotate_left(32) & 0xffffffff;
f[637] = f[637] | f[179].rotate_left(32) & 0xffff00000000;
if f[637] < f[175] { break 'to_93; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_96; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[637] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[637]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x0_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_102; }
if f[181] != 0x1 { break 'to_103; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_105; }
if f[181] != 0x1 { break 'to_106; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[637] = words::keep(f[159] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[159] = f[635] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[13] == 0x0 { break 'to_120; }
if !(f[162] & 0x10000 == 0x0) { break 'to_114; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_120;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[635] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[160] >> 16, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[637] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x2 == 0x2) { break 'to_174; }
f[167] = 0x1 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[637] = words::keep(f[163] >> 0, 25);
f[635] = u64::wrapping_mul(f[14], f[637]);
f[164] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[635]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_131; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_162; }
if f[14] == 0x0 { break 'to_135; }
f[637] = f[160].rotate_left(16) & 0xffff;
f[637] = f[637] | f[161].rotate_left(16) & 0xffffffff0000;
if f[637] >= f[135] { break 'to_162; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_138; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[637] = f[179].rotate_left(16) & 0xffff;
if f[637] == f[180] { break 'to_146; }
f[635] = f[178].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[179].rotate_left(32) & 0xffff00000000;
if f[635] < f[175] { break 'to_146; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_149; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[635] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[635]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x1_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_155; }
if f[181] != 0x1 { break 'to_156; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_158; }
if f[181] != 0x1 { break 'to_159; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[635] = words::keep(f[159] >> 0, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[637] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[14] == 0x0 { break 'to_173; }
if !(f[162] & 0x10000 == 0x0) { break 'to_167; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_173;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[637] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[637] << 0 & 0xffffffff;
f[637] = words::keep(f[160] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x4 == 0x4) { break 'to_227; }
f[167] = 0x2 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[635] = words::keep(f[163] >> 0, 25);
f[637] = u64::wrapping_mul(f[15], f[635]);
f[164] = f[637].rotate_left(48) & 0xffffffffffff;
f[637] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[637]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_184; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_215; }
if f[15] == 0x0 { break 'to_188; }
f[635] = f[160].rotate_left(16) & 0xffff;
f[635] = f[635] | f[161].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[135] { break 'to_215; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_191; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[635] = f[179].rotate_left(16) & 0xffff;
if f[635] == f[180] { break 'to_199; }
f[637] = f[178].rotate_left(32) & 0xffffffff;
f[637] = f[637] | f[179].rotate_left(32) & 0xffff00000000;
if f[637] < f[175] { break 'to_199; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_202; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[637] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[637]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x2_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_208; }
if f[181] != 0x1 { break 'to_209; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_211; }
if f[181] != 0x1 { break 'to_212; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[637] = words::keep(f[159] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[159] = f[635] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[15] == 0x0 { break 'to_226; }
if !(f[162] & 0x10000 == 0x0) { break 'to_220; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_226;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[635] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[160] >> 16, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[637] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x8 == 0x8) { break 'to_280; }
f[167] = 0x3 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[637] = words::keep(f[163] >> 0, 25);
f[635] = u64::wrapping_mul(f[16], f[637]);
f[164] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[635]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_237; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_268; }
if f[16] == 0x0 { break 'to_241; }
f[637] = f[160].rotate_left(16) & 0xffff;
f[637] = f[637] | f[161].rotate_left(16) & 0xffffffff0000;
if f[637] >= f[135] { break 'to_268; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_244; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[637] = f[179].rotate_left(16) & 0xffff;
if f[637] == f[180] { break 'to_252; }
f[635] = f[178].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[179].rotate_left(32) & 0xffff00000000;
if f[635] < f[175] { break 'to_252; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_255; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[635] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[635]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x3_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_261; }
if f[181] != 0x1 { break 'to_262; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_264; }
if f[181] != 0x1 { break 'to_265; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[635] = words::keep(f[159] >> 0, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[637] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[16] == 0x0 { break 'to_279; }
if !(f[162] & 0x10000 == 0x0) { break 'to_273; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_279;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[637] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[637] << 0 & 0xffffffff;
f[637] = words::keep(f[160] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x10 == 0x10) { break 'to_333; }
f[167] = 0x4 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[635] = words::keep(f[163] >> 0, 25);
f[637] = u64::wrapping_mul(f[17], f[635]);
f[164] = f[637].rotate_left(48) & 0xffffffffffff;
f[637] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[637]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_290; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_321; }
if f[17] == 0x0 { break 'to_294; }
f[635] = f[160].rotate_left(16) & 0xffff;
f[635] = f[635] | f[161].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[135] { break 'to_321; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_297; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[635] = f[179].rotate_left(16) & 0xffff;
if f[635] == f[180] { break 'to_305; }
f[637] = f[178].rotate_left(32) & 0xffffffff;
f[637] = f[637] | f[179].rotate_left(32) & 0xffff00000000;
if f[637] < f[175] { break 'to_305; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_308; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[637] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[637]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x4_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_314; }
if f[181] != 0x1 { break 'to_315; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_317; }
if f[181] != 0x1 { break 'to_318; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[637] = words::keep(f[159] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[159] = f[635] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[17] == 0x0 { break 'to_332; }
if !(f[162] & 0x10000 == 0x0) { break 'to_326; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_332;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[635] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[160] >> 16, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[637] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x20 == 0x20) { break 'to_386; }
f[167] = 0x5 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[637] = words::keep(f[163] >> 0, 25);
f[635] = u64::wrapping_mul(f[18], f[637]);
f[164] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[635]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_343; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_374; }
if f[18] == 0x0 { break 'to_347; }
f[637] = f[160].rotate_left(16) & 0xffff;
f[637] = f[637] | f[161].rotate_left(16) & 0xffffffff0000;
if f[637] >= f[135] { break 'to_374; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_350; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[637] = f[179].rotate_left(16) & 0xffff;
if f[637] == f[180] { break 'to_358; }
f[635] = f[178].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[179].rotate_left(32) & 0xffff00000000;
if f[635] < f[175] { break 'to_358; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_361; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[635] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[635]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x5_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_367; }
if f[181] != 0x1 { break 'to_368; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_370; }
if f[181] != 0x1 { break 'to_371; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[635] = words::keep(f[159] >> 0, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[637] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[18] == 0x0 { break 'to_385; }
if !(f[162] & 0x10000 == 0x0) { break 'to_379; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_385;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[637] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[637] << 0 & 0xffffffff;
f[637] = words::keep(f[160] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x40 == 0x40) { break 'to_439; }
f[167] = 0x6 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[635] = words::keep(f[163] >> 0, 25);
f[637] = u64::wrapping_mul(f[19], f[635]);
f[164] = f[637].rotate_left(48) & 0xffffffffffff;
f[637] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[637]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_396; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_427; }
if f[19] == 0x0 { break 'to_400; }
f[635] = f[160].rotate_left(16) & 0xffff;
f[635] = f[635] | f[161].rotate_left(16) & 0xffffffff0000;
if f[635] >= f[135] { break 'to_427; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_403; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[635] = f[179].rotate_left(16) & 0xffff;
if f[635] == f[180] { break 'to_411; }
f[637] = f[178].rotate_left(32) & 0xffffffff;
f[637] = f[637] | f[179].rotate_left(32) & 0xffff00000000;
if f[637] < f[175] { break 'to_411; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_414; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[637] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[637]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x6_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_420; }
if f[181] != 0x1 { break 'to_421; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_423; }
if f[181] != 0x1 { break 'to_424; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[637] = words::keep(f[159] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[159] = f[635] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[19] == 0x0 { break 'to_438; }
if !(f[162] & 0x10000 == 0x0) { break 'to_432; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_438;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[635] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
f[635] = words::keep(f[160] >> 16, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[637] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x80 == 0x80) { break 'to_492; }
f[167] = 0x7 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[637] = words::keep(f[163] >> 0, 25);
f[635] = u64::wrapping_mul(f[20], f[637]);
f[164] = f[635].rotate_left(48) & 0xffffffffffff;
f[635] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[635]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_449; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_480; }
if f[20] == 0x0 { break 'to_453; }
f[637] = f[160].rotate_left(16) & 0xffff;
f[637] = f[637] | f[161].rotate_left(16) & 0xffffffff0000;
if f[637] >= f[135] { break 'to_480; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_456; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[637] = f[179].rotate_left(16) & 0xffff;
if f[637] == f[180] { break 'to_464; }
f[635] = f[178].rotate_left(32) & 0xffffffff;
f[635] = f[635] | f[179].rotate_left(32) & 0xffff00000000;
if f[635] < f[175] { break 'to_464; }
f[181] = 0x1;
}
f[184] = words::keep(f[177] >> 0, 51);
if f[177] & 0xffffe000 == 0x0 { break 'to_467; }
f[184] = 0x1fff;
}
f[182] = r.read(7, f[150]);
f[635] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[635]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[185] = f[182] & 0xffff;
f[185] = f[185] | 0x7_u64.rotate_left(16) & 0x70000;
f[185] = f[185] | f[184].rotate_left(19) & 0xfff80000;
f[185] = f[185] | f[166].rotate_left(32) & 0xffffffff00000000;
f[186] = f[166].rotate_left(32) & 0xffff;
f[186] = f[186] | f[175].rotate_left(16) & 0xffffffffffff0000;
if f[179] & 0x1000000000000 == 0x0 { break 'to_473; }
if f[181] != 0x1 { break 'to_474; }
}
r.write_limbs(5, f[183], [f[185], f[186]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_476; }
if f[181] != 0x1 { break 'to_477; }
}
r.write_limbs(6, f[183], [f[185], f[186]]);
}
f[635] = words::keep(f[159] >> 0, 32);
f[637] = words::keep(u64::wrapping_add(f[635], 0x1), 32);
f[159] = f[637] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[20] == 0x0 { break 'to_491; }
if !(f[162] & 0x10000 == 0x0) { break 'to_485; }
f[648] = f[159];
f[649] = 0x10000 | f[160] & 0xffff;
f[649] = f[649] | f[165].rotate_left(48) & 0xffff000000000000;
f[650] = f[165].rotate_left(48) & 0xffffffff;
f[650] = f[650] | f[135].rotate_left(32) & 0xffffffff00000000;
f[651] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[648]; f[160] = f[649]; f[161] = f[650]; f[162] = f[651];
break 'to_491;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[637] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[637] << 0 & 0xffffffff;
f[637] = words::keep(f[160] >> 16, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[635] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if let Err(error) = r.operation(f, 492) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
f[142] = 0x1;
f[256] = 0x0;
f[257] = 0x0;
if f[35] == 0 { break 'to_500; }
f[115] = 0x1;
f[117] = f[38];
f[107] = 0xffff00000000 | f[47] & 0xffffffff;
f[108] = 0x0;
f[109] = 0xffff00000000 | f[48] & 0xffffffff;
f[110] = 0x0;
f[113] = f[45];
f[256] = f[37].rotate_left(2) & 0x3c;
f[257] = f[40];
break 'to_516;
}
if f[56] == 0 { break 'to_506; }
f[117] = f[58];
f[108] = f[65]; f[107] = f[64];
f[110] = f[67]; f[109] = f[66];
f[113] = f[62];
f[257] = f[61];
break 'to_516;
}
if f[21] == 0 { break 'to_515; }
f[656] = f[31].rotate_left(32) & 0xffffffff;
f[656] = f[656] | f[32].rotate_left(32) & 0xffffffff00000000;
f[657] = f[32].rotate_left(32) & 0xffffffff;
if f[656] != 0xffff { break 'to_511; }
if f[657] != 0x0 { break 'to_511; }
f[115] = 0x1;
}
f[108] = f[30]; f[107] = f[29];
f[110] = f[32]; f[109] = f[31];
f[111] = f[33];
f[112] = f[34];
f[113] = f[27];
break 'to_516;
}
f[142] = 0x0;
}
if f[68] == 0 { break 'to_519; }
f[111] = f[69];
f[112] = f[70];
break 'to_522;
}
if f[73] == 0 { break 'to_522; }
f[111] = f[74];
f[112] = f[75];
f[635] = f[78].rotate_left(2) & 0x3c;
f[256] = words::keep(u64::wrapping_add(f[256], f[635]), 48);
}
f[116] = 0x1;
if f[21] != 0 { break 'to_526; }
if f[73] == 0 { break 'to_528; }
if f[256] < f[257] { break 'to_528; }
}
f[116] = 0x0;
break 'to_538;
}
if f[84] == 0 { break 'to_538; }
f[118] = f[95];
f[254] = f[85] & 0x1f;
f[255] = f[85].rotate_left(59) & 0x7;
if f[255] != 0x4 { break 'to_533; }
f[116] = 0x0;
break 'to_538;
}
if f[254] == 0x11 { break 'to_535; }
if f[254] != 0x12 { break 'to_538; }
}
if f[255] == 0x1 { break 'to_538; }
if f[255] == 0x3 { break 'to_538; }
f[116] = 0x0;
}
f[662] = f[113].rotate_left(24) & 0xff000000;
f[662] = f[662] | f[112].rotate_left(32) & 0xffff00000000;
f[662] = f[662] | f[111].rotate_left(48) & 0xffff000000000000;
f[663] = f[109];
f[664] = f[110];
f[665] = f[107];
f[666] = f[108];
f[114] = u64::wrapping_add(0x0, words::remainder(words::crc32([f[662], f[663], f[664], f[665], f[666]], 37), 0x100000000)) & 0xffffffff;
if f[142] != 0x0 { break 'to_545; }
if let Err(error) = r.operation(f, 541) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
f[258] = 0x0;
f[259] = 0x0;
if f[115] != 0x1 { break 'to_550; }
f[635] = words::keep(f[109] >> 0, 32);
match match r.apply(f, 0) { Some(976) => run(976, f, r), Some(978) => run(978, f, r), Some(980) => run(980, f, r), Some(982) => run(982, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
break 'to_551;
}
match match r.apply(f, 1) { Some(976) => run(976, f, r), Some(978) => run(978, f, r), Some(980) => run(980, f, r), Some(982) => run(982, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
if f[259] == 0x0 { break 'to_562; }
f[261] = r.read(0, 0x0);
f[635] = f[261] ^ f[114];
f[261] = words::keep(u64::wrapping_mul(f[635], 0x9e3779b1), 32);
f[635] = words::keep(f[261] >> 15, 47);
f[637] = f[261] ^ f[635];
f[261] = words::keep(u64::wrapping_mul(f[637], 0x85ebca77), 32);
f[637] = words::keep(f[261] >> 16, 48);
f[261] = words::keep(u64::wrapping_mul(f[637], f[259]), 32);
f[260] = f[261].rotate_left(48) & 0xffff;
f[656] = f[258];
f[657] = f[260];
match match r.apply(f, 2) { Some(976) => run(976, f, r), Some(978) => run(978, f, r), Some(982) => run(982, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[123] = f[135].rotate_left(44) & 0xfffffff;
f[124] = f[135].rotate_left(44) & 0x3;
if f[21] == 0 { break 'to_648; }
f[272] = 0x0;
f[270] = f[24];
f[143] = 0x1;
f[122] = f[126];
if f[126] != 0x1fe { break 'to_567; }
f[122] = f[2] & 0x1ff;
f[272] = 0x1;
}
if f[22] != 0x1 { break 'to_643; }
if f[25] == 0x0 { break 'to_643; }
if !(f[24] & 0x1 == 0x1) { break 'to_593; }
f[319] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[319] = f[319] | f[111].rotate_left(24) & 0xffff000000;
f[319] = f[319] | f[109].rotate_left(40) & 0xffffff0000000000;
f[320] = f[109].rotate_left(40) & 0xffffffffff;
f[320] = f[320] | f[110].rotate_left(40) & 0xffffff0000000000;
f[321] = f[110].rotate_left(40) & 0xffffffffff;
f[321] = f[321] | f[107].rotate_left(40) & 0xffffff0000000000;
f[322] = f[107].rotate_left(40) & 0xffffffffff;
f[322] = f[322] | f[108].rotate_left(40) & 0xffffff0000000000;
f[323] = f[108].rotate_left(40) & 0xffffffffff;
f[323] = f[323] | 0x0_u64.rotate_left(40) & 0x1ff0000000000;
f[323] = f[323] | f[28].rotate_left(49) & 0xfffe000000000000;
f[324] = f[28].rotate_left(49) & 0x1ffff;
f[637] = f[114] ^ f[28];
f[635] = 0x0 | 0x0 << 55 >> 55 << 7;
f[670] = f[637] ^ f[635];
f[325] = words::keep(u64::wrapping_mul(f[670], 0x9e3779b1), 32);
f[670] = f[325].rotate_left(42) & 0x3ff;
f[325] = f[670];
{ let e = r.read_limbs::<7>(12, f[670]); f[312] = e[0]; f[313] = e[1]; f[314] = e[2]; f[315] = e[3]; f[316] = e[4]; f[317] = e[5]; f[318] = e[6]; }
f[670] = words::keep(f[312] >> 0, 16);
f[326] = words::keep(u64::wrapping_sub(f[135], f[670]), 16);
f[311] = 0x1;
f[671] = f[312].rotate_left(16) & 0xffff;
f[671] = f[671] | f[313].rotate_left(16) & 0xffffffffffff0000;
f[672] = f[313].rotate_left(16) & 0xffff;
f[672] = f[672] | f[314].rotate_left(16) & 0xffffffffffff0000;
f[673] = f[314].rotate_left(16) & 0xffff;
f[673] = f[673] | f[315].rotate_left(16) & 0xffffffffffff0000;
f[674] = f[315].rotate_left(16) & 0xffff;
f[674] = f[674] | f[316].rotate_left(16) & 0xffffffffffff0000;
f[675] = f[316].rotate_left(16) & 0xffff;
f[675] = f[675] | f[317].rotate_left(16) & 0xffffffffffff0000;
f[676] = f[317].rotate_left(16) & 0xffff;
f[676] = f[676] | f[318].rotate_left(16) & 0x10000;
if f[671] != f[319] { break 'to_589; }
if f[672] != f[320] { break 'to_589; }
if f[673] != f[321] { break 'to_589; }
if f[674] != f[322] { break 'to_589; }
if f[675] != f[323] { break 'to_589; }
if f[676] != f[324] { break 'to_589; }
if !(f[326] & 0xffffc0000000 == 0x0) { break 'to_589; }
f[311] = 0x0;
break 'to_591;
}
f[677] = f[135] | f[319].rotate_left(48) & 0xffff000000000000;
f[678] = f[319].rotate_left(48) & 0xffffffffffff;
f[678] = f[678] | f[320].rotate_left(48) & 0xffff000000000000;
f[679] = f[320].rotate_left(48) & 0xffffffffffff;
f[679] = f[679] | f[321].rotate_left(48) & 0xffff000000000000;
f[680] = f[321].rotate_left(48) & 0xffffffffffff;
f[680] = f[680] | f[322].rotate_left(48) & 0xffff000000000000;
f[681] = f[322].rotate_left(48) & 0xffffffffffff;
f[681] = f[681] | f[323].rotate_left(48) & 0xffff000000000000;
f[682] = f[323].rotate_left(48) & 0xffffffffffff;
f[682] = f[682] | f[324].rotate_left(48) & 0xffff000000000000;
f[683] = f[324].rotate_left(48) & 0x1;
r.write_limbs(12, f[325], [f[677], f[678], f[679], f[680], f[681], f[682], f[683]]);
}
f[670] = f[311] | f[272];
f[24] = f[24] & 0xfffffffffffffffe | f[670] << 0 & 0x1;
}
if !(f[270] & 0x2 == 0x2) { break 'to_617; }
f[319] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[319] = f[319] | f[111].rotate_left(24) & 0xffff000000;
f[319] = f[319] | f[109].rotate_left(40) & 0xffffff0000000000;
f[320] = f[109].rotate_left(40) & 0xffffffffff;
f[320] = f[320] | f[110].rotate_left(40) & 0xffffff0000000000;
f[321] = f[110].rotate_left(40) & 0xffffffffff;
f[321] = f[321] | f[107].rotate_left(40) & 0xffffff0000000000;
f[322] = f[107].rotate_left(40) & 0xffffffffff;
f[322] = f[322] | f[108].rotate_left(40) & 0xffffff0000000000;
f[323] = f[108].rotate_left(40) & 0xffffffffff;
f[323] = f[323] | f[122].rotate_left(40) & 0x1ff0000000000;
f[323] = f[323] | f[28].rotate_left(49) & 0xfffe000000000000;
f[324] = f[28].rotate_left(49) & 0x1ffff;
f[670] = f[114] ^ f[28];
f[635] = 0x0 | f[122] << 55 >> 55 << 7;
f[637] = f[670] ^ f[635];
f[325] = words::keep(u64::wrapping_mul(f[637], 0x9e3779b1), 32);
f[637] = f[325].rotate_left(42) & 0x3ff;
f[325] = f[637];
{ let e = r.read_limbs::<7>(12, f[637]); f[312] = e[0]; f[313] = e[1]; f[314] = e[2]; f[315] = e[3]; f[316] = e[4]; f[317] = e[5]; f[318] = e[6]; }
f[637] = words::keep(f[312] >> 0, 16);
f[326] = words::keep(u64::wrapping_sub(f[135], f[637]), 16);
f[311] = 0x1;
f[671] = f[312].rotate_left(16) & 0xffff;
f[671] = f[671] | f[313].rotate_left(16) & 0xffffffffffff0000;
f[672] = f[313].rotate_left(16) & 0xffff;
f[672] = f[672] | f[314].rotate_left(16) & 0xffffffffffff0000;
f[673] = f[314].rotate_left(16) & 0xffff;
f[673] = f[673] | f[315].rotate_left(16) & 0xffffffffffff0000;
f[674] = f[315].rotate_left(16) & 0xffff;
f[674] = f[674] | f[316].rotate_left(16) & 0xffffffffffff0000;
f[675] = f[316].rotate_left(16) & 0xffff;
f[675] = f[675] | f[317].rotate_left(16) & 0xffffffffffff0000;
f[676] = f[317].rotate_left(16) & 0xffff;
f[676] = f[676] | f[318].rotate_left(16) & 0x10000;
if f[671] != f[319] { break 'to_613; }
if f[672] != f[320] { break 'to_613; }
if f[673] != f[321] { break 'to_613; }
if f[674] != f[322] { break 'to_613; }
if f[675] != f[323] { break 'to_613; }
if f[676] != f[324] { break 'to_613; }
if !(f[326] & 0xffffc0000000 == 0x0) { break 'to_613; }
f[311] = 0x0;
break 'to_615;
}
f[677] = f[135] | f[319].rotate_left(48) & 0xffff000000000000;
f[678] = f[319].rotate_left(48) & 0xffffffffffff;
f[678] = f[678] | f[320].rotate_left(48) & 0xffff000000000000;
f[679] = f[320].rotate_left(48) & 0xffffffffffff;
f[679] = f[679] | f[321].rotate_left(48) & 0xffff000000000000;
f[680] = f[321].rotate_left(48) & 0xffffffffffff;
f[680] = f[680] | f[322].rotate_left(48) & 0xffff000000000000;
f[681] = f[322].rotate_left(48) & 0xffffffffffff;
f[681] = f[681] | f[323].rotate_left(48) & 0xffff000000000000;
f[682] = f[323].rotate_left(48) & 0xffffffffffff;
f[682] = f[682] | f[324].rotate_left(48) & 0xffff000000000000;
f[683] = f[324].rotate_left(48) & 0x1;
r.write_limbs(12, f[325], [f[677], f[678], f[679], f[680], f[681], f[682], f[683]]);
}
f[637] = f[311] | f[272];
f[24] = f[24] & 0xfffffffffffffffd | f[637] << 1 & 0x2;
}
if f[24] == 0x0 { break 'to_643; }
f[273] = 0x0;
{ let e = r.read_limbs::<2>(1, 0x0); f[274] = e[0]; f[275] = e[1]; }
f[343] = r.read(2, 0x0);
f[637] = words::keep(f[275] >> 48, 48);
if f[637] != f[343] { break 'to_629; }
f[637] = words::keep(f[275] >> 48, 48);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 48);
f[656] = f[274] & 0xffffffff;
f[656] = f[656] | f[135].rotate_left(32) & 0xffffffff00000000;
f[657] = f[135].rotate_left(32) & 0xffff;
f[657] = f[657] | f[28].rotate_left(16) & 0xffffffff0000;
f[657] = f[657] | f[635].rotate_left(48) & 0xffff000000000000;
f[274] = f[656]; f[275] = f[657];
r.write_limbs(1, 0x0, [f[656], f[657]]);
f[273] = 0x1;
}
f[290] = f[123] & 0xfffffff;
f[635] = f[275].rotate_left(16) & 0xffff;
f[292] = words::keep(u64::wrapping_sub(f[635], 0x1), 48);
f[293] = f[275].rotate_left(48) & 0xffffffff;
f[294] = f[274].rotate_left(32) & 0xffffffff;
f[294] = f[294] | f[275].rotate_left(32) & 0xffff00000000;
f[295] = f[274] & 0xffffffff;
if let Err(error) = r.operation(f, 632) { return Ending::Rejected(error); }
f[119] = 0x7;
f[141] = 0x7;
f[25] = words::keep(u64::wrapping_sub(f[25], 0x1), 56);
if !(f[24] & 0x1 == 0x1) { break 'to_637; }
f[121] = f[120];
}
if f[25] == 0x0 { break 'to_643; }
if !(f[24] & 0x2 == 0x2) { break 'to_641; }
f[137] = 0x1;
f[143] = 0x0;
break 'to_643;
}
if f[121] == 0x0 { break 'to_643; }
f[127] = f[121];
f[143] = 0x0;
}
if f[143] != 0x1 { return Ending::Done; }
if let Err(error) = r.operation(f, 644) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
if f[35] == 0 { break 'to_652; }
f[144] = f[44];
f[44] = words::keep(u64::wrapping_sub(f[44], 0x1), 56);
break 'to_654;
}
f[144] = f[63];
f[63] = words::keep(u64::wrapping_sub(f[63], 0x1), 56);
}
if 0x1 < f[144] { break 'to_659; }
if let Err(error) = r.operation(f, 655) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
if f[120] != 0x0 { break 'to_664; }
if let Err(error) = r.operation(f, 660) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
if f[4] == 0 { break 'to_667; }
f[119] = f[5];
break 'to_668;
}
match match r.apply(f, 3) { Some(984) => run(984, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[141] = f[119];
f[127] = f[120];
{ let e = r.read_limbs::<2>(1, 0x0); f[145] = e[0]; f[146] = e[1]; }
f[125] = f[146].rotate_left(16) & 0xffff;
f[352] = 0x0;
f[354] = 0x0; f[355] = 0x0; f[356] = 0x0;
f[357] = 0x0;
f[358] = 0x0;
f[350] = words::keep(u64::wrapping_sub(f[126], 0x1), 55);
f[351] = words::keep(u64::wrapping_sub(f[120], 0x1), 55);
if f[351] >= 0x40 { break 'to_681; }
f[360] = f[119] | f[351] << 55 >> 55 << 3;
f[352] = r.read(9, f[360]);
f[635] = words::keep(u64::wrapping_add(f[352], 0x1), 32);
r.write(9, f[360], f[635]);
{ let e = r.read_limbs::<4>(4, f[360]); f[353] = e[0]; f[354] = e[1]; f[355] = e[2]; f[356] = e[3]; }
}
if f[116] != 0x1 { return Ending::Done; }
if !(f[356] & 0x10000 == 0x10000) { break 'to_687; }
f[670] = f[354].rotate_left(16) & 0xffff;
f[670] = f[670] | f[355].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[670] { break 'to_687; }
f[635] = 0x1;
break 'to_688;
}
f[635] = 0x0;
}
if f[635] == 0 { break 'to_690; }
f[357] = 0x1;
}
if f[352] == 0x0 { break 'to_692; }
f[358] = 0x1;
}
f[670] = words::keep(f[114] >> 16, 48);
f[637] = f[114] ^ f[670];
f[635] = 0x0 | f[120] << 55 >> 55 << 4;
f[688] = f[637] ^ f[635];
f[359] = f[688] ^ f[126];
f[360] = f[359] & 0xfff;
f[360] = f[360] | f[124].rotate_left(12) & 0x3000;
f[361] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[361] = f[361] | f[111].rotate_left(24) & 0xffff000000;
f[361] = f[361] | f[109].rotate_left(40) & 0xffffff0000000000;
f[362] = f[109].rotate_left(40) & 0xffffffffff;
f[362] = f[362] | f[110].rotate_left(40) & 0xffffff0000000000;
f[363] = f[110].rotate_left(40) & 0xffffffffff;
f[363] = f[363] | f[107].rotate_left(40) & 0xffffff0000000000;
f[364] = f[107].rotate_left(40) & 0xffffffffff;
f[364] = f[364] | f[108].rotate_left(40) & 0xffffff0000000000;
f[365] = f[108].rotate_left(40) & 0xffffffffff;
f[365] = f[365] | f[119].rotate_left(40) & 0x70000000000;
f[365] = f[365] | f[120].rotate_left(43) & 0xff80000000000;
f[365] = f[365] | f[126].rotate_left(52) & 0x1ff0000000000000;
f[365] = f[365] | f[125].rotate_left(61) & 0xe000000000000000;
f[366] = f[125].rotate_left(61) & 0x1fff;
f[366] = f[366] | f[123].rotate_left(13) & 0x1fffffffe000;
f[367] = f[357] | f[352].rotate_left(32) & 0xffffffff00000000;
f[368] = f[358].rotate_left(16) & 0x10000;
f[368] = f[368] | f[130].rotate_left(48) & 0xffff000000000000;
f[369] = 0x100000000 | f[130].rotate_left(48) & 0xffff;
f[409] = f[365].rotate_left(3) & 0x1;
if f[409] != 0x0 { break 'to_703; }
{ let e = r.read_limbs::<6>(13, f[360]); f[393] = e[0]; f[394] = e[1]; f[395] = e[2]; f[396] = e[3]; f[397] = e[4]; f[398] = e[5]; }
{ let e = r.read_limbs::<3>(15, f[360]); f[399] = e[0]; f[400] = e[1]; f[401] = e[2]; }
{ let e = r.read_limbs::<4>(17, f[360]); f[402] = e[0]; f[403] = e[1]; f[404] = e[2]; f[405] = e[3]; }
break 'to_706;
}
{ let e = r.read_limbs::<6>(14, f[360]); f[393] = e[0]; f[394] = e[1]; f[395] = e[2]; f[396] = e[3]; f[397] = e[4]; f[398] = e[5]; }
{ let e = r.read_limbs::<3>(16, f[360]); f[399] = e[0]; f[400] = e[1]; f[401] = e[2]; }
{ let e = r.read_limbs::<4>(18, f[360]); f[402] = e[0]; f[403] = e[1]; f[404] = e[2]; f[405] = e[3]; }
}
f[410] = 0x0;
if f[393] != f[361] { break 'to_713; }
if f[394] != f[362] { break 'to_713; }
if f[395] != f[363] { break 'to_713; }
if f[396] != f[364] { break 'to_713; }
if f[397] != f[365] { break 'to_713; }
if f[398] == f[366] { break 'to_741; }
}
f[410] = 0x1;
f[688] = f[398].rotate_left(51) & 0xffffffff;
f[635] = f[366].rotate_left(51) & 0xffffffff;
if f[688] != f[635] { break 'to_737; }
if f[401] & 0xffffffff00000000 == 0x0 { break 'to_737; }
f[408] = r.read(3, f[409]);
f[453] = f[397].rotate_left(3) & 0x7;
f[453] = f[453] | f[398].rotate_left(3) & 0xfff8;
f[456] = words::keep(u64::wrapping_sub(f[453], f[408]), 48);
f[637] = words::keep(f[456] >> 15, 63);
f[455] = u64::from(f[637] == 0x0);
if f[455] == 0 { break 'to_737; }
f[666] = f[397] & 0x1fffffffffffffff;
f[693] = f[365] & 0x1fffffffffffffff;
if f[393] != f[361] { break 'to_730; }
if f[394] != f[362] { break 'to_730; }
if f[395] != f[363] { break 'to_730; }
if f[396] != f[364] { break 'to_730; }
if f[666] != f[693] { break 'to_730; }
f[410] = 0x0;
break 'to_737;
}
{ let e = r.read_limbs::<2>(1, 0x0); f[406] = e[0]; f[407] = e[1]; }
f[637] = words::keep(f[406] >> 0, 32);
f[635] = words::keep(u64::wrapping_add(f[637], 0x1), 32);
f[406] = f[406] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
r.write_limbs(1, 0x0, [f[406], f[407]]);
f[424] = words::keep(f[406] >> 0, 32);
if let Err(error) = r.operation(f, 736) { return Ending::Rejected(error); }
}
if f[409] != 0x0 { break 'to_740; }
r.write_limbs(13, f[360], [f[361], f[362], f[363], f[364], f[365], f[366]]);
break 'to_741;
}
r.write_limbs(14, f[360], [f[361], f[362], f[363], f[364], f[365], f[366]]);
}
if f[410] != 0x1 { break 'to_745; }
f[399] = 0x0; f[400] = 0x0; f[401] = 0x0;
f[402] = 0x0;
f[403] = f[135].rotate_left(32) & 0xffffffff00000000;
f[404] = f[135].rotate_left(32) & 0xffff;
f[404] = f[404] | f[135].rotate_left(16) & 0xffffffffffff0000;
f[405] = f[118] | f[118].rotate_left(24) & 0xffffff000000;
break 'to_749;
}
f[405] = f[405] & 0xffffffffff000000 | f[118] << 0 & 0xffffff;
f[403] = f[403] & 0xffffffff | f[135] << 32 & 0xffffffff00000000;
f[635] = words::keep(f[135] >> 32, 48);
f[404] = f[404] & 0xffffffffffff0000 | f[635] << 0 & 0xffff;
}
if f[368] & 0xffffffff0000 == 0x0 { break 'to_755; }
if !(f[400] & 0xffffffff0000 == 0x0) { break 'to_754; }
f[402] = f[402] & 0xffffffffffff | f[135] << 48 & 0xffff000000000000;
f[635] = words::keep(f[135] >> 16, 32);
f[403] = f[403] & 0xffffffff00000000 | f[635] << 0 & 0xffffffff;
}
f[402] = f[402] & 0xffff000000000000 | f[135] << 0 & 0xffffffffffff;
}
{ let carry = false; let (limb, carry) = words::add(f[399], f[367], carry); f[399] = words::keep(limb, 0); let (limb, carry) = words::add(f[400], f[368], carry); f[400] = words::keep(limb, 0); let (limb, carry) = words::add(f[401], f[369], carry); f[401] = words::keep(limb, 0); let _ = carry; }
if f[409] != 0x0 { break 'to_760; }
r.write_limbs(15, f[360], [f[399], f[400], f[401]]);
r.write_limbs(17, f[360], [f[402], f[403], f[404], f[405]]);
break 'to_762;
}
r.write_limbs(16, f[360], [f[399], f[400], f[401]]);
r.write_limbs(18, f[360], [f[402], f[403], f[404], f[405]]);
}
if f[351] >= 0x40 { return Ending::Done; }
f[360] = f[351] & 0x3f;
f[360] = f[360] | f[124].rotate_left(6) & 0xc0;
if !(f[125] & 0x1 == 0x0) { break 'to_767; }
{ let e = r.read_limbs::<3>(19, f[360]); f[464] = e[0]; f[465] = e[1]; f[466] = e[2]; }
break 'to_768;
}
{ let e = r.read_limbs::<3>(20, f[360]); f[464] = e[0]; f[465] = e[1]; f[466] = e[2]; }
}
f[635] = f[465].rotate_left(16) & 0xffff;
f[635] = f[635] | f[466].rotate_left(16) & 0xffffffff0000;
f[637] = f[125] | f[123].rotate_left(16) & 0xffffffff0000;
if f[635] == f[637] { break 'to_783; }
f[637] = words::keep(f[125] >> 0, 63);
f[467] = r.read(3, f[637]);
f[479] = u64::from(f[466] == f[123]);
if f[479] == 0 { break 'to_779; }
f[475] = words::keep(f[465] >> 48, 48);
f[478] = words::keep(u64::wrapping_sub(f[475], f[467]), 48);
f[637] = words::keep(f[478] >> 15, 63);
f[477] = u64::from(f[637] == 0x0);
f[479] = f[477];
}
if f[479] == 0 { break 'to_782; }
f[465] = f[465] & 0xffffffffffff | f[125] << 48 & 0xffff000000000000;
break 'to_783;
}
f[464] = 0x0;
f[465] = f[125].rotate_left(48) & 0xffff000000000000;
f[466] = f[123];
}
f[640] = f[357] | f[352].rotate_left(32) & 0xffffffff00000000;
f[641] = 0x10000;
f[642] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[464], f[640], carry); f[464] = words::keep(limb, 0); let (limb, carry) = words::add(f[465], f[641], carry); f[465] = words::keep(limb, 0); let (limb, carry) = words::add(f[466], f[642], carry); f[466] = words::keep(limb, 32); let _ = carry; }
if !(f[125] & 0x1 == 0x0) { break 'to_788; }
r.write_limbs(19, f[360], [f[464], f[465], f[466]]);
break 'to_789;
}
r.write_limbs(20, f[360], [f[464], f[465], f[466]]);
}
if f[350] >= 0x40 { return Ending::Done; }
f[360] = f[351] & 0x3f;
f[360] = f[360] | f[350].rotate_left(6) & 0xfc0;
f[360] = f[360] | f[124].rotate_left(12) & 0x3000;
if !(f[125] & 0x1 == 0x0) { break 'to_794; }
{ let e = r.read_limbs::<2>(10, f[360]); f[484] = e[0]; f[485] = e[1]; }
break 'to_795;
}
{ let e = r.read_limbs::<2>(11, f[360]); f[484] = e[0]; f[485] = e[1]; }
}
f[637] = f[485].rotate_left(48) & 0xffffffffffff;
f[635] = f[125] | f[123].rotate_left(16) & 0xffffffff0000;
if f[637] == f[635] { break 'to_811; }
f[635] = words::keep(f[125] >> 0, 63);
f[486] = r.read(3, f[635]);
f[635] = words::keep(f[485] >> 32, 32);
f[496] = u64::from(f[635] == f[123]);
if f[496] == 0 { break 'to_807; }
f[492] = words::keep(f[485] >> 16, 48);
f[495] = words::keep(u64::wrapping_sub(f[492], f[486]), 48);
f[635] = words::keep(f[495] >> 15, 63);
f[494] = u64::from(f[635] == 0x0);
f[496] = f[494];
}
if f[496] == 0 { break 'to_810; }
f[485] = f[485] & 0xffffffff0000ffff | f[125] << 16 & 0xffff0000;
break 'to_811;
}
f[484] = 0x0;
f[485] = f[125].rotate_left(16) & 0xffff0000;
f[485] = f[485] | f[123].rotate_left(32) & 0xffffffff00000000;
}
f[656] = 0x1000000000000 | f[130] & 0xffffffff;
f[657] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[484], f[656], carry); f[484] = words::keep(limb, 0); let (limb, carry) = words::add(f[485], f[657], carry); f[485] = words::keep(limb, 0); let _ = carry; }
if !(f[125] & 0x1 == 0x0) { break 'to_816; }
r.write_limbs(10, f[360], [f[484], f[485]]);
return Ending::Done;
}
r.write_limbs(11, f[360], [f[484], f[485]]);
return Ending::Done;
Ending::Done
}

fn at_818(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_953: {
'to_949: {
'to_948: {
'to_946: {
'to_937: {
'to_935: {
'to_926: {
'to_924: {
'to_915: {
'to_913: {
'to_904: {
'to_902: {
'to_893: {
'to_891: {
'to_882: {
'to_880: {
'to_871: {
'to_869: {
'to_857: {
'to_854: {
'to_849: {
'to_846: {
'to_844: {
'to_838: {
'to_837: {
'to_822: {
f[497] = words::keep(u64::wrapping_sub(f[128], 0x1), 55);
if f[497] >= 0x40 { break 'to_822; }
f[635] = f[119] | f[497] << 55 >> 55 << 3;
r.write(9, f[635], f[134]);
}
if f[21] == 0 { return Ending::Done; }
f[501] = 0x0;
f[498] = words::keep(u64::wrapping_sub(f[122], 0x1), 55);
f[499] = words::keep(u64::wrapping_sub(f[128], 0x1), 55);
if f[499] >= 0x40 { break 'to_949; }
f[500] = r.read(8, f[499]);
if !(f[500] & 0x8000000000 == 0x0) { break 'to_949; }
f[506] = f[499] & 0x3f;
f[507] = f[26] & 0x7;
f[635] = f[507] | f[506].rotate_left(3) & 0x1f8;
{ let e = r.read_limbs::<4>(4, f[635]); f[509] = e[0]; f[510] = e[1]; f[511] = e[2]; f[512] = e[3]; }
f[502] = 0x0;
f[503] = 0x3;
if !(f[512] & 0x10000 == 0x10000) { break 'to_837; }
f[688] = f[510].rotate_left(16) & 0xffff;
f[688] = f[688] | f[511].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[688] { break 'to_837; }
f[635] = 0x1;
break 'to_838;
}
f[635] = 0x0;
}
if f[635] == 0 { break 'to_844; }
f[502] = 0x1;
f[524] = f[135].rotate_left(44) & 0xfffffff;
f[525] = f[511].rotate_left(12) & 0xfff;
f[525] = f[525] | f[512].rotate_left(12) & 0xffff000;
f[688] = words::keep(u64::wrapping_sub(f[524], f[525]), 32);
f[526] = words::keep(f[688] >> 0, 36);
f[503] = words::keep(u64::wrapping_add(0x3, f[526]), 32);
break 'to_854;
}
if f[512] & 0x10000 == 0x10000 { break 'to_846; }
if f[509] & 0xffffffff == 0x0 { break 'to_854; }
}
f[513] = f[509].rotate_left(32) & 0xffffffff;
f[513] = f[513] | f[510].rotate_left(32) & 0xffff00000000;
if !(f[512] & 0x10000 == 0x10000) { break 'to_849; }
f[513] = f[510].rotate_left(16) & 0xffff;
f[513] = f[513] | f[511].rotate_left(16) & 0xffffffff0000;
}
f[528] = f[135].rotate_left(44) & 0xfffffff;
f[529] = f[513].rotate_left(44) & 0xfffffff;
f[637] = words::keep(u64::wrapping_sub(f[528], f[529]), 32);
f[530] = words::keep(f[637] >> 0, 36);
if f[530] >= 0x4 { break 'to_854; }
f[502] = 0x1;
}
if f[128] != f[121] { break 'to_857; }
f[501] = 0x1 | f[502] << 63 >> 63 << 1;
break 'to_949;
}
if !(f[24] & 0x2 == 0x2) { break 'to_949; }
if f[502] != 0x1 { break 'to_949; }
if f[498] >= 0x40 { break 'to_949; }
f[531] = f[498] & 0x3f;
f[532] = f[499] & 0x3f;
f[504] = 0x0;
f[637] = f[532] | f[531].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[547] = u64::from(f[637] != 0x0);
if f[547] == 0 { break 'to_869; }
f[545] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[545]), 32);
f[546] = words::keep(f[637] >> 0, 36);
f[547] = u64::from(f[546] <= f[503]);
}
if f[547] == 0 { break 'to_871; }
f[504] = 0x1;
}
f[637] = f[532] | f[531] << 58 >> 58 << 6;
{ let e = r.read_limbs::<2>(11, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[558] = u64::from(f[637] != 0x0);
if f[558] == 0 { break 'to_880; }
f[556] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[556]), 32);
f[557] = words::keep(f[637] >> 0, 36);
f[558] = u64::from(f[557] <= f[503]);
}
if f[558] == 0 { break 'to_882; }
f[504] = 0x1;
}
f[637] = 0x1000 | f[532] & 0x3f;
f[637] = f[637] | f[531].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[569] = u64::from(f[637] != 0x0);
if f[569] == 0 { break 'to_891; }
f[567] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[567]), 32);
f[568] = words::keep(f[637] >> 0, 36);
f[569] = u64::from(f[568] <= f[503]);
}
if f[569] == 0 { break 'to_893; }
f[504] = 0x1;
}
f[637] = 0x1000 | f[532] & 0x3f;
f[637] = f[637] | f[531].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[580] = u64::from(f[637] != 0x0);
if f[580] == 0 { break 'to_902; }
f[578] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[578]), 32);
f[579] = words::keep(f[637] >> 0, 36);
f[580] = u64::from(f[579] <= f[503]);
}
if f[580] == 0 { break 'to_904; }
f[504] = 0x1;
}
f[637] = 0x2000 | f[532] & 0x3f;
f[637] = f[637] | f[531].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[591] = u64::from(f[637] != 0x0);
if f[591] == 0 { break 'to_913; }
f[589] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[589]), 32);
f[590] = words::keep(f[637] >> 0, 36);
f[591] = u64::from(f[590] <= f[503]);
}
if f[591] == 0 { break 'to_915; }
f[504] = 0x1;
}
f[637] = 0x2000 | f[532] & 0x3f;
f[637] = f[637] | f[531].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[602] = u64::from(f[637] != 0x0);
if f[602] == 0 { break 'to_924; }
f[600] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[600]), 32);
f[601] = words::keep(f[637] >> 0, 36);
f[602] = u64::from(f[601] <= f[503]);
}
if f[602] == 0 { break 'to_926; }
f[504] = 0x1;
}
f[637] = 0x3000 | f[532] & 0x3f;
f[637] = f[637] | f[531].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[613] = u64::from(f[637] != 0x0);
if f[613] == 0 { break 'to_935; }
f[611] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[611]), 32);
f[612] = words::keep(f[637] >> 0, 36);
f[613] = u64::from(f[612] <= f[503]);
}
if f[613] == 0 { break 'to_937; }
f[504] = 0x1;
}
f[637] = 0x3000 | f[532] & 0x3f;
f[637] = f[637] | f[531].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[637]); f[535] = e[0]; f[536] = e[1]; }
f[637] = f[535].rotate_left(16) & 0xffff;
f[637] = f[637] | f[536].rotate_left(16) & 0xffff0000;
f[624] = u64::from(f[637] != 0x0);
if f[624] == 0 { break 'to_946; }
f[622] = words::keep(f[536] >> 32, 32);
f[637] = words::keep(u64::wrapping_sub(f[123], f[622]), 32);
f[623] = words::keep(f[637] >> 0, 36);
f[624] = u64::from(f[623] <= f[503]);
}
if f[624] == 0 { break 'to_948; }
f[504] = 0x1;
}
f[501] = 0x0 | f[504] << 63 >> 63 << 1;
}
if f[501] != 0x0 { break 'to_953; }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
f[24] = f[501];
return Ending::Done;
Ending::Done
}

fn at_955(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_958: {
if f[35] == 0 { break 'to_958; }
if f[49] != 0 { break 'to_958; }
f[46] = words::checksum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(0, f[48].rotate_left(48) & 0xffff000000000000), f[48].rotate_left(48) & 0xffff), f[47].rotate_left(16) & 0xffffffff0000), f[45].rotate_left(48) & 0xff000000000000), f[44].rotate_left(56) & 0xff00000000000000), f[43]), f[42].rotate_left(13) & 0xe000), f[41].rotate_left(16) & 0xffff0000), f[40].rotate_left(32) & 0xffff00000000), f[39].rotate_left(48) & 0x3000000000000), f[38].rotate_left(50) & 0xfc000000000000), f[37].rotate_left(56) & 0xf00000000000000), f[36].rotate_left(60) & 0xf000000000000000)) & 0xffff;
}
if f[35] == 0 { return Ending::Done; }
if f[49] == 0 { return Ending::Done; }
if let Err(error) = r.operation(f, 960) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_962(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
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
if let Err(error) = r.operation(f, 968) { return Ending::Rejected(error); }
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

fn at_976(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[262];
return Ending::Returned;
Ending::Done
}

fn at_978(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[263];
f[2] = f[264];
f[1] = f[265];
return Ending::Returned;
Ending::Done
}

fn at_980(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[258] = f[266];
f[259] = f[267];
return Ending::Returned;
Ending::Done
}

fn at_982(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = 0x0;
return Ending::Returned;
Ending::Done
}

fn at_984(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[119] = f[347];
return Ending::Returned;
Ending::Done
}
