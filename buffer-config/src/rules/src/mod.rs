//! Invalid input, and input that Harrier does not know.

use super::family;

family!(
    json_syntax,
    duplicate_key,
    blanks_in_number,
    unknown_field,
    unknown_table,
    legacy_reference,
    joined_ports,
    unused_suppression,
    expired_suppression,
    nothing_to_check,
    no_metadata,
    sku_platform,
);
