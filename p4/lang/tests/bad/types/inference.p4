extern T make<T>();
control c() { apply { make(); } } //~ E0405
