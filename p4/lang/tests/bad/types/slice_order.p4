control c(inout bit<8> x) { apply { x[4:7] = 1; } } //~ E0413
