//! Schedulers.

use super::family;

family!(strict_lossless, none, slow,);
