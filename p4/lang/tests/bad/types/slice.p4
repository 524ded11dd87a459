control c(inout bit<8> x) { apply { x[7:4] = x[11:8]; } } //~ E0413
