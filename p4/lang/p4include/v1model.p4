// The v1model architecture (parser, ingress, egress and deparser) of the behavioral model's simple_switch.
// Names and types are the interface that programs rely on
// (https://github.com/p4lang/behavioral-model/blob/main/docs/simple_switch.md).
#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#include "core.p4"

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

match_kind {
    range,
    optional,
    selector
}

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

enum CloneType {
    I2E,
    E2E
}

const bit<32> __v1model_version = V1MODEL_VERSION;
const bool __v1model_version_exists = // on line 48, as in p4c's own file
    static_assert(V1MODEL_VERSION >= 20180101 && V1MODEL_VERSION <= 20200408, "there is no such version of v1model");

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#define V1MODEL_PORT PortId_t
#define V1MODEL_INDEX I
#else
#define V1MODEL_PORT bit<9>
#define V1MODEL_INDEX bit<32>
#endif

/// Metadata that the switch and the program exchange about a packet.
@metadata @name("standard_metadata")
struct standard_metadata_t {
    V1MODEL_PORT ingress_port;
    V1MODEL_PORT egress_spec;
    V1MODEL_PORT egress_port;
    bit<32> instance_type;
    bit<32> packet_length;
    @alias("queueing_metadata.enq_timestamp")
    bit<32> enq_timestamp;
    @alias("queueing_metadata.enq_qdepth")
    bit<19> enq_qdepth;
    @alias("queueing_metadata.deq_timedelta")
    bit<32> deq_timedelta;
    @alias("queueing_metadata.deq_qdepth")
    bit<19> deq_qdepth;
    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48> ingress_global_timestamp;
    @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48> egress_global_timestamp;
    @alias("intrinsic_metadata.mcast_grp")
    bit<16> mcast_grp;
    @alias("intrinsic_metadata.egress_rid")
    bit<16> egress_rid;
    bit<1> checksum_error;
    error parser_error;
    @alias("intrinsic_metadata.priority")
    bit<3> priority;
}

/// An array of counters; the program counts, the control plane reads.
#if V1MODEL_VERSION >= 20200408
extern counter<I> {
#else
extern counter {
#endif
    counter(bit<32> size, CounterType type);
    /// Counts the packet in one element; no effect if the index is out of range.
    void count(in V1MODEL_INDEX index);
}

/// A counter for each entry of one table (`counters = ...;`).
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

#define V1MODEL_METER_COLOR_GREEN  0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED    2

/// An array of two-rate three-colour meters.
#if V1MODEL_VERSION >= 20200408
extern meter<I> {
#else
extern meter {
#endif
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in V1MODEL_INDEX index, out T result);
}

/// A meter for each entry of one table (`meters = ...;`).
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

/// An array of values that packets and the control plane read and write.
#if V1MODEL_VERSION >= 20200408
extern register<T, I> {
#else
extern register<T> {
#endif
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in V1MODEL_INDEX index);
    void write(in V1MODEL_INDEX index, in T value);
}

/// Actions with data that several table entries share.
extern action_profile {
    action_profile(bit<32> size);
}

/// A random number between two bounds, both included.
extern void random<T>(out T result, in T lo, in T hi);

/// Sends values to the control plane when ingress ends.
extern void digest<T>(in bit<32> receiver, in T data);

@deprecated("call it with the standard metadata as argument")
extern void mark_to_drop();

/// Marks the packet to be dropped, unless a later statement changes that.
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);

/// `result` becomes `base` plus the hash modulo `max`; `base` if `max` is 0.
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

/// An action profile with groups, one member of which is chosen by a hash.
extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

@deprecated("verify_checksum and update_checksum do it")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@pure
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum,
                                               HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum,
                                               HashAlgorithm algo);

@deprecated("resubmit_preserving_field_list does it")
extern void resubmit<T>(in T data);
/// Sends the packet as it arrived through parser and ingress again, with the fields of one list.
extern void resubmit_preserving_field_list(bit<8> index);

@deprecated("recirculate_preserving_field_list does it")
extern void recirculate<T>(in T data);
/// Sends the packet as it would leave through the parser again, with the fields of one list.
extern void recirculate_preserving_field_list(bit<8> index);

/// Copies the packet to a clone session.
extern void clone(in CloneType type, in bit<32> session);
@deprecated("clone_preserving_field_list does it")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);
/// Copies the packet to a clone session, with the fields of one list.
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);

/// Truncates the packet when it leaves.
extern void truncate(in bit<32> length);

extern void assert(in bool check);
extern void assume(in bool check);

extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

parser Parser<H, M>(packet_in b,
                    out H parsedHdr,
                    inout M meta,
                    inout standard_metadata_t standard_metadata);

control VerifyChecksum<H, M>(inout H hdr,
                             inout M meta);
@pipeline
control Ingress<H, M>(inout H hdr,
                      inout M meta,
                      inout standard_metadata_t standard_metadata);
@pipeline
control Egress<H, M>(inout H hdr,
                     inout M meta,
                     inout standard_metadata_t standard_metadata);
control ComputeChecksum<H, M>(inout H hdr,
                              inout M meta);
@deparser
control Deparser<H>(packet_out b, in H hdr);

/// The package that a program instantiates as `main`.
package V1Switch<H, M>(Parser<H, M> p,
                       VerifyChecksum<H, M> vr,
                       Ingress<H, M> ig,
                       Egress<H, M> eg,
                       ComputeChecksum<H, M> ck,
                       Deparser<H> dep);

#endif
