control c(inout bool b, in bit<8> x) { apply { b = b && x; } } //~ E0402
