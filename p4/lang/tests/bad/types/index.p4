header h_t { bit<8> a; }
control c(inout h_t[4] s) { apply { s[4].a = 1; } } //~ E0414
