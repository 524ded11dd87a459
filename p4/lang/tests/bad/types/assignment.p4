control c(inout bit<8> x, in bit<16> y) { apply { x = y; } } //~ E0401
