control c(inout bit<8> x) { apply { if (x) { x = 1; } } } //~ E0401
