//! NICs and DCQCN parameters, compared with the switches that the hosts are connected to.

use super::family;

family!(pfc, dscp, mtu, cnp, window, burst, watchdog, dcqcn_range, dcqcn_differs,);
