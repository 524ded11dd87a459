//! `P4Data` of register elements and digests: conversion between the protocol's values and the switch's scalars.
//!
//! Source: P4Runtime specification, "Representation of Arbitrary P4 Types".

use crate::bytestring;
use crate::error::Refusal;
use crate::proto::p4::v1::{self, p4_data::Data};
use p4_lang::ir::{Bits, ControlTypes, DataType, Program, ScalarKind};

/// Maximum nesting of types. P4 types cannot be recursive; the limit guards against a malformed type description when
/// the pipeline is set.
const NESTING: u32 = 64;

/// The structure of a type's values on the wire and as scalars.
#[derive(Clone, Debug)]
pub(crate) struct Codec {
    shape: Shape,
    kinds: Vec<ScalarKind>,
}

#[derive(Clone, Debug)]
enum Shape {
    Bits,
    Bool,
    /// Names of the members of a plain enum.
    Enum(Vec<String>),
    /// Names of the errors.
    Error(Vec<String>),
    Serializable,
    Struct(Vec<Shape>),
    Tuple(Vec<Shape>),
    Header {
        fields: usize,
        /// Whether the first scalar is the validity bit.
        validity: bool,
    },
    Stack(Vec<Shape>),
}

impl Codec {
    /// Creates the codec of a type with the scalars `kinds`; a type without description is a bit string or a struct.
    pub(crate) fn new(program: &Program, ty: Option<&DataType>, kinds: &[ScalarKind], named: bool) -> Codec {
        let described = ty.and_then(|ty| {
            let shapes = [true, false].map(|validity| shape(program, ty, validity, 0));
            shapes.into_iter().flatten().find(|shape| shape.leaves() == kinds.len())
        });
        let shape = described.unwrap_or_else(|| match (kinds, named) {
            ([_], false) => Shape::Bits,
            (kinds, true) => Shape::Struct(vec![Shape::Bits; kinds.len()]),
            (kinds, false) => Shape::Tuple(vec![Shape::Bits; kinds.len()]),
        });
        Codec { shape, kinds: kinds.to_vec() }
    }

    /// Whether an element is a single unsigned bit string, whose limbs can be copied.
    pub(crate) fn is_plain(&self) -> bool {
        matches!((&self.shape, self.kinds.as_slice()), (Shape::Bits, [ScalarKind::Unsigned(_)]))
    }

    /// Encodes scalars as `P4Data`.
    pub(crate) fn encode(&self, values: &[Bits]) -> v1::P4Data {
        let mut scalars = values.iter().zip(&self.kinds);
        v1::P4Data { data: encode(&self.shape, &mut scalars) }
    }

    /// Encodes a register element, whose components occupy whole limbs, as `P4Data`.
    pub(crate) fn encode_limbs(&self, element: &[u64]) -> v1::P4Data {
        if self.is_plain() {
            return v1::P4Data { data: Some(Data::Bitstring(canonical_limbs(element))) };
        }
        let mut rest = element;
        let values: Vec<Bits> = self
            .kinds
            .iter()
            .map(|kind| {
                let (limbs, others) = rest.split_at((kind.width().div_ceil(64) as usize).min(rest.len()));
                rest = others;
                Bits::from_limbs(kind.width(), limbs.to_vec())
            })
            .collect();
        self.encode(&values)
    }

    /// Decodes `P4Data` to scalars.
    pub(crate) fn decode(&self, data: &v1::P4Data) -> Result<Vec<Bits>, Refusal> {
        let mut values = Vec::with_capacity(self.kinds.len());
        decode(&self.shape, data.data.as_ref(), &self.kinds, &mut values)?;
        Ok(values)
    }
}

/// The canonical byte string of little-endian limbs.
fn canonical_limbs(limbs: &[u64]) -> Vec<u8> {
    match limbs {
        [value] => bytestring::encode_u64(*value),
        limbs => {
            let bytes: Vec<u8> = limbs.iter().rev().flat_map(|limb| limb.to_be_bytes()).collect();
            bytestring::canonical(&bytes).to_vec()
        }
    }
}

fn shape(program: &Program, ty: &DataType, validity: bool, depth: u32) -> Option<Shape> {
    if depth > NESTING {
        return None;
    }
    let types: &ControlTypes = &program.types;
    let inner = |ty: &DataType| shape(program, ty, validity, depth + 1);
    Some(match ty {
        DataType::Bit(_) | DataType::Int(_) | DataType::Varbit(_) => Shape::Bits,
        DataType::Bool => Shape::Bool,
        DataType::Error => Shape::Error(program.errors.clone()),
        DataType::Enum(name) => Shape::Enum(types.enums.get(name)?.clone()),
        DataType::SerializableEnum(_) => Shape::Serializable,
        DataType::New(name) => inner(&types.new_types.get(name)?.original)?,
        DataType::Tuple(members) => Shape::Tuple(members.iter().map(inner).collect::<Option<_>>()?),
        DataType::Struct(name) => {
            Shape::Struct(types.structs.get(name)?.iter().map(|(_, ty)| inner(ty)).collect::<Option<_>>()?)
        }
        DataType::Header(name) => Shape::Header { fields: types.headers.get(name)?.len(), validity },
        DataType::HeaderStack { header, size } => {
            let fields = types.headers.get(header)?.len();
            Shape::Stack(vec![Shape::Header { fields, validity }; *size as usize])
        }
        // v1model allows neither in registers nor in digests.
        DataType::HeaderUnion(_) | DataType::HeaderUnionStack { .. } => return None,
    })
}

