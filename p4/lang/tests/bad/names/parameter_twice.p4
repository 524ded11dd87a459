control c(in bit<8> a, in bit<8> a) { apply { } } //~ E0302
