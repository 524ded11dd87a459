const int x = 1 => 2; //~ E0201
