// Headers and metadata.

#ifndef HAWKEYE_TOFINO_HEADERS
#define HAWKEYE_TOFINO_HEADERS

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

// What egress does with a packet: the first byte in front of every packet between ingress and egress, and of every export.
const bit<8> KIND_FORWARD = 0;
const bit<8> KIND_DATA = 1;
const bit<8> KIND_PAUSE = 2;
const bit<8> KIND_POLLING = 3;
const bit<8> KIND_TO_CONTROLLER = 4;
const bit<8> KIND_EXPORT = 5;

// Digest and mirror types.
const DigestType_t DIGEST_POLL = 1;
const MirrorType_t MIRROR_EXPORT = 1;

// From ingress to egress, and in front of a packet to the controller. Every field has a container of its own.
header bridge_t {
    bit<8> kind;
    bit<7> reserved0;
    bit<1> follow_pauses;
    bit<7> reserved1;
    bit<1> follow_victim;
    bit<2> reserved2;
    bit<6> ingress_row;
    bit<4> reserved3;
    bit<4> ring;
    bit<5> reserved4;
    bit<3> priority;
    bit<7> reserved5;
    PortId_t ingress_port;
    bit<7> reserved6;
    PortId_t victim_port;
    // Ticks and epoch of the packet's arrival.
    bit<32> arrival;
    bit<32> epoch;
}

// In front of a copy of a data packet to the controller: the packet holds the full key of the flow that claimed a slot, the
// header what was in the slot before. 32 bytes, which is what Tofino 1 can mirror.
header export_t {
    bit<8> kind;
    bit<3> reserved0;
    bit<3> priority;
    // `packets` to `paused_packets` are an evicted record of `digest`, of the same epoch.
    bit<1> is_evicted;
    // The packet's flow has not been exported for a second.
    bit<1> is_new_key;
    bit<6> reserved1;
    bit<10> slot;
    bit<7> reserved2;
    PortId_t ingress_port;
    bit<7> reserved3;
    PortId_t egress_port;
    bit<32> epoch;
    bit<32> digest;
    bit<32> packets;
    bit<32> bytes;
    bit<32> depth_sum;
    bit<16> queued_packets;
    bit<16> paused_packets;
}

