//! The layout of a program's scalars in a flat frame of 64-bit limbs.
//!
//! ```text
//! | carried: headers, metadata | locals | temporaries | constants |
//! ```
//! The scalars of a header are consecutive, validity first, so a header is copied in one operation. A varbit is
//! followed by one more limb, its current length in bits. After the headers, each header has a limb for the position
//! in the packet where it was extracted.

use p4_lang::ir::{HeaderId, Program, ScalarId, ScalarKind, StackElements, StackId, Storage};

use crate::error::LoadError;
use crate::limbs;
use crate::machine::Field;

/// Position and type of a value in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// First limb.
    pub(crate) at: u32,
    pub(crate) kind: ScalarKind,
}

impl Slot {
    pub(crate) fn width(self) -> u32 {
        self.kind.width()
    }

    /// Number of limbs of the value.
    pub(crate) fn limbs(self) -> u32 {
        limbs::count(self.width()) as u32
    }

    /// Number of limbs of the value and its length.
    pub(crate) fn cells(self) -> u32 {
        cells(self.kind)
    }

    pub(crate) fn is_varbit(self) -> bool {
        matches!(self.kind, ScalarKind::Varbit(_))
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self.kind, ScalarKind::Signed(_))
    }

    /// Returns the limbs of the value.
    pub(crate) fn of(self, frame: &[u64]) -> &[u64] {
        &frame[self.at as usize..(self.at + self.limbs()) as usize]
    }
}

fn cells(kind: ScalarKind) -> u32 {
    limbs::count(kind.width()) as u32 + u32::from(matches!(kind, ScalarKind::Varbit(_)))
}

/// Layout of a header in the frame.
#[derive(Clone, Debug)]
pub(crate) struct HeaderLayout {
    /// Limb of the validity bit; the fields follow.
    pub(crate) valid: u32,
    /// Number of limbs of all fields.
    pub(crate) cells: u32,
    pub(crate) fields: Vec<FieldLayout>,
    /// Total width of the fields with a fixed width, in bits.
    pub(crate) fixed_bits: u32,
    /// Index of the varbit field.
    pub(crate) varbit: Option<usize>,
    /// Validity limbs of the other members of its union.
    pub(crate) siblings: Vec<u32>,
    /// Limb of the position where the header was extracted; unused for headers that are locals.
    pub(crate) origin: u32,
}

/// Layout of a field on the wire and in the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldLayout {
    pub(crate) slot: Slot,
    /// Offset in the header in bits, without varbit fields.
    pub(crate) bit_offset: u32,
}

/// The fields of `standard_metadata` that the architecture reads or writes, if declared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standard([Option<Slot>; Field::ALL.len()]);

impl Standard {
    /// Returns the slot of a field, if the program declares it and it is used.
    pub(crate) fn slot(&self, field: Field) -> Option<Slot> {
        self.0[field as usize]
    }

    /// Marks a field as unused, so that it need not be set.
    pub(crate) fn forget(&mut self, field: Field) {
        self.0[field as usize] = None;
    }
}

/// Layout of a header stack.
#[derive(Clone, Debug)]
pub(crate) struct StackLayout {
    pub(crate) next_index: Slot,
    /// The members of each element (one, unless the elements are unions).
    pub(crate) elements: Vec<Vec<HeaderId>>,
}

/// Layout of the frame without temporaries and constants.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    scalars: Vec<Slot>,
    pub(crate) headers: Vec<HeaderLayout>,
    pub(crate) stacks: Vec<StackLayout>,
    pub(crate) standard: Standard,
    /// Number of limbs that are kept for the lifetime of the packet.
    pub(crate) carried: u32,
    /// First limb of the carried scalars that are not part of a header.
    pub(crate) metadata_at: u32,
    /// Number of limbs of carried scalars and locals.
    pub(crate) total: u32,
}