impl Shape {
    /// Scalars of a value.
    fn leaves(&self) -> usize {
        match self {
            Shape::Struct(members) | Shape::Tuple(members) | Shape::Stack(members) => {
                members.iter().map(Shape::leaves).sum()
            }
            Shape::Header { fields, validity } => fields + usize::from(*validity),
            _ => 1,
        }
    }
}

type Scalars<'a> = std::iter::Zip<std::slice::Iter<'a, Bits>, std::slice::Iter<'a, ScalarKind>>;

fn encode(shape: &Shape, scalars: &mut Scalars<'_>) -> Option<Data> {
    let members = |shapes: &[Shape], scalars: &mut Scalars<'_>| v1::P4StructLike {
        members: shapes.iter().map(|shape| v1::P4Data { data: encode(shape, scalars) }).collect(),
    };
    Some(match shape {
        Shape::Struct(shapes) => Data::Struct(members(shapes, scalars)),
        Shape::Tuple(shapes) => Data::Tuple(members(shapes, scalars)),
        Shape::Header { .. } => Data::Header(encode_header(shape, scalars)),
        Shape::Stack(shapes) => Data::HeaderStack(v1::P4HeaderStack {
            entries: shapes.iter().map(|shape| encode_header(shape, scalars)).collect(),
        }),
        leaf => {
            let (bits, kind) = scalars.next()?;
            let number = bits.to_u128().unwrap_or(u128::MAX);
            let name = |names: &[String]| names.get(number as usize).cloned().unwrap_or_default();
            match leaf {
                Shape::Bool => Data::Bool(number != 0),
                Shape::Enum(names) => Data::Enum(name(names)),
                Shape::Error(names) => Data::Error(name(names)),
                Shape::Serializable => Data::EnumValue(bytestring::encode(bits)),
                _ => match kind {
                    ScalarKind::Varbit(_) => Data::Varbit(v1::P4Varbit {
                        bitstring: bytestring::encode(bits),
                        bitwidth: bits.width() as i32,
                    }),
                    kind => Data::Bitstring(bytestring::encode_kind(bits, *kind)),
                },
            }
        }
    })
}

fn encode_header(shape: &Shape, scalars: &mut Scalars<'_>) -> v1::P4Header {
    let Shape::Header { fields, validity } = shape else { return v1::P4Header::default() };
    let is_valid = match validity {
        true => scalars.next().is_some_and(|(bits, _)| bits.to_u128() == Some(1)),
        false => true,
    };
    let bitstrings: Vec<Vec<u8>> =
        scalars.by_ref().take(*fields).map(|(bits, kind)| bytestring::encode_kind(bits, *kind)).collect();
    v1::P4Header { is_valid, bitstrings: if is_valid { bitstrings } else { Vec::new() } }
}

fn decode(
    shape: &Shape,
    data: Option<&Data>,
    kinds: &[ScalarKind],
    out: &mut Vec<Bits>,
) -> Result<(), Refusal> {
    let kind = kinds.get(out.len()).copied().unwrap_or(ScalarKind::Unsigned(0));
    match (shape, data) {
        (Shape::Bits, Some(Data::Bitstring(bytes))) => out.push(bytestring::decode_kind(bytes, kind)?),
        (Shape::Bits, Some(Data::Varbit(value))) => out.push(decode_varbit(value, kind)?),
        (Shape::Bool, Some(Data::Bool(value))) => out.push(Bits::new(kind.width(), u128::from(*value))),
        (Shape::Serializable, Some(Data::EnumValue(bytes))) => {
            out.push(bytestring::decode_kind(bytes, kind)?)
        }
        (Shape::Enum(names), Some(Data::Enum(name))) | (Shape::Error(names), Some(Data::Error(name))) => {
            let number = names.iter().position(|known| known == name);
            let number =
                number.ok_or_else(|| Refusal::invalid(format!("data: there is no member {name}")))?;
            out.push(Bits::new(kind.width(), number as u128));
        }
        (Shape::Struct(shapes), Some(Data::Struct(value)))
        | (Shape::Tuple(shapes), Some(Data::Tuple(value))) => {
            expect_members(shapes.len(), value.members.len())?;
            for (shape, member) in shapes.iter().zip(&value.members) {
                decode(shape, member.data.as_ref(), kinds, out)?;
            }
        }
        (Shape::Header { .. }, Some(Data::Header(header))) => decode_header(shape, header, kinds, out)?,
        (Shape::Stack(shapes), Some(Data::HeaderStack(stack))) => {
            expect_members(shapes.len(), stack.entries.len())?;
            for (shape, header) in shapes.iter().zip(&stack.entries) {
                decode_header(shape, header, kinds, out)?;
            }
        }
        (shape, Some(_)) => {
            return Err(Refusal::invalid(format!("data: {} was expected", shape.name())));
        }
        (shape, None) => {
            return Err(Refusal::invalid(format!("data: is not set; {} was expected", shape.name())));
        }
    }
    Ok(())
}

