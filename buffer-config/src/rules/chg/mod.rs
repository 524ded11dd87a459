//! Changes between two revisions.

use super::family;

family!(create_only, refused, removes_used, action, model, kmin_first, bypass, stale,);
