const int<8> y = 8s0b; //~ E0003
