//! Values that differ between ranks. Ranks that take the same way through a meta-program are executed together, with a vector in
//! place of each number that depends on the rank; where their ways part, they are executed again in parts (see [`RankSets`]).
//!
//! Vectors are numbered, and equal ones have one number. So values are compared in no time, and an operation on vectors that was
//! executed in an earlier iteration is looked up: an iteration on all ranks takes about as long as on one.

use crate::fault::{Fault, Span};
use crate::syntax::{BinaryOperator, Function, UnaryOperator};
use crate::value::{self, Value};
use base_data::hashing::NumberMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most values of all vectors of a set of ranks: 128 MiB. With more, ranks are executed one by one, which stores less.
const MOST_VALUES: usize = 1 << 24;

/// Sets of ranks that are still to be executed.
pub(crate) struct RankSets {
    /// By first rank, in ascending order.
    open: BTreeMap<u32, Vec<u32>>,
    /// Steps of the common executions that ended without a result.
    lost: u64,
}

/// The end of a common execution, at which ranks part.
pub(crate) struct Parting {
    pub(crate) parts: Vec<Vec<u32>>,
    /// Statements until there, which every rank executes.
    pub(crate) steps: u64,
    /// The same with the operations on vectors.
    pub(crate) lost: u64,
}

impl RankSets {
    /// Begins with some sets.
    pub(crate) fn of(sets: Vec<Vec<u32>>) -> Self {
        let mut open = BTreeMap::new();
        for ranks in sets {
            if let Some(&first) = ranks.first() {
                open.insert(first, ranks);
            }
        }
        Self { open, lost: 0 }
    }

    /// The set of the lowest rank: so the first error is that of the lowest rank that has one.
    pub(crate) fn next(&mut self) -> Option<Vec<u32>> {
        self.open.pop_first().map(|(_, ranks)| ranks)
    }

    /// Adds the parts of a set.
    pub(crate) fn part(&mut self, parting: Parting) {
        self.open.extend(Self::of(parting.parts).open);
        self.lost += parting.lost;
        // If ranks part again and again, as with `IF ID == k` in a loop, it is faster to execute them one by one. That takes
        // this long at least, so all lost steps together take no longer than what must be done anyway.
        let ranks: usize = self.open.values().map(Vec::len).sum();
        if self.lost > parting.steps.saturating_mul(ranks as u64) {
            let ranks = std::mem::take(&mut self.open).into_values().flatten();
            self.open = ranks.map(|rank| (rank, vec![rank])).collect();
        }
    }
}

/// An operation on values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    Function(Function),
}

impl Operation {
    fn apply<'p>(self, operands: &[Value<'p>], span: Span) -> Result<Value<'p>, Fault> {
        match (self, operands) {
            (Self::Unary(operator), [operand]) => value::unary(operator, operand, span),
            (Self::Binary(operator), [left, right]) => value::binary(operator, left, right, span),
            (Self::Function(function), arguments) => value::function(function, arguments, span),
            (Self::Unary(_) | Self::Binary(_), _) => Err(Fault::new(span, "an operand is missing")),
        }
    }
}

/// A conversion of numbers to what a message needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Conversion {
    Bytes,
    Rank,
    Tag,
}

/// A number of a vector. Numbers of different sets of ranks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VectorId(pub(crate) u32);

/// Operators and functions have at most so many operands.
const MOST_OPERANDS: usize = 2;

/// An operand of an operation whose result is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// There is no such operand.
    None,
    Number(u64),
    Vector(VectorId),
}

/// The ranks that are executed together, and their vectors.
#[derive(Default)]
pub(crate) struct RankVectors {
    /// In ascending order.
    ranks: Vec<u32>,
    /// Number of this set of ranks.
    pub(crate) set: u32,
    /// Number of its first vector.
    first: u32,
    vectors: Vec<Rc<[f64]>>,
    numbers: NumberMap<Vec<u64>, VectorId>,
    results: NumberMap<(Operation, [Key; MOST_OPERANDS]), VectorId>,
    conversions: NumberMap<(Conversion, VectorId), VectorId>,
    /// Numbers that were computed for vectors of this set.
    pub(crate) computed: u64,
    /// The vector of the ranks themselves.
    own_numbers: Option<VectorId>,
}

impl RankVectors {
    /// Begins another set of ranks.
    pub(crate) fn begin(&mut self, ranks: Vec<u32>) {
        self.set += 1;
        self.first += self.vectors.len() as u32;
        self.vectors.clear();
        self.numbers.clear();
        self.results.clear();
        self.conversions.clear();
        self.own_numbers = None;
        self.computed = 0;
        self.ranks = ranks;
    }

    /// The number of the rank.
    pub(crate) fn rank<'p>(&mut self) -> Result<Value<'p>, Fault> {
        if let Some(number) = self.own_numbers {
            return Ok(Value::ByRank(number));
        }
        let value = self.of(self.ranks.iter().map(|&rank| f64::from(rank)).collect())?;
        if let Value::ByRank(number) = value {
            self.own_numbers = Some(number);
        }
        Ok(value)
    }

