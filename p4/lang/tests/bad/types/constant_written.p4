const bit<8> x = 1;
control c() { apply { x = 2; } } //~ E0407
