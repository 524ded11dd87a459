control c(in bit<8> x) { apply { x = 1; } } //~ E0407
