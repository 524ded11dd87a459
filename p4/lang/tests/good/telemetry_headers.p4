error { BadVersion }
header ethernet_t { bit<48> dst; bit<48> src; bit<16> ether_type; }
header vlan_t { bit<3> pcp; bit<1> dei; bit<12> vid; bit<16> ether_type; }
header pfc_t { bit<16> opcode; bit<16> classes; bit<128> times; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<6> dscp; bit<2> ecn; bit<16> total_len; bit<16> id; bit<3> flags;
    bit<13> frag; bit<8> ttl; bit<8> protocol; bit<16> checksum; bit<32> src; bit<32> dst;
}
header udp_t { bit<16> src_port; bit<16> dst_port; bit<16> length; bit<16> checksum; }
struct headers_t { ethernet_t ethernet; vlan_t[2] vlan; pfc_t pfc; ipv4_t ipv4; udp_t udp; }
struct metadata_t {
    @field_list(1) bit<32> epoch;
    @field_list(1, 2) bit<32> flow_hash;
    bit<32> depths;
    bool is_roce;
}