// In front of a packet from the controller. Egress port 0x1ff: processed like a packet from the network, a polling packet
// as if it had arrived at `poll_port`.
header packet_out_t {
    bit<7> reserved0;
    PortId_t egress_port;
    bit<7> reserved1;
    PortId_t poll_port;
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

// The first four bytes of UDP and TCP.
header ports_t {
    bit<16> source_port;
    bit<16> destination_port;
}

header udp_rest_t {
    bit<16> length;
    bit<16> checksum;
}

header tcp_rest_t {
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<4> data_offset;
    bit<4> reserved;
    bit<8> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

// The first bytes of the InfiniBand base transport header (InfiniBand volume 1, section 9.2; annex A17).
header bth_t {
    bit<8> opcode;
    bit<8> flags;
    bit<16> partition;
}

// MAC control frame (IEEE 802.3 clause 31).
header mac_control_t {
    bit<16> opcode;
}

// Priority-based flow control (IEEE 802.1Qbb): a vector of enabled priorities and a time for each in units of 512 bit times.
// Time zero resumes.
header pfc_t {
    bit<8> reserved;
    bit<8> enabled;
    bit<16> time0;
    bit<16> time1;
    bit<16> time2;
    bit<16> time3;
    bit<16> time4;
    bit<16> time5;
    bit<16> time6;
    bit<16> time7;
}

// The polling packet, as in the v1model program. Addresses have 128 bits, IPv4 as ::ffff:a.b.c.d.
header polling_t {
    bit<4> version;
    bit<2> reserved;
    bit<1> follow_pauses;
    bit<1> follow_victim;
    bit<8> hop_limit;
    bit<8> priority;
    bit<8> protocol;
    bit<32> event;
    bit<96> source_prefix;
    bit<32> source_low;
    bit<128> destination;
    bit<16> source_port;
    bit<16> destination_port;
}

// The IPv4 address in ::ffff:a.b.c.d.
#define IPV4_PART(address) address[31:0]

// Why the program drops a packet between hosts: the second part of the index of `losses`.
const bit<2> LOSS_NONE = 0;
const bit<2> LOSS_MALFORMED = 1;
const bit<2> LOSS_TTL = 2;
const bit<2> LOSS_NO_ROUTE = 3;

// Bank that packets of `generation` write.
#define BANK(generation) generation[0:0]

struct ingress_headers_t {
    bridge_t bridge;
    packet_out_t packet_out;
    ethernet_t ethernet;
    vlan_t vlan;
    mac_control_t mac_control;
    pfc_t pfc;
    polling_t polling;
    ipv4_t ipv4;
    ipv6_t ipv6;
    ports_t ports;
    udp_rest_t udp;
    tcp_rest_t tcp;
    bth_t bth;
}

struct ingress_metadata_t {
    // The destination that routes are looked up for.
    bit<32> destination_v4;
    bit<1> is_ipv4;
    bit<1> is_malformed;
    bool checksum_failed;
    bit<1> is_retry;
    bit<1> host_facing;
    bit<1> is_routed;
    bit<8> ttl;
    bit<6> dscp;
    bit<3> priority;
    // Ports of the flow: of UDP and TCP, or of the victim.
    bit<16> source_port;
    bit<16> destination_port;
    // IP total length of IPv4, payload length of IPv6.
    bit<16> ip_length;
    // Ingress port, or the port that a retry names.
    PortId_t port;
    bit<6> row;
    PortId_t route_port;
    bit<16> flow_hash;
    bit<32> victim_digest;
    bit<32> pauses_digest;
    bit<10> victim_slot;
    bit<10> pauses_slot;
    bit<1> is_new_victim;
    bit<1> is_new_pauses;
    bit<8> poll_colour;
    // Why the packet is dropped; LOSS_NONE if it is not.
    bit<2> loss;
    bit<(INGRESS_ROW_BITS + 2)> loss_row;
}

struct egress_headers_t {
    bridge_t bridge;
    export_t export;
    ethernet_t ethernet;
    vlan_t vlan;
    mac_control_t mac_control;
    pfc_t pfc;
    polling_t polling;
    ipv4_t ipv4;
    ipv6_t ipv6;
    ports_t ports;
}

struct egress_metadata_t {
    bit<16> source_port;
    bit<16> destination_port;
    // Row of the egress port, and whether there is one.
    bit<EGRESS_ROW_BITS> row;
    bit<1> has_row;
    bit<1> host_facing;
    bit<3> class;
    // Low bit of the generation: the bank that packets write.
    bit<32> generation;
    bit<32> released;
    // Pause: the time of the frame, or the time whose pause is looked up; quanta and ticks of the frame.
    int<32> pause_ticks;
    bit<16> pause_quanta;
    bit<16> pause_part;
    bit<16> pause_duration;
    int<32> pause_added;
    int<32> pause_end;
    int<32> pause_base;
    bit<1> is_class_enabled;
    bit<1> is_paused;
    // What the packet adds to the counters.
    bit<16> bytes;
    bit<32> depth;
    bit<32> paused;
    bit<16> flow_queued;
    bit<16> flow_paused;
    // The flow slot.
    bit<32> digest;
    bit<FLOW_SLOT_BITS> slot;
    bit<FLOW_KEY_BITS> key_slot;
    bit<32> found_digest;
    bit<1> is_evicted;
    bit<1> is_new_key;
    bit<32> evicted_packets;
    bit<32> evicted_bytes;
    bit<32> evicted_depth_sum;
    bit<16> evicted_queued;
    bit<16> evicted_paused;
    // Rows of the registers.
    bit<QUEUE_ROW_BITS> queue_row;
    bit<PAIR_ROW_BITS> pair_row;
    bit<FLOW_ROW_BITS> flow_row;
    bit<PORT_ROW_BITS> port_row;
    bit<METER_ROW_BITS> meter_row;
    // Polling.
    bit<1> is_victim_port;
    bit<1> is_fed;
    MirrorId_t session;
    bit<8> export_kind;
    bit<3> export_priority;
}

#endif
