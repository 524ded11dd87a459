#include <core.p4>
const bit<8> a = 8w;
const bit<8> b = 0b12;
const bit<8> c = 1 $ 2;
const string d = "never closed;
const bit<16> e = 0x_;
