control c(inout bit<8> x) { apply { x + 1; } } //~ E0201
