//! Schedulers.

use super::family;

family!(scheduler, strict_lossless, rates, none,);
