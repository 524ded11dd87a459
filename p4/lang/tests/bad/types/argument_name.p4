bit<8> twice(in bit<8> value) { return value + value; }
control c(inout bit<8> x) { apply { x = twice(vlaue = x); } } //~ E0404
