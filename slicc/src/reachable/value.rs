//! Abstract values: what an expression may evaluate to, over all runs.

use std::rc::Rc;

use crate::compile::types::TypeId;

/// The values that an expression may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Any value, of any type.
    Any,
    /// One of these words, in ascending order: indices of enumerators, truth values or small numbers. Nothing if the code that
    /// computes it never runs.
    Of(Rc<[i64]>),
    /// A number of which the rest is known when it is divided by another.
    Residue {
        /// What remains of the number after division.
        rest: i64,
        /// The number by which it is divided.
        of: i64,
    },
    /// A number of a machine of one of these types, or a set of such machines: a bit for each type.
    Machines(u128),
    /// A pointer to an object that the controller keeps, or the object itself.
    Pointer(Pointer),
    /// The message that has this index in the environment.
    Message(usize),
}

/// What is known of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pointer {
    /// The type of the object; `None` if it is not known.
    pub of: Option<TypeId>,
    /// Whether it may be null.
    pub null: bool,
    /// Whether it may point to an object.
    pub valid: bool,
}

/// Whether a condition may hold, and whether it may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    /// It may be true.
    pub holds: bool,
    /// It may be false.
    pub fails: bool,
}

/// The truth of a condition of which nothing is known.
pub(super) const UNKNOWN: Truth = Truth { holds: true, fails: true };

impl Pointer {
    /// A pointer to an object of a type, or null.
    pub(super) fn any(of: Option<TypeId>) -> Pointer {
        Pointer { of, null: true, valid: true }
    }

    /// The null pointer.
    pub(super) fn null() -> Pointer {
        Pointer { of: None, null: true, valid: false }
    }

    /// A pointer to an object.
    pub(super) fn valid(of: Option<TypeId>) -> Pointer {
        Pointer { of, null: false, valid: true }
    }

    fn join(self, other: Pointer) -> Pointer {
        let of = match (self.of, other.of) {
            (None, of) if !self.valid => of,
            (of, None) if !other.valid => of,
            (of, other) if of == other => of,
            _ => None,
        };
        Pointer { of, null: self.null || other.null, valid: self.valid || other.valid }
    }
}

impl Value {
    /// Exactly this word.
    pub(super) fn word(word: i64) -> Value {
        Value::Of(Rc::new([word]))
    }

    /// No value: the code that computes it never runs.
    pub(super) fn nothing() -> Value {
        Value::Of(Rc::new([]))
    }

    /// One of these words.
    pub(super) fn words(words: impl IntoIterator<Item = i64>) -> Value {
        let mut words: Vec<i64> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup();
        Value::Of(words.into())
    }

    /// A truth value.
    pub(super) fn truth(truth: Truth) -> Value {
        match truth {
            Truth { holds: true, fails: true } => Value::Of(Rc::new([0, 1])),
            Truth { holds: true, fails: false } => Value::word(1),
            Truth { holds: false, fails: true } => Value::word(0),
            Truth { holds: false, fails: false } => Value::nothing(),
        }
    }

    /// The value as a condition.
    pub(super) fn as_truth(&self) -> Truth {
        match self {
            Value::Of(words) => {
                Truth { holds: words.iter().any(|&word| word != 0), fails: words.contains(&0) }
            }
            _ => UNKNOWN,
        }
    }

    /// The words, unless it may be any.
    pub(super) fn known(&self) -> Option<&[i64]> {
        match self {
            Value::Of(words) => Some(words),
            _ => None,
        }
    }

    /// The values of both.
    pub(super) fn join(&self, other: &Value) -> Value {
        match (self, other) {
            (one, two) if one == two => one.clone(),
            (Value::Of(none), other) | (other, Value::Of(none)) if none.is_empty() => other.clone(),
            (Value::Of(one), Value::Of(two)) => {
                if two.iter().all(|word| one.contains(word)) {
                    return self.clone();
                }
                Value::words(one.iter().chain(two.iter()).copied())
            }
            (Value::Pointer(one), Value::Pointer(two)) => Value::Pointer(one.join(*two)),
            (Value::Machines(one), Value::Machines(two)) => Value::Machines(one | two),
            _ => Value::Any,
        }
    }

    /// The values that both may have.
    pub(super) fn meet(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Any, Value::Of(words)) => Value::Of(words.clone()),
            (Value::Any, Value::Machines(kinds)) => Value::Machines(*kinds),
            (Value::Machines(one), Value::Machines(two)) => Value::Machines(one & two),
            (Value::Of(one), Value::Of(two)) => {
                Value::words(one.iter().filter(|word| two.contains(word)).copied())
            }
            _ => self.clone(),
        }
    }

    /// The values other than this one, if it is one word.
    pub(super) fn without(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Of(words), Value::Of(one)) if one.len() == 1 => {
                Value::words(words.iter().filter(|word| **word != one[0]).copied())
            }
            _ => self.clone(),
        }
    }
}

/// Whether two values may be equal, and whether they may differ.
pub(super) fn equality(one: &Value, two: &Value) -> Truth {
    match (one, two) {
        (Value::Of(one), Value::Of(two)) => Truth {
            holds: one.iter().any(|word| two.contains(word)),
            fails: !one.is_empty() && !two.is_empty() && (one.len() > 1 || one != two),
        },
        (Value::Pointer(one), Value::Pointer(two)) if !one.valid || !two.valid => {
            Truth { holds: one.null && two.null, fails: one.valid || two.valid }
        }
        (Value::Machines(one), Value::Machines(two))
            if one & two == 0 && *one != 0 && *two != 0 =>
        {
            Truth { holds: false, fails: true }
        }
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_join_and_meet() {
        let (one, two) = (Value::word(1), Value::words([2, 1]));
        assert_eq!(one.join(&two), two);
        assert_eq!(two.meet(&one), one);
        assert_eq!(two.without(&one), Value::word(2));
        assert_eq!(two.without(&two), two, "it may be either, so neither is excluded");
        assert_eq!(Value::Any.join(&one), Value::Any);
        assert_eq!(Value::nothing().join(&one), one);
    }

    #[test]
    fn equality_is_known_of_single_words_only() {
        let (one, two) = (Value::word(1), Value::words([1, 2]));
        assert_eq!(equality(&one, &one), Truth { holds: true, fails: false });
        assert_eq!(equality(&one, &two), UNKNOWN);
        assert_eq!(equality(&one, &Value::word(3)), Truth { holds: false, fails: true });
        assert_eq!(equality(&one, &Value::nothing()), Truth { holds: false, fails: false });
        assert_eq!(equality(&one, &Value::Any), UNKNOWN);
    }

    #[test]
    fn pointers_join_by_type() {
        let (entry, other) = (Pointer::valid(Some(3)), Pointer::valid(Some(4)));
        assert_eq!(entry.join(Pointer::null()), Pointer::any(Some(3)));
        assert_eq!(entry.join(other).of, None);
        let null = Value::Pointer(Pointer::null());
        assert_eq!(equality(&Value::Pointer(entry), &null), Truth { holds: false, fails: true });
    }
}
