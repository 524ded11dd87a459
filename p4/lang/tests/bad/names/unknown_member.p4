enum color_t { Red, Green }
const color_t c = color_t.Gren; //~ E0303
