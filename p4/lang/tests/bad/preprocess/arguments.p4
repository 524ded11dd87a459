#define ADD(a, b) ((a) + (b))
const bit<8> x = ADD(1); //~ E0106