pub(crate) fn malformed<T>(place: impl Into<String>, what: impl Into<String>) -> Result<T, LoadError> {
    Err(LoadError::Malformed { place: place.into(), what: what.into() })
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Result<Layout, LoadError> {
        let storage = &program.storage;
        let mut allocator = Allocator::new(storage);
        for carried in [true, false] {
            allocator.place_headers(storage, carried)?;
            if carried {
                // The origins of all headers follow the headers.
                allocator.origins_at = allocator.next;
                allocator.next += storage.headers.len() as u32;
                allocator.metadata_at = allocator.next;
            }
            allocator.place_rest(storage, carried);
            if carried {
                allocator.carried = allocator.next;
            }
        }
        let scalars: Vec<Slot> = storage
            .scalars
            .iter()
            .zip(&allocator.at)
            .map(|(scalar, at)| Slot { at: at.unwrap_or(0), kind: scalar.kind })
            .collect();
        let mut layout = Layout {
            scalars,
            headers: Vec::new(),
            stacks: Vec::new(),
            standard: Standard::default(),
            carried: allocator.carried,
            metadata_at: allocator.metadata_at,
            total: allocator.next,
        };
        layout.headers = (allocator.origins_at..)
            .zip(&storage.headers)
            .map(|(origin, h)| layout.header_layout(storage, h, origin))
            .collect::<Result<_, _>>()?;
        layout.stacks =
            storage.stacks.iter().map(|s| layout.stack_layout(storage, s)).collect::<Result<_, _>>()?;
        layout.standard = layout.standard(storage)?;
        Ok(layout)
    }

    /// For each limb that is kept for the lifetime of the packet: the number of bits that its values have at most.
    pub(crate) fn widths(&self) -> Vec<u8> {
        // Origins are positions in a frame, which has fewer than 2^33 bytes.
        let mut widths = vec![36; self.carried as usize];
        for slot in &self.scalars {
            let limbs = widths.iter_mut().skip(slot.at as usize).take(slot.cells() as usize);
            for (limb, width) in (0..).zip(limbs) {
                *width = match slot.width().saturating_sub(64 * limb) {
                    // The limb after a varbit holds its length.
                    0 => 32,
                    bits => bits.min(64) as u8,
                };
            }
        }
        widths
    }

    pub(crate) fn scalar(&self, id: ScalarId) -> Result<Slot, LoadError> {
        match self.scalars.get(id.index()) {
            Some(slot) => Ok(*slot),
            None => malformed("storage", format!("scalar {} does not exist", id.0)),
        }
    }

    pub(crate) fn header(&self, id: HeaderId) -> Result<&HeaderLayout, LoadError> {
        match self.headers.get(id.index()) {
            Some(header) => Ok(header),
            None => malformed("storage", format!("header {} does not exist", id.0)),
        }
    }

    pub(crate) fn stack(&self, id: StackId) -> Result<&StackLayout, LoadError> {
        match self.stacks.get(id.index()) {
            Some(stack) => Ok(stack),
            None => malformed("storage", format!("stack {} does not exist", id.0)),
        }
    }

    fn header_layout(
        &self,
        storage: &Storage,
        header: &p4_lang::ir::Header,
        origin: u32,
    ) -> Result<HeaderLayout, LoadError> {
        let valid = self.scalar(header.valid)?.at;
        let mut made = HeaderLayout {
            valid,
            cells: 0,
            fields: Vec::with_capacity(header.fields.len()),
            fixed_bits: 0,
            varbit: None,
            siblings: Vec::new(),
            origin,
        };
        for (index, id) in header.fields.iter().enumerate() {
            let slot = self.scalar(*id)?;
            made.fields.push(FieldLayout { slot, bit_offset: made.fixed_bits });
            made.cells += slot.cells();
            match (slot.is_varbit(), made.varbit) {
                (false, _) => made.fixed_bits += slot.width(),
                (true, None) => made.varbit = Some(index),
                (true, Some(_)) => return malformed(&header.name, "has more than one varbit field"),
            }
        }
        if let Some(union) = header.union {
            let Some(union) = storage.unions.get(union.index()) else {
                return malformed(&header.name, "its union does not exist");
            };
            for member in &union.members {
                let Some(other) = storage.headers.get(member.index()) else {
                    return malformed(&union.name, "a member does not exist");
                };
                if other.valid != header.valid {
                    made.siblings.push(self.scalar(other.valid)?.at);
                }
            }
        }
        Ok(made)
    }

    fn stack_layout(&self, storage: &Storage, stack: &p4_lang::ir::Stack) -> Result<StackLayout, LoadError> {
        let elements: Vec<Vec<HeaderId>> = match &stack.elements {
            StackElements::Headers(headers) => headers.iter().map(|h| vec![*h]).collect(),
            StackElements::Unions(unions) => {
                let members = unions.iter().map(|u| storage.unions.get(u.index()).map(|u| u.members.clone()));
                match members.collect::<Option<Vec<_>>>() {
                    Some(members) => members,
                    None => return malformed(&stack.name, "an element does not exist"),
                }
            }
        };
        for element in &elements {
            let first = elements.first().unwrap_or(element);
            let same = element.len() == first.len()
                && element.iter().zip(first).all(|(a, b)| self.same_shape(*a, *b).unwrap_or(false));
            if !same {
                return malformed(&stack.name, "its elements are not of one type");
            }
        }
        Ok(StackLayout { next_index: self.scalar(stack.next_index)?, elements })
    }

    /// Whether two headers have the same fields.
    pub(crate) fn same_shape(&self, a: HeaderId, b: HeaderId) -> Result<bool, LoadError> {
        let kinds = |id| Ok(self.header(id)?.fields.iter().map(|f| f.slot.kind).collect::<Vec<_>>());
        Ok::<_, LoadError>(kinds(a)? == kinds(b)?)
    }

    fn standard(&self, storage: &Storage) -> Result<Standard, LoadError> {
        let mut made = Standard::default();
        for field in Field::ALL {
            let name = field.name();
            let Some(id) = storage.standard_metadata.get(name) else { continue };
            let slot = self.scalar(*id)?;
            if slot.limbs() != 1 || slot.is_varbit() {
                return malformed(format!("standard_metadata.{name}"), "is wider than 64 bits");
            }
            made.0[*field as usize] = Some(slot);
        }
        Ok(made)
    }
}

