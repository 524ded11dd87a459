const bit<8> x = 8 / 0; //~ E0412
