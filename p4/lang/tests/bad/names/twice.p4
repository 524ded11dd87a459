const bit<8> x = 1;
const bit<8> x = 2; //~ E0302