    /// The value of each rank, if all have one.
    pub(crate) fn of_each<'p>(
        &mut self,
        value: impl Fn(u32) -> Option<f64>,
    ) -> Result<Option<Value<'p>>, Fault> {
        let values: Vec<Option<f64>> = self.ranks.iter().map(|&rank| value(rank)).collect();
        let known: Vec<f64> = values.iter().copied().flatten().collect();
        if known.is_empty() {
            return Ok(None);
        }
        if known.len() < values.len() {
            let has_value = |value: &Option<f64>| u64::from(value.is_some());
            return Err(self.parted(values.iter().map(has_value)));
        }
        self.of(known).map(Some)
    }

    /// Values by rank as a value.
    fn of<'p>(&mut self, values: Vec<f64>) -> Result<Value<'p>, Fault> {
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        if let [first, rest @ ..] = &bits[..]
            && rest.iter().all(|other| other == first)
        {
            return Ok(Value::Number(values[0]));
        }
        if let Some(&number) = self.numbers.get(&bits) {
            return Ok(Value::ByRank(number));
        }
        if (self.vectors.len() + 1) * self.ranks.len() > MOST_VALUES {
            return Err(self.parted(0..self.ranks.len() as u64));
        }
        let number = VectorId(self.first + self.vectors.len() as u32);
        self.vectors.push(values.into());
        self.numbers.insert(bits, number);
        Ok(Value::ByRank(number))
    }

    /// The values of a vector, by position in the set.
    pub(crate) fn values(&self, number: VectorId) -> Rc<[f64]> {
        let place = number.0.wrapping_sub(self.first) as usize;
        self.vectors.get(place).cloned().unwrap_or_default()
    }

    /// The ranks in parts of equal labels: no error, but the end of their common execution.
    fn parted(&self, labels: impl IntoIterator<Item = u64>) -> Fault {
        let mut parts: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (label, &rank) in labels.into_iter().zip(&self.ranks) {
            parts.entry(label).or_default().push(rank);
        }
        Fault::parted(parts.into_values().collect())
    }

    /// Lets ranks of different values be executed apart.
    pub(crate) fn part(&self, number: VectorId) -> Fault {
        self.parted(self.values(number).iter().map(|value| value.to_bits()))
    }

    /// The value of an operation.
    pub(crate) fn apply<'p>(
        &mut self,
        operation: Operation,
        operands: &[Value<'p>],
        span: Span,
    ) -> Result<Value<'p>, Fault> {
        let is_vector = |value: &Value<'_>| matches!(value, Value::ByRank(_));
        if !operands.iter().any(is_vector) {
            return operation.apply(operands, span);
        }
        let key = keys(operands).map(|keys| (operation, keys));
        if let Some(key) = &key
            && let Some(&known) = self.results.get(key)
        {
            return Ok(Value::ByRank(known));
        }
        let vectors: Vec<Option<Rc<[f64]>>> = operands
            .iter()
            .map(|operand| match operand {
                Value::ByRank(number) => Some(self.values(*number)),
                _ => None,
            })
            .collect();
        let mut own = operands.to_vec();
        let mut results = Vec::with_capacity(self.ranks.len());
        for position in 0..self.ranks.len() {
            for (operand, vector) in own.iter_mut().zip(&vectors) {
                if let Some(vector) = vector {
                    *operand = Value::Number(vector[position]);
                }
            }
            results.push(operation.apply(&own, span));
        }
        let value = self.joined(results)?;
        if let (Some(key), Value::ByRank(number)) = (key, &value) {
            self.results.insert(key, *number);
        }
        Ok(value)
    }

    /// The results of all ranks as one.
    fn joined<'p>(&mut self, results: Vec<Result<Value<'p>, Fault>>) -> Result<Value<'p>, Fault> {
        self.computed += results.len() as u64;
        // What kind of result it is: ranks go on together if they have numbers, or the same result.
        let label = |result: &Result<Value<'p>, Fault>| match result {
            Ok(Value::Number(_)) => 0,
            Ok(Value::Truth(truth)) => 1 + u64::from(*truth),
            Ok(_) => 3,
            Err(_) => 4,
        };
        let labels: Vec<u64> = results.iter().map(label).collect();
        if labels.iter().any(|other| *other != labels[0]) {
            return Err(self.parted(labels));
        }
        let mut numbers = Vec::with_capacity(results.len());
        for result in results {
            match result {
                Ok(Value::Number(number)) => numbers.push(number),
                // The same on all ranks, or the error of the first one.
                other => return other,
            }
        }
        self.of(numbers)
    }

    /// Converts a vector, number by number.
    pub(crate) fn convert(
        &mut self,
        conversion: Conversion,
        number: VectorId,
        convert: impl Fn(f64, u32) -> Result<f64, Fault>,
    ) -> Result<Value<'static>, Fault> {
        if let Some(&known) = self.conversions.get(&(conversion, number)) {
            return Ok(Value::ByRank(known));
        }
        let values = self.values(number);
        let pairs = values.iter().zip(&self.ranks);
        let results = pairs.map(|(&value, &rank)| convert(value, rank).map(Value::Number));
        let results = results.collect();
        let value = self.joined(results)?;
        if let Value::ByRank(result) = value {
            self.conversions.insert((conversion, number), result);
        }
        Ok(value)
    }
}

/// The operands as a key; `None` if one is neither number nor vector.
fn keys(operands: &[Value<'_>]) -> Option<[Key; MOST_OPERANDS]> {
    let mut keys = [Key::None; MOST_OPERANDS];
    for (place, operand) in operands.iter().enumerate() {
        *keys.get_mut(place)? = match operand {
            Value::Number(number) => Key::Number(number.to_bits()),
            Value::ByRank(number) => Key::Vector(*number),
            _ => return None,
        };
    }
    Some(keys)
}
