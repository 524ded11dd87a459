// Hawkeye for Tofino 2 (T2NA). See docs/tofino.md.

#include <core.p4>
#include <t2na.p4>

// Device port of the CPU (PCIe). Settable on the compiler's command line.
#ifndef CPU_PORT
#define CPU_PORT 0
#endif

#include "config.p4"
#include "headers.p4"
#include "pipeline.p4"

Pipeline(
    HawkeyeIngressParser(),
    HawkeyeIngress(),
    HawkeyeIngressDeparser(),
    HawkeyeEgressParser(),
    HawkeyeEgress(),
    HawkeyeEgressDeparser()) pipe;

Switch(pipe) main;
