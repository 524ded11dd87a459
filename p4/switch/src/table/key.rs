//! Structure of a table's key, and normalisation of entry keys.

use p4_lang::ir::{self, Bits, MatchKind};

use crate::control::{EntryKey, FieldMatch};
use crate::error::ControlError;
use crate::limbs;

/// A component of a key. The values of components are stored consecutively in limbs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) width: u32,
    pub(crate) kind: MatchKind,
    /// First limb in the key.
    pub(crate) offset: usize,
}

impl Component {
    pub(crate) fn limbs(&self) -> usize {
        limbs::count(self.width)
    }
}

/// How a table selects the matching entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// All components exact.
    Exact,
    /// One `lpm` component, the others exact: the longest prefix wins.
    Lpm,
    /// Anything else: the highest priority wins.
    Priority,
}

/// The matched components (all except those of kind `selector`).
#[derive(Clone, Debug)]
pub(crate) struct KeyShape {
    pub(crate) components: Vec<Component>,
    /// Limbs of a key.
    pub(crate) limbs: usize,
    pub(crate) method: Method,
}

/// An entry key in the form of the matchers: `value` and `mask` for every limb, and ranges separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) value: Vec<u64>,
    pub(crate) mask: Vec<u64>,
    /// Position in [`KeyShape::components`], lowest value, highest value.
    pub(crate) ranges: Vec<(usize, Vec<u64>, Vec<u64>)>,
    /// Length of the prefix of an [`Method::Lpm`] table's `lpm` component.
    pub(crate) prefix_bits: u32,
    pub(crate) priority: i32,
}

impl Rule {
    /// Whether it matches a key.
    pub(crate) fn matches(&self, shape: &KeyShape, key: &[u64]) -> bool {
        let masked = self.value.iter().zip(&self.mask).zip(key).all(|((v, m), k)| k & m == *v);
        masked
            && self.ranges.iter().all(|(component, low, high)| {
                let c = &shape.components[*component];
                let value = &key[c.offset..c.offset + c.limbs()];
                limbs::compare(value, low).is_ge() && limbs::compare(value, high).is_le()
            })
    }
}

impl KeyShape {
    pub(crate) fn new(keys: &[ir::Key]) -> KeyShape {
        let mut limbs = 0;
        let components: Vec<Component> = keys
            .iter()
            .filter(|key| key.match_kind != MatchKind::Selector)
            .map(|key| {
                let width = key.expr.ty.width();
                let offset = limbs;
                limbs += limbs::count(width);
                Component { name: key.name.clone(), width, kind: key.match_kind, offset }
            })
            .collect();
        KeyShape::of(components)
    }

    /// Creates a key of consecutive components.
    pub(crate) fn of(components: Vec<Component>) -> KeyShape {
        let limbs = components.last().map_or(0, |c| c.offset + c.limbs());
        let method = method(&components);
        KeyShape { components, limbs, method }
    }

    /// Whether entries have an explicit priority.
    pub(crate) fn needs_priority(&self) -> bool {
        let by_priority =
            |c: &Component| matches!(c.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional);
        self.components.iter().any(by_priority)
    }

    /// Normalises a key so that equal keys have equal form: don't care instead of an empty mask, prefix or full
    /// range.
    pub(crate) fn canonical(&self, key: &EntryKey) -> Result<EntryKey, ControlError> {
        if key.matches.len() != self.components.len() {
            let reason = format!(
                "has {} components, but the table's key has {}",
                key.matches.len(),
                self.components.len()
            );
            return Err(ControlError::invalid("match", reason));
        }
        let matches = self
            .components
            .iter()
            .zip(&key.matches)
            .map(|(component, wanted)| component.canonical(wanted))
            .collect::<Result<Vec<_>, _>>()?;
        if !self.needs_priority() && key.priority != 0 {
            return Err(ControlError::invalid("priority", "must be 0: no component of the key needs one"));
        }
        Ok(EntryKey { matches, priority: key.priority })
    }

