control c(inout bit<8> x) { apply { x(); } } //~ E0404
