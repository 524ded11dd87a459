const bit<8> x = (1 + 2; //~ E0201
const bit<8> y = 3;
