// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

pub(crate) static TRANSLATION: Translation = Translation { fingerprint: 0xbd38eec7a903292d, run };

/// Runs from an operation on, jumps backwards included.
fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
    loop {
        let ending = match pc {
            1 => at_1(f, r),
            50 => at_50(f, r),
            57 => at_57(f, r),
            842 => at_842(f, r),
            979 => at_979(f, r),
            986 => at_986(f, r),
            1000 => at_1000(f, r),
            1002 => at_1002(f, r),
            1004 => at_1004(f, r),
            1006 => at_1006(f, r),
            1008 => at_1008(f, r),
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
f[636] = words::keep(u64::wrapping_sub(f[37], 0x5), 48);
f[638] = words::keep(u64::wrapping_mul(f[636], 0x20), 48);
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
if f[636] == 0 { return Ending::Done; }
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
'to_840: {
'to_835: {
'to_834: {
'to_831: {
'to_819: {
'to_818: {
'to_813: {
'to_812: {
'to_807: {
'to_806: {
'to_803: {
'to_792: {
'to_791: {
'to_786: {
'to_784: {
'to_779: {
'to_778: {
'to_773: {
'to_769: {
'to_765: {
'to_764: {
'to_761: {
'to_754: {
'to_737: {
'to_730: {
'to_727: {
'to_716: {
'to_714: {
'to_712: {
'to_711: {
'to_705: {
'to_692: {
'to_691: {
'to_688: {
'to_683: {
'to_678: {
'to_676: {
'to_672: {
'to_667: {
'to_665: {
'to_661: {
'to_653: {
'to_641: {
'to_639: {
'to_637: {
'to_617: {
'to_615: {
'to_613: {
'to_591: {
'to_586: {
'to_575: {
'to_574: {
'to_569: {
'to_562: {
'to_559: {
'to_557: {
'to_552: {
'to_550: {
'to_546: {
'to_543: {
'to_540: {
'to_539: {
'to_535: {
'to_530: {
'to_524: {
'to_520: {
'to_516: {
'to_515: {
'to_509: {
'to_504: {
'to_501: {
'to_500: {
'to_498: {
'to_497: {
'to_491: {
'to_488: {
'to_485: {
'to_477: {
'to_474: {
'to_470: {
'to_460: {
'to_459: {
'to_453: {
'to_448: {
'to_445: {
'to_444: {
'to_442: {
'to_441: {
'to_435: {
'to_432: {
'to_429: {
'to_421: {
'to_418: {
'to_414: {
'to_404: {
'to_403: {
'to_397: {
'to_392: {
'to_389: {
'to_388: {
'to_386: {
'to_385: {
'to_379: {
'to_376: {
'to_373: {
'to_365: {
'to_362: {
'to_358: {
'to_348: {
'to_347: {
'to_341: {
'to_336: {
'to_333: {
'to_332: {
'to_330: {
'to_329: {
'to_323: {
'to_320: {
'to_317: {
'to_309: {
'to_306: {
'to_302: {
'to_292: {
'to_291: {
'to_285: {
'to_280: {
'to_277: {
'to_276: {
'to_274: {
'to_273: {
'to_267: {
'to_264: {
'to_261: {
'to_253: {
'to_250: {
'to_246: {
'to_236: {
'to_235: {
'to_229: {
'to_224: {
'to_221: {
'to_220: {
'to_218: {
'to_217: {
'to_211: {
'to_208: {
'to_205: {
'to_197: {
'to_194: {
'to_190: {
'to_180: {
'to_179: {
'to_173: {
'to_168: {
'to_165: {
'to_164: {
'to_162: {
'to_161: {
'to_155: {
'to_152: {
'to_149: {
'to_141: {
'to_138: {
'to_134: {
'to_124: {
'to_123: {
'to_117: {
'to_112: {
'to_109: {
'to_108: {
'to_106: {
'to_105: {
'to_99: {
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
if f[9] == 0 { break 'to_520; }
if f[11] == 0 { break 'to_516; }
f[149] = words::keep(u64::wrapping_sub(f[126], 0x1), 55);
f[150] = words::keep(f[149] >> 0, 58);
if f[149] >= 0x40 { break 'to_516; }
if !(f[12] & 0x1 == 0x1) { break 'to_124; }
f[167] = 0x0 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[636] = words::keep(f[163] >> 0, 25);
f[638] = u64::wrapping_mul(f[13], f[636]);
f[164] = f[638].rotate_left(48) & 0xffffffffffff;
f[638] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[638]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_78; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_112; }
if f[13] == 0x0 { break 'to_82; }
f[636] = f[160].rotate_left(16) & 0xffff;
f[636] = f[636] | f[161].rotate_left(16) & 0xffffffff0000;
if f[636] >= f[135] { break 'to_112; }
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
f[636] = f[179].rotate_left(16) & 0xffff;
if f[636] == f[180] { break 'to_93; }
f[638] = f[178].rotate_left(32) & 0xffffffff;
f[638] = f[638] | f[179].rotate_left(32) & 0xffff00000000;
if f[638] < f[175] { break 'to_93; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_96; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_99; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[638] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[638]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x0_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_105; }
if f[181] != 0x1 { break 'to_106; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_108; }
if f[181] != 0x1 { break 'to_109; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[638] = words::keep(f[159] >> 0, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[159] = f[636] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[13] == 0x0 { break 'to_123; }
if !(f[162] & 0x10000 == 0x0) { break 'to_117; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_123;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[636] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[636] << 0 & 0xffffffff;
f[636] = words::keep(f[160] >> 16, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[638] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x2 == 0x2) { break 'to_180; }
f[167] = 0x1 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[638] = words::keep(f[163] >> 0, 25);
f[636] = u64::wrapping_mul(f[14], f[638]);
f[164] = f[636].rotate_left(48) & 0xffffffffffff;
f[636] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[636]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_134; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_168; }
if f[14] == 0x0 { break 'to_138; }
f[638] = f[160].rotate_left(16) & 0xffff;
f[638] = f[638] | f[161].rotate_left(16) & 0xffffffff0000;
if f[638] >= f[135] { break 'to_168; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_141; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[638] = f[179].rotate_left(16) & 0xffff;
if f[638] == f[180] { break 'to_149; }
f[636] = f[178].rotate_left(32) & 0xffffffff;
f[636] = f[636] | f[179].rotate_left(32) & 0xffff00000000;
if f[636] < f[175] { break 'to_149; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_152; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_155; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[636] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[636]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x1_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_161; }
if f[181] != 0x1 { break 'to_162; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_164; }
if f[181] != 0x1 { break 'to_165; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[636] = words::keep(f[159] >> 0, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[159] = f[638] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[14] == 0x0 { break 'to_179; }
if !(f[162] & 0x10000 == 0x0) { break 'to_173; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_179;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[638] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[638] << 0 & 0xffffffff;
f[638] = words::keep(f[160] >> 16, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[636] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x4 == 0x4) { break 'to_236; }
f[167] = 0x2 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[636] = words::keep(f[163] >> 0, 25);
f[638] = u64::wrapping_mul(f[15], f[636]);
f[164] = f[638].rotate_left(48) & 0xffffffffffff;
f[638] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[638]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_190; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_224; }
if f[15] == 0x0 { break 'to_194; }
f[636] = f[160].rotate_left(16) & 0xffff;
f[636] = f[636] | f[161].rotate_left(16) & 0xffffffff0000;
if f[636] >= f[135] { break 'to_224; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_197; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[636] = f[179].rotate_left(16) & 0xffff;
if f[636] == f[180] { break 'to_205; }
f[638] = f[178].rotate_left(32) & 0xffffffff;
f[638] = f[638] | f[179].rotate_left(32) & 0xffff00000000;
if f[638] < f[175] { break 'to_205; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_208; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_211; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[638] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[638]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x2_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_217; }
if f[181] != 0x1 { break 'to_218; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_220; }
if f[181] != 0x1 { break 'to_221; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[638] = words::keep(f[159] >> 0, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[159] = f[636] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[15] == 0x0 { break 'to_235; }
if !(f[162] & 0x10000 == 0x0) { break 'to_229; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_235;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[636] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[636] << 0 & 0xffffffff;
f[636] = words::keep(f[160] >> 16, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[638] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x8 == 0x8) { break 'to_292; }
f[167] = 0x3 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[638] = words::keep(f[163] >> 0, 25);
f[636] = u64::wrapping_mul(f[16], f[638]);
f[164] = f[636].rotate_left(48) & 0xffffffffffff;
f[636] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[636]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_246; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_280; }
if f[16] == 0x0 { break 'to_250; }
f[638] = f[160].rotate_left(16) & 0xffff;
f[638] = f[638] | f[161].rotate_left(16) & 0xffffffff0000;
if f[638] >= f[135] { break 'to_280; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_253; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[638] = f[179].rotate_left(16) & 0xffff;
if f[638] == f[180] { break 'to_261; }
f[636] = f[178].rotate_left(32) & 0xffffffff;
f[636] = f[636] | f[179].rotate_left(32) & 0xffff00000000;
if f[636] < f[175] { break 'to_261; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_264; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_267; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[636] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[636]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x3_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_273; }
if f[181] != 0x1 { break 'to_274; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_276; }
if f[181] != 0x1 { break 'to_277; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[636] = words::keep(f[159] >> 0, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[159] = f[638] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[16] == 0x0 { break 'to_291; }
if !(f[162] & 0x10000 == 0x0) { break 'to_285; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_291;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[638] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[638] << 0 & 0xffffffff;
f[638] = words::keep(f[160] >> 16, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[636] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x10 == 0x10) { break 'to_348; }
f[167] = 0x4 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[636] = words::keep(f[163] >> 0, 25);
f[638] = u64::wrapping_mul(f[17], f[636]);
f[164] = f[638].rotate_left(48) & 0xffffffffffff;
f[638] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[638]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_302; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_336; }
if f[17] == 0x0 { break 'to_306; }
f[636] = f[160].rotate_left(16) & 0xffff;
f[636] = f[636] | f[161].rotate_left(16) & 0xffffffff0000;
if f[636] >= f[135] { break 'to_336; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_309; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[636] = f[179].rotate_left(16) & 0xffff;
if f[636] == f[180] { break 'to_317; }
f[638] = f[178].rotate_left(32) & 0xffffffff;
f[638] = f[638] | f[179].rotate_left(32) & 0xffff00000000;
if f[638] < f[175] { break 'to_317; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_320; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_323; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[638] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[638]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x4_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_329; }
if f[181] != 0x1 { break 'to_330; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_332; }
if f[181] != 0x1 { break 'to_333; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[638] = words::keep(f[159] >> 0, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[159] = f[636] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[17] == 0x0 { break 'to_347; }
if !(f[162] & 0x10000 == 0x0) { break 'to_341; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_347;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[636] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[636] << 0 & 0xffffffff;
f[636] = words::keep(f[160] >> 16, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[638] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x20 == 0x20) { break 'to_404; }
f[167] = 0x5 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[638] = words::keep(f[163] >> 0, 25);
f[636] = u64::wrapping_mul(f[18], f[638]);
f[164] = f[636].rotate_left(48) & 0xffffffffffff;
f[636] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[636]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_358; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_392; }
if f[18] == 0x0 { break 'to_362; }
f[638] = f[160].rotate_left(16) & 0xffff;
f[638] = f[638] | f[161].rotate_left(16) & 0xffffffff0000;
if f[638] >= f[135] { break 'to_392; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_365; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[638] = f[179].rotate_left(16) & 0xffff;
if f[638] == f[180] { break 'to_373; }
f[636] = f[178].rotate_left(32) & 0xffffffff;
f[636] = f[636] | f[179].rotate_left(32) & 0xffff00000000;
if f[636] < f[175] { break 'to_373; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_376; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_379; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[636] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[636]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x5_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_385; }
if f[181] != 0x1 { break 'to_386; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_388; }
if f[181] != 0x1 { break 'to_389; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[636] = words::keep(f[159] >> 0, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[159] = f[638] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[18] == 0x0 { break 'to_403; }
if !(f[162] & 0x10000 == 0x0) { break 'to_397; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_403;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[638] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[638] << 0 & 0xffffffff;
f[638] = words::keep(f[160] >> 16, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[636] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x40 == 0x40) { break 'to_460; }
f[167] = 0x6 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[636] = words::keep(f[163] >> 0, 25);
f[638] = u64::wrapping_mul(f[19], f[636]);
f[164] = f[638].rotate_left(48) & 0xffffffffffff;
f[638] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[638]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_414; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_448; }
if f[19] == 0x0 { break 'to_418; }
f[636] = f[160].rotate_left(16) & 0xffff;
f[636] = f[636] | f[161].rotate_left(16) & 0xffffffff0000;
if f[636] >= f[135] { break 'to_448; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_421; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[636] = f[179].rotate_left(16) & 0xffff;
if f[636] == f[180] { break 'to_429; }
f[638] = f[178].rotate_left(32) & 0xffffffff;
f[638] = f[638] | f[179].rotate_left(32) & 0xffff00000000;
if f[638] < f[175] { break 'to_429; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_432; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_435; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[638] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[638]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x6_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_441; }
if f[181] != 0x1 { break 'to_442; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_444; }
if f[181] != 0x1 { break 'to_445; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[638] = words::keep(f[159] >> 0, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[159] = f[636] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[19] == 0x0 { break 'to_459; }
if !(f[162] & 0x10000 == 0x0) { break 'to_453; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_459;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[636] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[636] << 0 & 0xffffffff;
f[636] = words::keep(f[160] >> 16, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[638] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if !(f[12] & 0x80 == 0x80) { break 'to_516; }
f[167] = 0x7 | f[150] << 58 >> 58 << 3;
{ let e = r.read_limbs::<4>(4, f[167]); f[159] = e[0]; f[160] = e[1]; f[161] = e[2]; f[162] = e[3]; }
f[163] = r.read(8, f[150]);
f[638] = words::keep(f[163] >> 0, 25);
f[636] = u64::wrapping_mul(f[20], f[638]);
f[164] = f[636].rotate_left(48) & 0xffffffffffff;
f[636] = f[164] & 0xffffffffffff;
f[165] = words::keep(u64::wrapping_add(f[135], f[636]), 16);
if !(f[163] & 0x7fffffffff == 0x0) { break 'to_470; }
f[165] = 0xffffffffffff;
}
if !(f[162] & 0x10000 == 0x10000) { break 'to_504; }
if f[20] == 0x0 { break 'to_474; }
f[638] = f[160].rotate_left(16) & 0xffff;
f[638] = f[638] | f[161].rotate_left(16) & 0xffffffff0000;
if f[638] >= f[135] { break 'to_504; }
}
f[166] = f[160].rotate_left(16) & 0xffff;
f[166] = f[166] | f[161].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[166] { break 'to_477; }
f[166] = f[135];
}
f[175] = f[161].rotate_left(32) & 0xffffffff;
f[175] = f[175] | f[162].rotate_left(32) & 0xffff00000000;
f[177] = f[160].rotate_left(48) & 0xffffffff;
{ let e = r.read_limbs::<2>(1, 0x0); f[178] = e[0]; f[179] = e[1]; }
f[180] = r.read(2, 0x0);
f[181] = 0x0;
f[638] = f[179].rotate_left(16) & 0xffff;
if f[638] == f[180] { break 'to_485; }
f[636] = f[178].rotate_left(32) & 0xffffffff;
f[636] = f[636] | f[179].rotate_left(32) & 0xffff00000000;
if f[636] < f[175] { break 'to_485; }
f[181] = 0x1;
}
f[184] = words::keep(u64::wrapping_sub(f[166], f[175]), 16);
if f[184] & 0xff0000000000 == 0x0 { break 'to_488; }
f[184] = 0xffffffffff;
}
f[185] = words::keep(f[177] >> 0, 59);
if f[177] & 0xffffffe0 == 0x0 { break 'to_491; }
f[185] = 0x1f;
}
f[182] = r.read(7, f[150]);
f[636] = words::keep(u64::wrapping_add(f[182], 0x1), 32);
r.write(7, f[150], f[636]);
f[183] = f[182] & 0x7f;
f[183] = f[183] | f[150].rotate_left(7) & 0x1f80;
f[186] = f[182] & 0xffff;
f[186] = f[186] | 0x7_u64.rotate_left(16) & 0x70000;
f[186] = f[186] | f[185].rotate_left(19) & 0xf80000;
f[186] = f[186] | f[184].rotate_left(24) & 0xffffffffff000000;
f[187] = f[175];
if f[179] & 0x1000000000000 == 0x0 { break 'to_497; }
if f[181] != 0x1 { break 'to_498; }
}
r.write_limbs(5, f[183], [f[186], f[187]]);
}
if f[179] & 0x1000000000000 == 0x1000000000000 { break 'to_500; }
if f[181] != 0x1 { break 'to_501; }
}
r.write_limbs(6, f[183], [f[186], f[187]]);
}
f[636] = words::keep(f[159] >> 0, 32);
f[638] = words::keep(u64::wrapping_add(f[636], 0x1), 32);
f[159] = f[638] | f[166].rotate_left(32) & 0xffffffff00000000;
f[160] = f[166].rotate_left(32) & 0xffff;
f[161] = 0x0;
f[162] = 0x0;
}
if f[20] == 0x0 { break 'to_515; }
if !(f[162] & 0x10000 == 0x0) { break 'to_509; }
f[650] = f[159];
f[651] = 0x10000 | f[160] & 0xffff;
f[651] = f[651] | f[165].rotate_left(48) & 0xffff000000000000;
f[652] = f[165].rotate_left(48) & 0xffffffff;
f[652] = f[652] | f[135].rotate_left(32) & 0xffffffff00000000;
f[653] = 0x10000 | f[135].rotate_left(32) & 0xffff;
f[159] = f[650]; f[160] = f[651]; f[161] = f[652]; f[162] = f[653];
break 'to_515;
}
f[160] = f[160] & 0xffffffffffff | f[165] << 48 & 0xffff000000000000;
f[638] = words::keep(f[165] >> 16, 32);
f[161] = f[161] & 0xffffffff00000000 | f[638] << 0 & 0xffffffff;
f[638] = words::keep(f[160] >> 16, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[160] = f[160] & 0xffff00000000ffff | f[636] << 16 & 0xffffffff0000;
}
r.write_limbs(4, f[167], [f[159], f[160], f[161], f[162]]);
}
if let Err(error) = r.operation(f, 516) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
f[142] = 0x1;
f[257] = 0x0;
f[258] = 0x0;
if f[35] == 0 { break 'to_524; }
f[115] = 0x1;
f[117] = f[38];
f[107] = 0xffff00000000 | f[47] & 0xffffffff;
f[108] = 0x0;
f[109] = 0xffff00000000 | f[48] & 0xffffffff;
f[110] = 0x0;
f[113] = f[45];
f[257] = f[37].rotate_left(2) & 0x3c;
f[258] = f[40];
break 'to_540;
}
if f[56] == 0 { break 'to_530; }
f[117] = f[58];
f[108] = f[65]; f[107] = f[64];
f[110] = f[67]; f[109] = f[66];
f[113] = f[62];
f[258] = f[61];
break 'to_540;
}
if f[21] == 0 { break 'to_539; }
f[658] = f[31].rotate_left(32) & 0xffffffff;
f[658] = f[658] | f[32].rotate_left(32) & 0xffffffff00000000;
f[659] = f[32].rotate_left(32) & 0xffffffff;
if f[658] != 0xffff { break 'to_535; }
if f[659] != 0x0 { break 'to_535; }
f[115] = 0x1;
}
f[108] = f[30]; f[107] = f[29];
f[110] = f[32]; f[109] = f[31];
f[111] = f[33];
f[112] = f[34];
f[113] = f[27];
break 'to_540;
}
f[142] = 0x0;
}
if f[68] == 0 { break 'to_543; }
f[111] = f[69];
f[112] = f[70];
break 'to_546;
}
if f[73] == 0 { break 'to_546; }
f[111] = f[74];
f[112] = f[75];
f[636] = f[78].rotate_left(2) & 0x3c;
f[257] = words::keep(u64::wrapping_add(f[257], f[636]), 48);
}
f[116] = 0x1;
if f[21] != 0 { break 'to_550; }
if f[73] == 0 { break 'to_552; }
if f[257] < f[258] { break 'to_552; }
}
f[116] = 0x0;
break 'to_562;
}
if f[84] == 0 { break 'to_562; }
f[118] = f[95];
f[255] = f[85] & 0x1f;
f[256] = f[85].rotate_left(59) & 0x7;
if f[256] != 0x4 { break 'to_557; }
f[116] = 0x0;
break 'to_562;
}
if f[255] == 0x11 { break 'to_559; }
if f[255] != 0x12 { break 'to_562; }
}
if f[256] == 0x1 { break 'to_562; }
if f[256] == 0x3 { break 'to_562; }
f[116] = 0x0;
}
f[664] = f[113].rotate_left(24) & 0xff000000;
f[664] = f[664] | f[112].rotate_left(32) & 0xffff00000000;
f[664] = f[664] | f[111].rotate_left(48) & 0xffff000000000000;
f[665] = f[109];
f[666] = f[110];
f[667] = f[107];
f[668] = f[108];
f[114] = u64::wrapping_add(0x0, words::remainder(words::crc32([f[664], f[665], f[666], f[667], f[668]], 37), 0x100000000)) & 0xffffffff;
if f[142] != 0x0 { break 'to_569; }
if let Err(error) = r.operation(f, 565) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
f[259] = 0x0;
f[260] = 0x0;
if f[115] != 0x1 { break 'to_574; }
f[636] = words::keep(f[109] >> 0, 32);
match match r.apply(f, 0) { Some(1000) => run(1000, f, r), Some(1002) => run(1002, f, r), Some(1004) => run(1004, f, r), Some(1006) => run(1006, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
break 'to_575;
}
match match r.apply(f, 1) { Some(1000) => run(1000, f, r), Some(1002) => run(1002, f, r), Some(1004) => run(1004, f, r), Some(1006) => run(1006, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
if f[260] == 0x0 { break 'to_586; }
f[262] = r.read(0, 0x0);
f[636] = f[262] ^ f[114];
f[262] = words::keep(u64::wrapping_mul(f[636], 0x9e3779b1), 32);
f[636] = words::keep(f[262] >> 15, 47);
f[638] = f[262] ^ f[636];
f[262] = words::keep(u64::wrapping_mul(f[638], 0x85ebca77), 32);
f[638] = words::keep(f[262] >> 16, 48);
f[262] = words::keep(u64::wrapping_mul(f[638], f[260]), 32);
f[261] = f[262].rotate_left(48) & 0xffff;
f[658] = f[259];
f[659] = f[261];
match match r.apply(f, 2) { Some(1000) => run(1000, f, r), Some(1002) => run(1002, f, r), Some(1006) => run(1006, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[123] = f[135].rotate_left(44) & 0xfffffff;
f[124] = f[135].rotate_left(44) & 0x3;
if f[21] == 0 { break 'to_672; }
f[273] = 0x0;
f[271] = f[24];
f[143] = 0x1;
f[122] = f[126];
if f[126] != 0x1fe { break 'to_591; }
f[122] = f[2] & 0x1ff;
f[273] = 0x1;
}
if f[22] != 0x1 { break 'to_667; }
if f[25] == 0x0 { break 'to_667; }
if !(f[24] & 0x1 == 0x1) { break 'to_617; }
f[320] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[320] = f[320] | f[111].rotate_left(24) & 0xffff000000;
f[320] = f[320] | f[109].rotate_left(40) & 0xffffff0000000000;
f[321] = f[109].rotate_left(40) & 0xffffffffff;
f[321] = f[321] | f[110].rotate_left(40) & 0xffffff0000000000;
f[322] = f[110].rotate_left(40) & 0xffffffffff;
f[322] = f[322] | f[107].rotate_left(40) & 0xffffff0000000000;
f[323] = f[107].rotate_left(40) & 0xffffffffff;
f[323] = f[323] | f[108].rotate_left(40) & 0xffffff0000000000;
f[324] = f[108].rotate_left(40) & 0xffffffffff;
f[324] = f[324] | 0x0_u64.rotate_left(40) & 0x1ff0000000000;
f[324] = f[324] | f[28].rotate_left(49) & 0xfffe000000000000;
f[325] = f[28].rotate_left(49) & 0x1ffff;
f[638] = f[114] ^ f[28];
f[636] = 0x0 | 0x0 << 55 >> 55 << 7;
f[672] = f[638] ^ f[636];
f[326] = words::keep(u64::wrapping_mul(f[672], 0x9e3779b1), 32);
f[672] = f[326].rotate_left(42) & 0x3ff;
f[326] = f[672];
{ let e = r.read_limbs::<7>(12, f[672]); f[313] = e[0]; f[314] = e[1]; f[315] = e[2]; f[316] = e[3]; f[317] = e[4]; f[318] = e[5]; f[319] = e[6]; }
f[672] = words::keep(f[313] >> 0, 16);
f[327] = words::keep(u64::wrapping_sub(f[135], f[672]), 16);
f[312] = 0x1;
f[673] = f[313].rotate_left(16) & 0xffff;
f[673] = f[673] | f[314].rotate_left(16) & 0xffffffffffff0000;
f[674] = f[314].rotate_left(16) & 0xffff;
f[674] = f[674] | f[315].rotate_left(16) & 0xffffffffffff0000;
f[675] = f[315].rotate_left(16) & 0xffff;
f[675] = f[675] | f[316].rotate_left(16) & 0xffffffffffff0000;
f[676] = f[316].rotate_left(16) & 0xffff;
f[676] = f[676] | f[317].rotate_left(16) & 0xffffffffffff0000;
f[677] = f[317].rotate_left(16) & 0xffff;
f[677] = f[677] | f[318].rotate_left(16) & 0xffffffffffff0000;
f[678] = f[318].rotate_left(16) & 0xffff;
f[678] = f[678] | f[319].rotate_left(16) & 0x10000;
if f[673] != f[320] { break 'to_613; }
if f[674] != f[321] { break 'to_613; }
if f[675] != f[322] { break 'to_613; }
if f[676] != f[323] { break 'to_613; }
if f[677] != f[324] { break 'to_613; }
if f[678] != f[325] { break 'to_613; }
if !(f[327] & 0xffffc0000000 == 0x0) { break 'to_613; }
f[312] = 0x0;
break 'to_615;
}
f[679] = f[135] | f[320].rotate_left(48) & 0xffff000000000000;
f[680] = f[320].rotate_left(48) & 0xffffffffffff;
f[680] = f[680] | f[321].rotate_left(48) & 0xffff000000000000;
f[681] = f[321].rotate_left(48) & 0xffffffffffff;
f[681] = f[681] | f[322].rotate_left(48) & 0xffff000000000000;
f[682] = f[322].rotate_left(48) & 0xffffffffffff;
f[682] = f[682] | f[323].rotate_left(48) & 0xffff000000000000;
f[683] = f[323].rotate_left(48) & 0xffffffffffff;
f[683] = f[683] | f[324].rotate_left(48) & 0xffff000000000000;
f[684] = f[324].rotate_left(48) & 0xffffffffffff;
f[684] = f[684] | f[325].rotate_left(48) & 0xffff000000000000;
f[685] = f[325].rotate_left(48) & 0x1;
r.write_limbs(12, f[326], [f[679], f[680], f[681], f[682], f[683], f[684], f[685]]);
}
f[672] = f[312] | f[273];
f[24] = f[24] & 0xfffffffffffffffe | f[672] << 0 & 0x1;
}
if !(f[271] & 0x2 == 0x2) { break 'to_641; }
f[320] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[320] = f[320] | f[111].rotate_left(24) & 0xffff000000;
f[320] = f[320] | f[109].rotate_left(40) & 0xffffff0000000000;
f[321] = f[109].rotate_left(40) & 0xffffffffff;
f[321] = f[321] | f[110].rotate_left(40) & 0xffffff0000000000;
f[322] = f[110].rotate_left(40) & 0xffffffffff;
f[322] = f[322] | f[107].rotate_left(40) & 0xffffff0000000000;
f[323] = f[107].rotate_left(40) & 0xffffffffff;
f[323] = f[323] | f[108].rotate_left(40) & 0xffffff0000000000;
f[324] = f[108].rotate_left(40) & 0xffffffffff;
f[324] = f[324] | f[122].rotate_left(40) & 0x1ff0000000000;
f[324] = f[324] | f[28].rotate_left(49) & 0xfffe000000000000;
f[325] = f[28].rotate_left(49) & 0x1ffff;
f[672] = f[114] ^ f[28];
f[636] = 0x0 | f[122] << 55 >> 55 << 7;
f[638] = f[672] ^ f[636];
f[326] = words::keep(u64::wrapping_mul(f[638], 0x9e3779b1), 32);
f[638] = f[326].rotate_left(42) & 0x3ff;
f[326] = f[638];
{ let e = r.read_limbs::<7>(12, f[638]); f[313] = e[0]; f[314] = e[1]; f[315] = e[2]; f[316] = e[3]; f[317] = e[4]; f[318] = e[5]; f[319] = e[6]; }
f[638] = words::keep(f[313] >> 0, 16);
f[327] = words::keep(u64::wrapping_sub(f[135], f[638]), 16);
f[312] = 0x1;
f[673] = f[313].rotate_left(16) & 0xffff;
f[673] = f[673] | f[314].rotate_left(16) & 0xffffffffffff0000;
f[674] = f[314].rotate_left(16) & 0xffff;
f[674] = f[674] | f[315].rotate_left(16) & 0xffffffffffff0000;
f[675] = f[315].rotate_left(16) & 0xffff;
f[675] = f[675] | f[316].rotate_left(16) & 0xffffffffffff0000;
f[676] = f[316].rotate_left(16) & 0xffff;
f[676] = f[676] | f[317].rotate_left(16) & 0xffffffffffff0000;
f[677] = f[317].rotate_left(16) & 0xffff;
f[677] = f[677] | f[318].rotate_left(16) & 0xffffffffffff0000;
f[678] = f[318].rotate_left(16) & 0xffff;
f[678] = f[678] | f[319].rotate_left(16) & 0x10000;
if f[673] != f[320] { break 'to_637; }
if f[674] != f[321] { break 'to_637; }
if f[675] != f[322] { break 'to_637; }
if f[676] != f[323] { break 'to_637; }
if f[677] != f[324] { break 'to_637; }
if f[678] != f[325] { break 'to_637; }
if !(f[327] & 0xffffc0000000 == 0x0) { break 'to_637; }
f[312] = 0x0;
break 'to_639;
}
f[679] = f[135] | f[320].rotate_left(48) & 0xffff000000000000;
f[680] = f[320].rotate_left(48) & 0xffffffffffff;
f[680] = f[680] | f[321].rotate_left(48) & 0xffff000000000000;
f[681] = f[321].rotate_left(48) & 0xffffffffffff;
f[681] = f[681] | f[322].rotate_left(48) & 0xffff000000000000;
f[682] = f[322].rotate_left(48) & 0xffffffffffff;
f[682] = f[682] | f[323].rotate_left(48) & 0xffff000000000000;
f[683] = f[323].rotate_left(48) & 0xffffffffffff;
f[683] = f[683] | f[324].rotate_left(48) & 0xffff000000000000;
f[684] = f[324].rotate_left(48) & 0xffffffffffff;
f[684] = f[684] | f[325].rotate_left(48) & 0xffff000000000000;
f[685] = f[325].rotate_left(48) & 0x1;
r.write_limbs(12, f[326], [f[679], f[680], f[681], f[682], f[683], f[684], f[685]]);
}
f[638] = f[312] | f[273];
f[24] = f[24] & 0xfffffffffffffffd | f[638] << 1 & 0x2;
}
if f[24] == 0x0 { break 'to_667; }
f[274] = 0x0;
{ let e = r.read_limbs::<2>(1, 0x0); f[275] = e[0]; f[276] = e[1]; }
f[344] = r.read(2, 0x0);
f[638] = words::keep(f[276] >> 48, 48);
if f[638] != f[344] { break 'to_653; }
f[638] = words::keep(f[276] >> 48, 48);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 48);
f[658] = f[275] & 0xffffffff;
f[658] = f[658] | f[135].rotate_left(32) & 0xffffffff00000000;
f[659] = f[135].rotate_left(32) & 0xffff;
f[659] = f[659] | f[28].rotate_left(16) & 0xffffffff0000;
f[659] = f[659] | f[636].rotate_left(48) & 0xffff000000000000;
f[275] = f[658]; f[276] = f[659];
r.write_limbs(1, 0x0, [f[658], f[659]]);
f[274] = 0x1;
}
f[291] = f[123] & 0xfffffff;
f[636] = f[276].rotate_left(16) & 0xffff;
f[293] = words::keep(u64::wrapping_sub(f[636], 0x1), 48);
f[294] = f[276].rotate_left(48) & 0xffffffff;
f[295] = f[275].rotate_left(32) & 0xffffffff;
f[295] = f[295] | f[276].rotate_left(32) & 0xffff00000000;
f[296] = f[275] & 0xffffffff;
if let Err(error) = r.operation(f, 656) { return Ending::Rejected(error); }
f[119] = 0x7;
f[141] = 0x7;
f[25] = words::keep(u64::wrapping_sub(f[25], 0x1), 56);
if !(f[24] & 0x1 == 0x1) { break 'to_661; }
f[121] = f[120];
}
if f[25] == 0x0 { break 'to_667; }
if !(f[24] & 0x2 == 0x2) { break 'to_665; }
f[137] = 0x1;
f[143] = 0x0;
break 'to_667;
}
if f[121] == 0x0 { break 'to_667; }
f[127] = f[121];
f[143] = 0x0;
}
if f[143] != 0x1 { return Ending::Done; }
if let Err(error) = r.operation(f, 668) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
if f[35] == 0 { break 'to_676; }
f[144] = f[44];
f[44] = words::keep(u64::wrapping_sub(f[44], 0x1), 56);
break 'to_678;
}
f[144] = f[63];
f[63] = words::keep(u64::wrapping_sub(f[63], 0x1), 56);
}
if 0x1 < f[144] { break 'to_683; }
if let Err(error) = r.operation(f, 679) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
if f[120] != 0x0 { break 'to_688; }
if let Err(error) = r.operation(f, 684) { return Ending::Rejected(error); }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
if f[4] == 0 { break 'to_691; }
f[119] = f[5];
break 'to_692;
}
match match r.apply(f, 3) { Some(1008) => run(1008, f, r), Some(other) => run(other, f, r), None => Ending::Returned } { Ending::Returned => {} ending => return ending }
}
f[141] = f[119];
f[127] = f[120];
{ let e = r.read_limbs::<2>(1, 0x0); f[145] = e[0]; f[146] = e[1]; }
f[125] = f[146].rotate_left(16) & 0xffff;
f[353] = 0x0;
f[355] = 0x0; f[356] = 0x0; f[357] = 0x0;
f[358] = 0x0;
f[359] = 0x0;
f[351] = words::keep(u64::wrapping_sub(f[126], 0x1), 55);
f[352] = words::keep(u64::wrapping_sub(f[120], 0x1), 55);
if f[352] >= 0x40 { break 'to_705; }
f[361] = f[119] | f[352] << 55 >> 55 << 3;
f[353] = r.read(9, f[361]);
f[636] = words::keep(u64::wrapping_add(f[353], 0x1), 32);
r.write(9, f[361], f[636]);
{ let e = r.read_limbs::<4>(4, f[361]); f[354] = e[0]; f[355] = e[1]; f[356] = e[2]; f[357] = e[3]; }
}
if f[116] != 0x1 { return Ending::Done; }
if !(f[357] & 0x10000 == 0x10000) { break 'to_711; }
f[672] = f[355].rotate_left(16) & 0xffff;
f[672] = f[672] | f[356].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[672] { break 'to_711; }
f[636] = 0x1;
break 'to_712;
}
f[636] = 0x0;
}
if f[636] == 0 { break 'to_714; }
f[358] = 0x1;
}
if f[353] == 0x0 { break 'to_716; }
f[359] = 0x1;
}
f[672] = words::keep(f[114] >> 16, 48);
f[638] = f[114] ^ f[672];
f[636] = 0x0 | f[120] << 55 >> 55 << 4;
f[690] = f[638] ^ f[636];
f[360] = f[690] ^ f[126];
f[361] = f[360] & 0xfff;
f[361] = f[361] | f[124].rotate_left(12) & 0x3000;
f[362] = f[113] | f[112].rotate_left(8) & 0xffff00;
f[362] = f[362] | f[111].rotate_left(24) & 0xffff000000;
f[362] = f[362] | f[109].rotate_left(40) & 0xffffff0000000000;
f[363] = f[109].rotate_left(40) & 0xffffffffff;
f[363] = f[363] | f[110].rotate_left(40) & 0xffffff0000000000;
f[364] = f[110].rotate_left(40) & 0xffffffffff;
f[364] = f[364] | f[107].rotate_left(40) & 0xffffff0000000000;
f[365] = f[107].rotate_left(40) & 0xffffffffff;
f[365] = f[365] | f[108].rotate_left(40) & 0xffffff0000000000;
f[366] = f[108].rotate_left(40) & 0xffffffffff;
f[366] = f[366] | f[119].rotate_left(40) & 0x70000000000;
f[366] = f[366] | f[120].rotate_left(43) & 0xff80000000000;
f[366] = f[366] | f[126].rotate_left(52) & 0x1ff0000000000000;
f[366] = f[366] | f[125].rotate_left(61) & 0xe000000000000000;
f[367] = f[125].rotate_left(61) & 0x1fff;
f[367] = f[367] | f[123].rotate_left(13) & 0x1fffffffe000;
f[368] = f[358] | f[353].rotate_left(32) & 0xffffffff00000000;
f[369] = f[359].rotate_left(16) & 0x10000;
f[369] = f[369] | f[130].rotate_left(48) & 0xffff000000000000;
f[370] = 0x100000000 | f[130].rotate_left(48) & 0xffff;
f[410] = f[366].rotate_left(3) & 0x1;
if f[410] != 0x0 { break 'to_727; }
{ let e = r.read_limbs::<6>(13, f[361]); f[394] = e[0]; f[395] = e[1]; f[396] = e[2]; f[397] = e[3]; f[398] = e[4]; f[399] = e[5]; }
{ let e = r.read_limbs::<3>(15, f[361]); f[400] = e[0]; f[401] = e[1]; f[402] = e[2]; }
{ let e = r.read_limbs::<4>(17, f[361]); f[403] = e[0]; f[404] = e[1]; f[405] = e[2]; f[406] = e[3]; }
break 'to_730;
}
{ let e = r.read_limbs::<6>(14, f[361]); f[394] = e[0]; f[395] = e[1]; f[396] = e[2]; f[397] = e[3]; f[398] = e[4]; f[399] = e[5]; }
{ let e = r.read_limbs::<3>(16, f[361]); f[400] = e[0]; f[401] = e[1]; f[402] = e[2]; }
{ let e = r.read_limbs::<4>(18, f[361]); f[403] = e[0]; f[404] = e[1]; f[405] = e[2]; f[406] = e[3]; }
}
f[411] = 0x0;
if f[394] != f[362] { break 'to_737; }
if f[395] != f[363] { break 'to_737; }
if f[396] != f[364] { break 'to_737; }
if f[397] != f[365] { break 'to_737; }
if f[398] != f[366] { break 'to_737; }
if f[399] == f[367] { break 'to_765; }
}
f[411] = 0x1;
f[690] = f[399].rotate_left(51) & 0xffffffff;
f[636] = f[367].rotate_left(51) & 0xffffffff;
if f[690] != f[636] { break 'to_761; }
if f[402] & 0xffffffff00000000 == 0x0 { break 'to_761; }
f[409] = r.read(3, f[410]);
f[454] = f[398].rotate_left(3) & 0x7;
f[454] = f[454] | f[399].rotate_left(3) & 0xfff8;
f[457] = words::keep(u64::wrapping_sub(f[454], f[409]), 48);
f[638] = words::keep(f[457] >> 15, 63);
f[456] = u64::from(f[638] == 0x0);
if f[456] == 0 { break 'to_761; }
f[668] = f[398] & 0x1fffffffffffffff;
f[695] = f[366] & 0x1fffffffffffffff;
if f[394] != f[362] { break 'to_754; }
if f[395] != f[363] { break 'to_754; }
if f[396] != f[364] { break 'to_754; }
if f[397] != f[365] { break 'to_754; }
if f[668] != f[695] { break 'to_754; }
f[411] = 0x0;
break 'to_761;
}
{ let e = r.read_limbs::<2>(1, 0x0); f[407] = e[0]; f[408] = e[1]; }
f[638] = words::keep(f[407] >> 0, 32);
f[636] = words::keep(u64::wrapping_add(f[638], 0x1), 32);
f[407] = f[407] & 0xffffffff00000000 | f[636] << 0 & 0xffffffff;
r.write_limbs(1, 0x0, [f[407], f[408]]);
f[425] = words::keep(f[407] >> 0, 32);
if let Err(error) = r.operation(f, 760) { return Ending::Rejected(error); }
}
if f[410] != 0x0 { break 'to_764; }
r.write_limbs(13, f[361], [f[362], f[363], f[364], f[365], f[366], f[367]]);
break 'to_765;
}
r.write_limbs(14, f[361], [f[362], f[363], f[364], f[365], f[366], f[367]]);
}
if f[411] != 0x1 { break 'to_769; }
f[400] = 0x0; f[401] = 0x0; f[402] = 0x0;
f[403] = 0x0;
f[404] = f[135].rotate_left(32) & 0xffffffff00000000;
f[405] = f[135].rotate_left(32) & 0xffff;
f[405] = f[405] | f[135].rotate_left(16) & 0xffffffffffff0000;
f[406] = f[118] | f[118].rotate_left(24) & 0xffffff000000;
break 'to_773;
}
f[406] = f[406] & 0xffffffffff000000 | f[118] << 0 & 0xffffff;
f[404] = f[404] & 0xffffffff | f[135] << 32 & 0xffffffff00000000;
f[636] = words::keep(f[135] >> 32, 48);
f[405] = f[405] & 0xffffffffffff0000 | f[636] << 0 & 0xffff;
}
if f[369] & 0xffffffff0000 == 0x0 { break 'to_779; }
if !(f[401] & 0xffffffff0000 == 0x0) { break 'to_778; }
f[403] = f[403] & 0xffffffffffff | f[135] << 48 & 0xffff000000000000;
f[636] = words::keep(f[135] >> 16, 32);
f[404] = f[404] & 0xffffffff00000000 | f[636] << 0 & 0xffffffff;
}
f[403] = f[403] & 0xffff000000000000 | f[135] << 0 & 0xffffffffffff;
}
{ let carry = false; let (limb, carry) = words::add(f[400], f[368], carry); f[400] = words::keep(limb, 0); let (limb, carry) = words::add(f[401], f[369], carry); f[401] = words::keep(limb, 0); let (limb, carry) = words::add(f[402], f[370], carry); f[402] = words::keep(limb, 0); let _ = carry; }
if f[410] != 0x0 { break 'to_784; }
r.write_limbs(15, f[361], [f[400], f[401], f[402]]);
r.write_limbs(17, f[361], [f[403], f[404], f[405], f[406]]);
break 'to_786;
}
r.write_limbs(16, f[361], [f[400], f[401], f[402]]);
r.write_limbs(18, f[361], [f[403], f[404], f[405], f[406]]);
}
if f[352] >= 0x40 { return Ending::Done; }
f[361] = f[352] & 0x3f;
f[361] = f[361] | f[124].rotate_left(6) & 0xc0;
if !(f[125] & 0x1 == 0x0) { break 'to_791; }
{ let e = r.read_limbs::<3>(19, f[361]); f[465] = e[0]; f[466] = e[1]; f[467] = e[2]; }
break 'to_792;
}
{ let e = r.read_limbs::<3>(20, f[361]); f[465] = e[0]; f[466] = e[1]; f[467] = e[2]; }
}
f[636] = f[466].rotate_left(16) & 0xffff;
f[636] = f[636] | f[467].rotate_left(16) & 0xffffffff0000;
f[638] = f[125] | f[123].rotate_left(16) & 0xffffffff0000;
if f[636] == f[638] { break 'to_807; }
f[638] = words::keep(f[125] >> 0, 63);
f[468] = r.read(3, f[638]);
f[480] = u64::from(f[467] == f[123]);
if f[480] == 0 { break 'to_803; }
f[476] = words::keep(f[466] >> 48, 48);
f[479] = words::keep(u64::wrapping_sub(f[476], f[468]), 48);
f[638] = words::keep(f[479] >> 15, 63);
f[478] = u64::from(f[638] == 0x0);
f[480] = f[478];
}
if f[480] == 0 { break 'to_806; }
f[466] = f[466] & 0xffffffffffff | f[125] << 48 & 0xffff000000000000;
break 'to_807;
}
f[465] = 0x0;
f[466] = f[125].rotate_left(48) & 0xffff000000000000;
f[467] = f[123];
}
f[641] = f[358] | f[353].rotate_left(32) & 0xffffffff00000000;
f[642] = 0x10000;
f[643] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[465], f[641], carry); f[465] = words::keep(limb, 0); let (limb, carry) = words::add(f[466], f[642], carry); f[466] = words::keep(limb, 0); let (limb, carry) = words::add(f[467], f[643], carry); f[467] = words::keep(limb, 32); let _ = carry; }
if !(f[125] & 0x1 == 0x0) { break 'to_812; }
r.write_limbs(19, f[361], [f[465], f[466], f[467]]);
break 'to_813;
}
r.write_limbs(20, f[361], [f[465], f[466], f[467]]);
}
if f[351] >= 0x40 { return Ending::Done; }
f[361] = f[352] & 0x3f;
f[361] = f[361] | f[351].rotate_left(6) & 0xfc0;
f[361] = f[361] | f[124].rotate_left(12) & 0x3000;
if !(f[125] & 0x1 == 0x0) { break 'to_818; }
{ let e = r.read_limbs::<2>(10, f[361]); f[485] = e[0]; f[486] = e[1]; }
break 'to_819;
}
{ let e = r.read_limbs::<2>(11, f[361]); f[485] = e[0]; f[486] = e[1]; }
}
f[638] = f[486].rotate_left(48) & 0xffffffffffff;
f[636] = f[125] | f[123].rotate_left(16) & 0xffffffff0000;
if f[638] == f[636] { break 'to_835; }
f[636] = words::keep(f[125] >> 0, 63);
f[487] = r.read(3, f[636]);
f[636] = words::keep(f[486] >> 32, 32);
f[497] = u64::from(f[636] == f[123]);
if f[497] == 0 { break 'to_831; }
f[493] = words::keep(f[486] >> 16, 48);
f[496] = words::keep(u64::wrapping_sub(f[493], f[487]), 48);
f[636] = words::keep(f[496] >> 15, 63);
f[495] = u64::from(f[636] == 0x0);
f[497] = f[495];
}
if f[497] == 0 { break 'to_834; }
f[486] = f[486] & 0xffffffff0000ffff | f[125] << 16 & 0xffff0000;
break 'to_835;
}
f[485] = 0x0;
f[486] = f[125].rotate_left(16) & 0xffff0000;
f[486] = f[486] | f[123].rotate_left(32) & 0xffffffff00000000;
}
f[658] = 0x1000000000000 | f[130] & 0xffffffff;
f[659] = 0x0;
{ let carry = false; let (limb, carry) = words::add(f[485], f[658], carry); f[485] = words::keep(limb, 0); let (limb, carry) = words::add(f[486], f[659], carry); f[486] = words::keep(limb, 0); let _ = carry; }
if !(f[125] & 0x1 == 0x0) { break 'to_840; }
r.write_limbs(10, f[361], [f[485], f[486]]);
return Ending::Done;
}
r.write_limbs(11, f[361], [f[485], f[486]]);
return Ending::Done;
Ending::Done
}

fn at_842(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_977: {
'to_973: {
'to_972: {
'to_970: {
'to_961: {
'to_959: {
'to_950: {
'to_948: {
'to_939: {
'to_937: {
'to_928: {
'to_926: {
'to_917: {
'to_915: {
'to_906: {
'to_904: {
'to_895: {
'to_893: {
'to_881: {
'to_878: {
'to_873: {
'to_870: {
'to_868: {
'to_862: {
'to_861: {
'to_846: {
f[498] = words::keep(u64::wrapping_sub(f[128], 0x1), 55);
if f[498] >= 0x40 { break 'to_846; }
f[636] = f[119] | f[498] << 55 >> 55 << 3;
r.write(9, f[636], f[134]);
}
if f[21] == 0 { return Ending::Done; }
f[502] = 0x0;
f[499] = words::keep(u64::wrapping_sub(f[122], 0x1), 55);
f[500] = words::keep(u64::wrapping_sub(f[128], 0x1), 55);
if f[500] >= 0x40 { break 'to_973; }
f[501] = r.read(8, f[500]);
if !(f[501] & 0x8000000000 == 0x0) { break 'to_973; }
f[507] = f[500] & 0x3f;
f[508] = f[26] & 0x7;
f[636] = f[508] | f[507].rotate_left(3) & 0x1f8;
{ let e = r.read_limbs::<4>(4, f[636]); f[510] = e[0]; f[511] = e[1]; f[512] = e[2]; f[513] = e[3]; }
f[503] = 0x0;
f[504] = 0x3;
if !(f[513] & 0x10000 == 0x10000) { break 'to_861; }
f[690] = f[511].rotate_left(16) & 0xffff;
f[690] = f[690] | f[512].rotate_left(16) & 0xffffffff0000;
if f[135] >= f[690] { break 'to_861; }
f[636] = 0x1;
break 'to_862;
}
f[636] = 0x0;
}
if f[636] == 0 { break 'to_868; }
f[503] = 0x1;
f[525] = f[135].rotate_left(44) & 0xfffffff;
f[526] = f[512].rotate_left(12) & 0xfff;
f[526] = f[526] | f[513].rotate_left(12) & 0xffff000;
f[690] = words::keep(u64::wrapping_sub(f[525], f[526]), 32);
f[527] = words::keep(f[690] >> 0, 36);
f[504] = words::keep(u64::wrapping_add(0x3, f[527]), 32);
break 'to_878;
}
if f[513] & 0x10000 == 0x10000 { break 'to_870; }
if f[510] & 0xffffffff == 0x0 { break 'to_878; }
}
f[514] = f[510].rotate_left(32) & 0xffffffff;
f[514] = f[514] | f[511].rotate_left(32) & 0xffff00000000;
if !(f[513] & 0x10000 == 0x10000) { break 'to_873; }
f[514] = f[511].rotate_left(16) & 0xffff;
f[514] = f[514] | f[512].rotate_left(16) & 0xffffffff0000;
}
f[529] = f[135].rotate_left(44) & 0xfffffff;
f[530] = f[514].rotate_left(44) & 0xfffffff;
f[638] = words::keep(u64::wrapping_sub(f[529], f[530]), 32);
f[531] = words::keep(f[638] >> 0, 36);
if f[531] >= 0x4 { break 'to_878; }
f[503] = 0x1;
}
if f[128] != f[121] { break 'to_881; }
f[502] = 0x1 | f[503] << 63 >> 63 << 1;
break 'to_973;
}
if !(f[24] & 0x2 == 0x2) { break 'to_973; }
if f[503] != 0x1 { break 'to_973; }
if f[499] >= 0x40 { break 'to_973; }
f[532] = f[499] & 0x3f;
f[533] = f[500] & 0x3f;
f[505] = 0x0;
f[638] = f[533] | f[532].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[548] = u64::from(f[638] != 0x0);
if f[548] == 0 { break 'to_893; }
f[546] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[546]), 32);
f[547] = words::keep(f[638] >> 0, 36);
f[548] = u64::from(f[547] <= f[504]);
}
if f[548] == 0 { break 'to_895; }
f[505] = 0x1;
}
f[638] = f[533] | f[532] << 58 >> 58 << 6;
{ let e = r.read_limbs::<2>(11, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[559] = u64::from(f[638] != 0x0);
if f[559] == 0 { break 'to_904; }
f[557] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[557]), 32);
f[558] = words::keep(f[638] >> 0, 36);
f[559] = u64::from(f[558] <= f[504]);
}
if f[559] == 0 { break 'to_906; }
f[505] = 0x1;
}
f[638] = 0x1000 | f[533] & 0x3f;
f[638] = f[638] | f[532].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[570] = u64::from(f[638] != 0x0);
if f[570] == 0 { break 'to_915; }
f[568] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[568]), 32);
f[569] = words::keep(f[638] >> 0, 36);
f[570] = u64::from(f[569] <= f[504]);
}
if f[570] == 0 { break 'to_917; }
f[505] = 0x1;
}
f[638] = 0x1000 | f[533] & 0x3f;
f[638] = f[638] | f[532].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[581] = u64::from(f[638] != 0x0);
if f[581] == 0 { break 'to_926; }
f[579] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[579]), 32);
f[580] = words::keep(f[638] >> 0, 36);
f[581] = u64::from(f[580] <= f[504]);
}
if f[581] == 0 { break 'to_928; }
f[505] = 0x1;
}
f[638] = 0x2000 | f[533] & 0x3f;
f[638] = f[638] | f[532].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[592] = u64::from(f[638] != 0x0);
if f[592] == 0 { break 'to_937; }
f[590] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[590]), 32);
f[591] = words::keep(f[638] >> 0, 36);
f[592] = u64::from(f[591] <= f[504]);
}
if f[592] == 0 { break 'to_939; }
f[505] = 0x1;
}
f[638] = 0x2000 | f[533] & 0x3f;
f[638] = f[638] | f[532].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[603] = u64::from(f[638] != 0x0);
if f[603] == 0 { break 'to_948; }
f[601] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[601]), 32);
f[602] = words::keep(f[638] >> 0, 36);
f[603] = u64::from(f[602] <= f[504]);
}
if f[603] == 0 { break 'to_950; }
f[505] = 0x1;
}
f[638] = 0x3000 | f[533] & 0x3f;
f[638] = f[638] | f[532].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(10, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[614] = u64::from(f[638] != 0x0);
if f[614] == 0 { break 'to_959; }
f[612] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[612]), 32);
f[613] = words::keep(f[638] >> 0, 36);
f[614] = u64::from(f[613] <= f[504]);
}
if f[614] == 0 { break 'to_961; }
f[505] = 0x1;
}
f[638] = 0x3000 | f[533] & 0x3f;
f[638] = f[638] | f[532].rotate_left(6) & 0xfc0;
{ let e = r.read_limbs::<2>(11, f[638]); f[536] = e[0]; f[537] = e[1]; }
f[638] = f[536].rotate_left(16) & 0xffff;
f[638] = f[638] | f[537].rotate_left(16) & 0xffff0000;
f[625] = u64::from(f[638] != 0x0);
if f[625] == 0 { break 'to_970; }
f[623] = words::keep(f[537] >> 32, 32);
f[638] = words::keep(u64::wrapping_sub(f[123], f[623]), 32);
f[624] = words::keep(f[638] >> 0, 36);
f[625] = u64::from(f[624] <= f[504]);
}
if f[625] == 0 { break 'to_972; }
f[505] = 0x1;
}
f[502] = 0x0 | f[505] << 63 >> 63 << 1;
}
if f[502] != 0x0 { break 'to_977; }
f[127] = 0x1ff;
f[137] = 0; 
return Ending::Done;
}
f[24] = f[502];
return Ending::Done;
Ending::Done
}

fn at_979(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
'to_982: {
if f[35] == 0 { break 'to_982; }
if f[49] != 0 { break 'to_982; }
f[46] = words::checksum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(words::sum(0, f[48].rotate_left(48) & 0xffff000000000000), f[48].rotate_left(48) & 0xffff), f[47].rotate_left(16) & 0xffffffff0000), f[45].rotate_left(48) & 0xff000000000000), f[44].rotate_left(56) & 0xff00000000000000), f[43]), f[42].rotate_left(13) & 0xe000), f[41].rotate_left(16) & 0xffff0000), f[40].rotate_left(32) & 0xffff00000000), f[39].rotate_left(48) & 0x3000000000000), f[38].rotate_left(50) & 0xfc000000000000), f[37].rotate_left(56) & 0xf00000000000000), f[36].rotate_left(60) & 0xf000000000000000)) & 0xffff;
}
if f[35] == 0 { return Ending::Done; }
if f[49] == 0 { return Ending::Done; }
if let Err(error) = r.operation(f, 984) { return Ending::Rejected(error); }
return Ending::Done;
Ending::Done
}

fn at_986(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
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
if let Err(error) = r.operation(f, 992) { return Ending::Rejected(error); }
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

fn at_1000(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[263];
return Ending::Returned;
Ending::Done
}

fn at_1002(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = f[264];
f[2] = f[265];
f[1] = f[266];
return Ending::Returned;
Ending::Done
}

fn at_1004(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[259] = f[267];
f[260] = f[268];
return Ending::Returned;
Ending::Done
}

fn at_1006(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[120] = 0x0;
return Ending::Returned;
Ending::Done
}

fn at_1008(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {
f[119] = f[348];
return Ending::Returned;
Ending::Done
}
