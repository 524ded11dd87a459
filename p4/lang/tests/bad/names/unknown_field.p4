struct s_t { bit<8> count; }
control c(inout s_t s) { apply { s.cuont = 1; } } //~ E0303