fn decode_varbit(value: &v1::P4Varbit, kind: ScalarKind) -> Result<Bits, Refusal> {
    let ScalarKind::Varbit(most) = kind else {
        return Err(Refusal::invalid("data: a bit string was expected, not a varbit"));
    };
    match u32::try_from(value.bitwidth) {
        Ok(width) if width <= most => Ok(bytestring::decode(&value.bitstring, width)?),
        _ => Err(Refusal::out_of_range(format!("data: a varbit of up to {most} bits was expected"))),
    }
}

fn decode_header(
    shape: &Shape,
    header: &v1::P4Header,
    kinds: &[ScalarKind],
    out: &mut Vec<Bits>,
) -> Result<(), Refusal> {
    let Shape::Header { fields, validity } = shape else { return Ok(()) };
    if *validity {
        out.push(Bits::new(1, u128::from(header.is_valid)));
    }
    if header.is_valid {
        expect_members(*fields, header.bitstrings.len())?;
    }
    for field in 0..*fields {
        let kind = kinds.get(out.len()).copied().unwrap_or(ScalarKind::Unsigned(0));
        out.push(match header.bitstrings.get(field) {
            Some(bytes) => bytestring::decode_kind(bytes, kind)?,
            None => Bits::new(kind.width(), 0),
        });
    }
    Ok(())
}

fn expect_members(expected: usize, given: usize) -> Result<(), Refusal> {
    if expected == given {
        return Ok(());
    }
    Err(Refusal::invalid(format!("data: {expected} members were expected, {given} are given")))
}

impl Shape {
    fn name(&self) -> &'static str {
        match self {
            Shape::Bits => "a bit string",
            Shape::Bool => "a bool",
            Shape::Enum(_) => "an enum",
            Shape::Error(_) => "an error",
            Shape::Serializable => "an enum value",
            Shape::Struct(_) => "a struct",
            Shape::Tuple(_) => "a tuple",
            Shape::Header { .. } => "a header",
            Shape::Stack(_) => "a header stack",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn program() -> Program {
        let mut program = Program { errors: vec!["NoError".into(), "NoMatch".into()], ..Program::default() };
        let types = &mut program.types;
        types.enums.insert("colour".into(), vec!["red".into(), "green".into()]);
        types.headers.insert("h".into(), vec![("f".into(), ScalarKind::Unsigned(9))]);
        let members = vec![
            ("a".to_string(), DataType::Bit(9)),
            ("b".to_string(), DataType::Bool),
            ("c".to_string(), DataType::Enum("colour".into())),
            ("d".to_string(), DataType::Error),
            ("e".to_string(), DataType::Tuple(vec![DataType::Int(12), DataType::Header("h".into())])),
        ];
        types.structs.insert("s".into(), members);
        program
    }

    fn kinds() -> Vec<ScalarKind> {
        use ScalarKind::{Signed, Unsigned};
        vec![Unsigned(9), Unsigned(1), Unsigned(32), Unsigned(32), Signed(12), Unsigned(1), Unsigned(9)]
    }

    proptest! {
        #[test]
        fn nested_values_round_trip(a in 0u128..512, b in 0u128..2, c in 0u128..2, d in 0u128..2, e in 0u128..4096) {
            let codec = Codec::new(&program(), Some(&DataType::Struct("s".into())), &kinds(), true);
            let numbers = [a, b, c, d, e, 1, a];
            let values: Vec<Bits> = numbers.iter().zip(kinds()).map(|(n, k)| Bits::new(k.width(), *n)).collect();
            let decoded = codec.decode(&codec.encode(&values)).expect("an encoded value decodes");
            prop_assert_eq!(decoded, values);
        }
    }

    #[test]
    fn values_of_another_shape_are_rejected() {
        let codec = Codec::new(&program(), Some(&DataType::Struct("s".into())), &kinds(), true);
        let check = |data: Option<Data>| codec.decode(&v1::P4Data { data }).expect_err("must be rejected");
        assert_eq!(check(None).code, tonic::Code::InvalidArgument);
        assert_eq!(check(Some(Data::Bitstring(vec![1]))).code, tonic::Code::InvalidArgument);
        assert_eq!(check(Some(Data::Struct(v1::P4StructLike::default()))).code, tonic::Code::InvalidArgument);
    }

    #[test]
    fn limbs_and_values_have_the_same_encoding() {
        let kinds = [ScalarKind::Unsigned(100)];
        let codec = Codec::new(&Program::default(), None, &kinds, false);
        assert!(codec.is_plain());
        for limbs in [[0, 0], [1, 0], [0, 1], [u64::MAX, 7]] {
            let bits = Bits::from_limbs(100, limbs.to_vec());
            assert_eq!(codec.encode_limbs(&limbs), codec.encode(&[bits]));
        }
    }
}