    /// Converts a canonical key to the form of the matchers.
    pub(crate) fn rule(&self, key: &EntryKey) -> Rule {
        let mut rule = Rule {
            value: vec![0; self.limbs],
            mask: vec![0; self.limbs],
            ranges: Vec::new(),
            prefix_bits: 0,
            priority: key.priority,
        };
        for (index, (component, wanted)) in self.components.iter().zip(&key.matches).enumerate() {
            let span = component.offset..component.offset + component.limbs();
            match wanted {
                FieldMatch::Any => {}
                FieldMatch::Exact(value) => {
                    limbs::copy(&mut rule.value[span.clone()], value.limbs());
                    limbs::copy(&mut rule.mask[span], Bits::ones(component.width).limbs());
                    rule.add_prefix(component.kind, component.width);
                }
                FieldMatch::Lpm { value, prefix_bits } => {
                    limbs::copy(&mut rule.value[span.clone()], value.limbs());
                    limbs::copy(&mut rule.mask[span], prefix_mask(component.width, *prefix_bits).limbs());
                    rule.add_prefix(component.kind, *prefix_bits);
                }
                FieldMatch::Ternary { value, mask } => {
                    limbs::copy(&mut rule.value[span.clone()], value.limbs());
                    limbs::copy(&mut rule.mask[span], mask.limbs());
                }
                FieldMatch::Range { low, high } => {
                    let value = |bits: &Bits| {
                        let mut limbs = vec![0; component.limbs()];
                        limbs::copy(&mut limbs, bits.limbs());
                        limbs
                    };
                    rule.ranges.push((index, value(low), value(high)));
                }
            }
        }
        if self.method == Method::Priority && !self.needs_priority() {
            // Several prefixes and no priority: the largest total number of prefix bits wins.
            rule.priority = rule.prefix_bits as i32;
        }
        rule
    }
}

impl Rule {
    fn add_prefix(&mut self, kind: MatchKind, bits: u32) {
        if kind == MatchKind::Lpm {
            self.prefix_bits += bits;
        }
    }
}

fn method(components: &[Component]) -> Method {
    let count = |kind| components.iter().filter(|c| c.kind == kind).count();
    match (count(MatchKind::Exact), count(MatchKind::Lpm)) {
        (exact, 0) if exact == components.len() => Method::Exact,
        (exact, 1) if exact + 1 == components.len() => Method::Lpm,
        _ => Method::Priority,
    }
}

/// Returns a mask of `bits` leading ones.
pub(crate) fn prefix_mask(width: u32, bits: u32) -> Bits {
    let mut limbs = vec![0; limbs::count(width)];
    limbs::fill_above(&mut limbs, width.saturating_sub(bits));
    Bits::from_limbs(width, limbs)
}

/// Returns the number of leading ones, if all other bits are zero.
fn prefix_length(mask: &Bits, width: u32) -> Option<u32> {
    let bits: u32 = mask.limbs().iter().map(|l| l.count_ones()).sum();
    (bits <= width && prefix_mask(width, bits).limbs() == mask.limbs()).then_some(bits)
}

