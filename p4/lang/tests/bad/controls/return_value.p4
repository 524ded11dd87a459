control c() { apply { return 1; } } //~ E0501
