struct s_t { int<0> x; } //~ E0408
