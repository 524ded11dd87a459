// "Lexical constructs": strings, numbers, comments, identifiers.
@name("one \" quote") const bit<8> a = 1;
@name("a string with
a line end") const bit<8> b = 0b1111_0000;
@name("three " ++ "parts " ++ "joined") const bit<8> c = 0xF_F;
const string text = "a" ++ "b" ++ "c";
const bit<8> octal = 0o17;
const bit<8> decimal = 0d17;
const int<8> negative = -8s0x11;
const bit<4> sized = 4w0b1111;
const bit<4> cut = 4w0b1_1111; //~ W0402
const bit<8> underscored = 10_0;
const bit<2 + 2> sum = 5;
const bit<(sum > 3 ? 8 : 4)> chosen = 200;
const bit<sum[3:0] * 2> product = 1;
const bit<8> /* in between */ comment = 1; // and after
const bit<8> leading_zero = 007;
const bit<8> table_ = 1;
const bit<8> apply_key = 2;
const bit<8> bad = 0b12; //~ E0003
const bit<8> empty = 0x; //~ E0003
const bit<8> wide = 8w; //~ E0003
