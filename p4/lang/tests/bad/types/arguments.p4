bit<8> twice(in bit<8> x) { return x + x; }
control c(inout bit<8> x) { apply { x = twice(x, x); } } //~ E0404
