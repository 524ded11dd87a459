// Headers, and the metadata of a packet in the pipeline.

#ifndef HAWKEYE_HEADERS
#define HAWKEYE_HEADERS

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<16> ETHERTYPE_IPV6 = 0x86dd;
const bit<16> ETHERTYPE_VLAN = 0x8100;
const bit<16> ETHERTYPE_MAC_CONTROL = 0x8808;
const bit<16> ETHERTYPE_POLLING = 0x88b5;
const bit<16> ETHERTYPE_LLDP = 0x88cc;
const bit<16> MAC_CONTROL_PFC = 0x0101;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> UDP_ROCE_V2 = 4791;
const bit<4> POLLING_VERSION = 1;

typedef bit<9> port_t;

// In front of a packet from the controller. With an egress port, the packet leaves through that port unprocessed; with
// 0 it is processed like a packet from the network.
@controller_header("packet_out")
header packet_out_t {
    bit<16> egress_port;
}

// In front of a packet to the controller: the port where it arrived.
@controller_header("packet_in")
header packet_in_t {
    bit<16> ingress_port;
}

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

// IEEE 802.1Q.
header vlan_t {
    bit<3> pcp;
    bit<1> dei;
    bit<12> vid;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<6> dscp;
    bit<2> ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header ipv4_options_t {
    varbit<320> options;
}

header ipv6_t {
    bit<4> version;
    bit<6> dscp;
    bit<2> ecn;
    bit<20> flow_label;
    bit<16> payload_length;
    bit<8> next_header;
    bit<8> hop_limit;
    bit<128> source;
    bit<128> destination;
}

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

header tcp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<4> data_offset;
    bit<4> reserved;
    bit<8> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

// InfiniBand base transport header of RoCEv2 (InfiniBand volume 1, section 9.2; annex A17).
header bth_t {
    bit<8> opcode;
    bit<1> solicited;
    bit<1> migration;
    bit<2> pad;
    bit<4> version;
    bit<16> partition;
    bit<8> reserved;
    bit<24> queue_pair;
    bit<1> acknowledge;
    bit<7> reserved2;
    bit<24> psn;
}

// MAC control frame (IEEE 802.3 clause 31).
header mac_control_t {
    bit<16> opcode;
}

// Priority-based flow control (IEEE 802.1Qbb): a vector of enabled priorities (priority n is bit n) and a time for each
// priority in units of 512 bit times. Time zero resumes.
header pfc_t {
    bit<16> enabled;
    bit<16> time0;
    bit<16> time1;
    bit<16> time2;
    bit<16> time3;
    bit<16> time4;
    bit<16> time5;
    bit<16> time6;
    bit<16> time7;
}

// The polling packet: what to follow, and the victim's 5-tuple. Addresses have 128 bits, IPv4 as ::ffff:a.b.c.d.
header polling_t {
    bit<4> version;
    bit<2> reserved;
    bit<2> follow;
    bit<8> hop_limit;
    bit<8> priority;
    bit<8> protocol;
    bit<32> event;
    bit<128> source;
    bit<128> destination;
    bit<16> source_port;
    bit<16> destination_port;
}

// Bits of `follow`: the victim's path; the pauses that reach the ingress port.
#define FOLLOW_VICTIM(follow) follow[0:0]
#define FOLLOW_PAUSES(follow) follow[1:1]

struct headers_t {
    packet_out_t packet_out;
    packet_in_t packet_in;
    ethernet_t ethernet;
    vlan_t vlan;
    mac_control_t mac_control;
    pfc_t pfc;
    polling_t polling;
    ipv4_t ipv4;
    ipv4_options_t ipv4_options;
    ipv6_t ipv6;
    udp_t udp;
    tcp_t tcp;
    bth_t bth;
}

// The 5-tuple as routing, hashing and the flow slots use it: 296 bits, no padding.
struct flow_t {
    bit<128> source;
    bit<128> destination;
    bit<16> source_port;
    bit<16> destination_port;
    bit<8> protocol;
}

struct metadata_t {
    flow_t flow;
    // CRC-32 of the 5-tuple.
    bit<32> flow_hash;
    // 1 when flow.destination is an IPv4 address.
    bit<1> is_ipv4;
    // 1 when the packet is metered: data, not an acknowledgement or control packet.
    bit<1> is_data;
    bit<6> dscp;
    bit<24> psn;
    // Priority and egress queue.
    bit<3> priority;
    // Egress port of the route; 0 without a route.
    port_t route_port;
    // Egress port of the victim's packets, for the copies of a polling packet; 0 if the packet does not follow the
    // victim.
    port_t victim_port;
    // Ingress port of a polling packet; for a retry by the controller, the port that the lost packet would have used.
    port_t poll_port;
    // Epoch of the packet's arrival, and its position in the ring.
    bit<32> epoch;
    bit<EPOCH_RING_BITS> ring;
    // Generation that packets write; its lowest bit is the bank.
    bit<16> generation;
}

#endif
