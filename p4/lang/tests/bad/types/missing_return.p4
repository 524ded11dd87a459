bit<8> sign(in bit<8> x) { //~ E0509
    if (x > 3) { return 1; }
}
