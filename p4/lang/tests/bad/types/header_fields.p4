header h_t { string s; } //~ E0409
