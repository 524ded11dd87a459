control c() { apply { break; } } //~ E0501
