const bit<8> x = 1
const bit<8> y = 2; //~ E0201
