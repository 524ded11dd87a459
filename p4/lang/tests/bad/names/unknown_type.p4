header ethernet_t { bit<48> dst; }
struct headers_t { etherent_t ethernet; } //~ E0301
