header h_t { bit<8> a; }
control c(inout bit<8> x, in h_t h) { apply { x = (bit<8>)h; } } //~ E0403
