const tuple<bit<8>, bool> t = {1, true};
const bool x = t[2]; //~ E0414
