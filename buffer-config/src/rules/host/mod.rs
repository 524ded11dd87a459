//! NICs and DCQCN against the switches they hang on.

use super::family;

family!(pfc, dscp, mtu, cnp, window, burst, watchdog, dcqcn_range, dcqcn_differs,);