/// Allocates the limbs of all scalars.
struct Allocator {
    at: Vec<Option<u32>>,
    next: u32,
    carried: u32,
    metadata_at: u32,
    origins_at: u32,
}

impl Allocator {
    fn new(storage: &Storage) -> Allocator {
        Allocator {
            at: vec![None; storage.scalars.len()],
            next: 0,
            carried: 0,
            metadata_at: 0,
            origins_at: 0,
        }
    }

    fn place_headers(&mut self, storage: &Storage, carried: bool) -> Result<(), LoadError> {
        let is_carried = |id: ScalarId| id.0 < storage.carried;
        for header in storage.headers.iter().filter(|h| is_carried(h.valid) == carried) {
            for id in std::iter::once(&header.valid).chain(&header.fields) {
                let Some(scalar) = storage.scalars.get(id.index()) else {
                    return malformed(&header.name, format!("scalar {} does not exist", id.0));
                };
                if is_carried(*id) != carried {
                    return malformed(&header.name, "only some of its fields are carried with the packet");
                }
                if self.at[id.index()].is_some() {
                    return malformed(
                        &header.name,
                        format!("{} also belongs to another header", scalar.name),
                    );
                }
                self.place(*id, scalar.kind);
            }
        }
        Ok(())
    }

    fn place_rest(&mut self, storage: &Storage, carried: bool) {
        for (index, scalar) in storage.scalars.iter().enumerate() {
            let id = ScalarId(index as u32);
            if (id.0 < storage.carried) == carried && self.at[index].is_none() {
                self.place(id, scalar.kind);
            }
        }
    }

    fn place(&mut self, id: ScalarId, kind: ScalarKind) {
        self.at[id.index()] = Some(self.next);
        self.next += cells(kind);
    }
}
