@name("never closed) const bit<8> x = 1;
//~^ E0002
