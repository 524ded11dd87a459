// Hawkeye: a router for lossless networks that records in each telemetry epoch which flows queued where and which ports
// were paused, and freezes these records when a polling packet arrives (X. Li et al., "RDMA Network Performance
// Anomalies Diagnosis with Hawkeye", SIGCOMM 2024 posters, sections 2.1 and 2.2).
//
// All timestamps are in nanoseconds.

#include <core.p4>
#include <v1model.p4>

#include "config.p4"
#include "layout.p4"
#include "headers.p4"
#include "parser.p4"
#include "checksum.p4"
#include "classify.p4"
#include "routing.p4"
#include "priority.p4"
#include "epoch.p4"
#include "freeze.p4"
#include "pause.p4"
#include "flow_slots.p4"
#include "port_slots.p4"
#include "causality.p4"
#include "telemetry.p4"
#include "polling.p4"
#include "losses.p4"
#include "ingress.p4"
#include "egress.p4"
#include "deparser.p4"

V1Switch(
    HawkeyeParser(),
    HawkeyeVerifyChecksum(),
    HawkeyeIngress(),
    HawkeyeEgress(),
    HawkeyeComputeChecksum(),
    HawkeyeDeparser()) main;
