#define SUM(a, b) ((a) + (b) + missing)
const bit<8> x = SUM(1, 2); //~ E0301
