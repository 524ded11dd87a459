control c(inout bit<8> x, in int<8> n) { apply { x = x << n; } } //~ E0402
