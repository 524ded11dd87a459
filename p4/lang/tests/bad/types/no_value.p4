void nothing() { }
control c(inout bit<8> x) { apply { x = nothing(); } } //~ E0401
