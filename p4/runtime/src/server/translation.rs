//! Names for values of types that are translated to strings (`sdn_string`), one table per translation.
//!
//! Source: P4Runtime specification, "User-defined types". A name that is a decimal number denotes this
//! number, so that controllers can use port numbers directly. Any other name is assigned the highest free number at its
//! first use and keeps it until the server stops, so that reads return what was written.

use crate::error::Refusal;
use p4_lang::ir::Bits;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tonic::Code;

/// Maximum number of names of a translation.
const NAMES: usize = 1 << 16;
/// Maximum length of a name in bytes.
const NAME_BYTES: usize = 1 << 10;

/// The tables of all translations, by their URI.
#[derive(Debug, Default)]
pub(crate) struct Translations {
    tables: Mutex<BTreeMap<String, Names>>,
}

#[derive(Debug, Default)]
struct Names {
    by_name: BTreeMap<String, u128>,
    by_number: BTreeMap<u128, String>,
}

impl Translations {
    fn tables(&self) -> MutexGuard<'_, BTreeMap<String, Names>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of a name.
    pub(crate) fn number(&self, uri: &str, name: &[u8], width: u32) -> Result<Bits, Refusal> {
        let name = std::str::from_utf8(name)
            .map_err(|_| Refusal::invalid(format!("a value of {uri} is a string of UTF-8 text")))?;
        if name.is_empty() || name.len() > NAME_BYTES {
            return Err(Refusal::invalid(format!("a value of {uri} has from 1 to {NAME_BYTES} bytes")));
        }
        let highest = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let mut tables = self.tables();
        let names = tables.entry(uri.into()).or_default();
        let number = match names.by_name.get(name) {
            Some(number) => *number,
            None => names.add(uri, name, highest)?,
        };
        if number > highest {
            return Err(Refusal::out_of_range(format!("\"{name}\" of {uri} does not fit into {width} bits")));
        }
        Ok(Bits::new(width, number))
    }

    /// Returns the name of a number; in decimal if no controller has named it.
    pub(crate) fn name(&self, uri: &str, bits: &Bits) -> Vec<u8> {
        let number = bits.to_u128().unwrap_or(u128::MAX);
        let tables = self.tables();
        let name = tables.get(uri).and_then(|names| names.by_number.get(&number));
        name.cloned().unwrap_or_else(|| number.to_string()).into_bytes()
    }
}

impl Names {
    fn add(&mut self, uri: &str, name: &str, highest: u128) -> Result<u128, Refusal> {
        if self.by_name.len() >= NAMES {
            let message = format!("{uri} has {NAMES} names already");
            return Err(Refusal::new(Code::ResourceExhausted, message));
        }
        let number = match decimal(name) {
            Some(number) if number > highest => {
                return Err(Refusal::out_of_range(format!("{name} of {uri} is more than {highest}")));
            }
            Some(number) => match self.by_number.get(&number) {
                Some(other) => {
                    return Err(Refusal::invalid(format!("{name} of {uri} already is \"{other}\"")));
                }
                None => number,
            },
            None => self.free(highest).ok_or_else(|| {
                Refusal::new(Code::ResourceExhausted, format!("all {} values of {uri} have names", highest))
            })?,
        };
        self.by_name.insert(name.into(), number);
        self.by_number.insert(number, name.into());
        Ok(number)
    }

    /// The highest number without a name.
    fn free(&self, highest: u128) -> Option<u128> {
        let mut candidate = highest;
        for taken in self.by_number.range(..=highest).rev().map(|(number, _)| *number) {
            if taken != candidate {
                break;
            }
            candidate = candidate.checked_sub(1)?;
        }
        Some(candidate)
    }
}

/// Parses a decimal number without sign or leading zeros.
fn decimal(name: &str) -> Option<u128> {
    let number: u128 = name.parse().ok()?;
    (number.to_string() == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const URI: &str = "p4.org/test/port";

    fn number(table: &Translations, name: &str, width: u32) -> Result<u128, Code> {
        let bits = table.number(URI, name.as_bytes(), width).map_err(|refusal| refusal.code)?;
        Ok(bits.to_u128().expect("it is narrow"))
    }

    proptest! {
        #[test]
        fn names_are_read_back_as_written(names in prop::collection::btree_set("[a-z0-9]{1,3}", 1..60)) {
            let table = Translations::default();
            for name in names {
                let bits = table.number(URI, name.as_bytes(), 32).expect("there is room");
                prop_assert_eq!(table.name(URI, &bits), name.as_bytes());
                prop_assert_eq!(table.number(URI, name.as_bytes(), 32).expect("again"), bits);
            }
        }
    }

    #[test]
    fn decimal_names_denote_their_number_unless_it_has_another_name() {
        let table = Translations::default();
        assert_eq!(number(&table, "7", 3), Ok(7));
        assert_eq!(number(&table, "Ethernet0", 3), Ok(6));
        assert_eq!(number(&table, "6", 3), Err(Code::InvalidArgument));
        assert_eq!(number(&table, "8", 3), Err(Code::OutOfRange));
        assert_eq!(number(&table, "07", 3), Ok(5));
        assert_eq!(table.name(URI, &Bits::new(3, 1)), b"1");
    }

    #[test]
    fn a_new_name_is_rejected_when_all_numbers_have_names() {
        let table = Translations::default();
        assert_eq!(number(&table, "a", 1), Ok(1));
        assert_eq!(number(&table, "b", 1), Ok(0));
        assert_eq!(number(&table, "c", 1), Err(Code::ResourceExhausted));
        assert_eq!(number(&table, "", 1), Err(Code::InvalidArgument));
    }
}
