bit<8> again(in bit<8> x) { return again(x); } //~ E0510
