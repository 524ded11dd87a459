const bit<8> x = 0b12; //~ E0003
const bit<8> y = 0xg; //~ E0003
const bit<8> z = 4w; //~ E0003