impl Component {
    fn canonical(&self, wanted: &FieldMatch) -> Result<FieldMatch, ControlError> {
        let field = || format!("match {}", self.name);
        let fit = |bits: &Bits| fit(bits, self.width, &field());
        let mismatch = || {
            let kind = format!("{:?}", self.kind).to_lowercase();
            Err(ControlError::invalid(field(), format!("does not have the match kind of the key, {kind}")))
        };
        Ok(match (self.kind, wanted) {
            (MatchKind::Exact, FieldMatch::Exact(value)) => FieldMatch::Exact(fit(value)?),
            (MatchKind::Exact, FieldMatch::Any) => {
                return Err(ControlError::invalid(
                    field(),
                    "is missing; an exact component requires a value",
                ));
            }
            (
                MatchKind::Optional | MatchKind::Ternary | MatchKind::Lpm | MatchKind::Range,
                FieldMatch::Any,
            ) => FieldMatch::Any,
            (MatchKind::Optional, FieldMatch::Exact(value)) => FieldMatch::Exact(fit(value)?),
            (MatchKind::Lpm, FieldMatch::Lpm { value, prefix_bits }) => {
                self.lpm(fit(value)?, *prefix_bits)?
            }
            (MatchKind::Lpm, FieldMatch::Exact(value)) => self.lpm(fit(value)?, self.width)?,
            (MatchKind::Lpm, FieldMatch::Ternary { value, mask }) => {
                // Constant entries of the source express prefixes as masks.
                let Some(prefix_bits) = prefix_length(mask, self.width) else { return mismatch() };
                self.lpm(fit(value)?, prefix_bits)?
            }
            (MatchKind::Optional | MatchKind::Range, FieldMatch::Ternary { mask, .. }) if is_zero(mask) => {
                FieldMatch::Any
            }
            (MatchKind::Ternary, FieldMatch::Ternary { value, mask }) => {
                self.ternary(fit(value)?, fit(mask)?)?
            }
            (MatchKind::Ternary, FieldMatch::Exact(value)) => {
                self.ternary(fit(value)?, Bits::ones(self.width))?
            }
            (MatchKind::Range, FieldMatch::Range { low, high }) => self.range(fit(low)?, fit(high)?)?,
            (MatchKind::Range, FieldMatch::Exact(value)) => self.range(fit(value)?, fit(value)?)?,
            _ => return mismatch(),
        })
    }

    fn lpm(&self, value: Bits, prefix_bits: u32) -> Result<FieldMatch, ControlError> {
        let field = || format!("match {}", self.name);
        if prefix_bits > self.width {
            let reason = format!("the prefix has {prefix_bits} bits, but the component has {}", self.width);
            return Err(ControlError::invalid(field(), reason));
        }
        if prefix_bits == 0 && is_zero(&value) {
            return Ok(FieldMatch::Any);
        }
        if !within(&value, &prefix_mask(self.width, prefix_bits)) {
            return Err(ControlError::invalid(field(), "has bits beyond the prefix"));
        }
        Ok(FieldMatch::Lpm { value, prefix_bits })
    }

    fn ternary(&self, value: Bits, mask: Bits) -> Result<FieldMatch, ControlError> {
        if !within(&value, &mask) {
            let field = format!("match {}", self.name);
            return Err(ControlError::invalid(field, "has bits outside of the mask"));
        }
        Ok(if is_zero(&mask) { FieldMatch::Any } else { FieldMatch::Ternary { value, mask } })
    }

    fn range(&self, low: Bits, high: Bits) -> Result<FieldMatch, ControlError> {
        if limbs::compare(low.limbs(), high.limbs()).is_gt() {
            return Err(ControlError::invalid(
                format!("match {}", self.name),
                "the low value is greater than the high value",
            ));
        }
        let full = is_zero(&low) && high == Bits::ones(self.width);
        Ok(if full { FieldMatch::Any } else { FieldMatch::Range { low, high } })
    }
}

fn is_zero(bits: &Bits) -> bool {
    bits.limbs().iter().all(|l| *l == 0)
}

fn within(value: &Bits, mask: &Bits) -> bool {
    value.limbs().iter().zip(mask.limbs()).all(|(v, m)| v & !m == 0)
}

/// Converts a value to `width` bits if it fits.
pub(crate) fn fit(bits: &Bits, width: u32, field: &str) -> Result<Bits, ControlError> {
    if bits.width() == width {
        return Ok(bits.clone());
    }
    let narrowed = Bits::from_limbs(width, bits.limbs().to_vec());
    if limbs::compare(narrowed.limbs(), bits.limbs()).is_ne() {
        return Err(ControlError::invalid(field, format!("the value does not fit into {width} bits")));
    }
    Ok(narrowed)
}
