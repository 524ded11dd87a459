const bit<8> LIMIT = 1;
const bit<8> x = LIMTI; //~ E0301
