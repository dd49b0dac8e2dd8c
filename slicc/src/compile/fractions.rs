//! Numbers with a fraction, such as `1.25`: they have the type `int`, and gem5 copies them into its program, where C++ computes with
//! them as floating-point numbers and drops the fraction of what is stored.
//!
//! An expression that contains some is compiled as a quotient of two integers, which has the same value as long as C++ would round nothing.

use crate::ast::{Binary, Expression, ExpressionKind, Unary};
use crate::source::Span;

/// Largest denominator of a number.
const LARGEST_DENOMINATOR: u64 = 1_000_000;

/// Whether an expression computes with numbers that have a fraction, or compares them.
pub(super) fn has_any(whole: &Expression) -> bool {
    match &whole.kind {
        ExpressionKind::Binary { operator, left, right } if is_comparison(*operator) => {
            is_fractional(left) || is_fractional(right)
        }
        _ => is_fractional(whole),
    }
}

/// The same expression without numbers that have a fraction; `None` if it is one that C++ refuses, such as a remainder, or divides
/// by what is no number of its own.
pub(super) fn without(whole: &Expression) -> Option<Expression> {
    let span = whole.span;
    if let ExpressionKind::Binary { operator, left, right } = &whole.kind
        && is_comparison(*operator)
    {
        let (left, right) = (Quotient::of(left)?, Quotient::of(right)?);
        let (one, other) = (left.clone().times(right.denominator), right.times(left.denominator));
        return Some(binary(*operator, one, other, span));
    }
    let Quotient { numerator, denominator } = Quotient::of(whole)?;
    Some(binary(Binary::Divide, numerator, number(denominator, span), span))
}

/// Whether the value of an expression is one that C++ computes with a fraction.
fn is_fractional(whole: &Expression) -> bool {
    match &whole.kind {
        ExpressionKind::Float(_) => true,
        ExpressionKind::Unary { operator: Unary::Minus, value } => is_fractional(value),
        ExpressionKind::Binary { operator, left, right } => {
            let is_logical = matches!(operator, Binary::And | Binary::Or);
            !is_logical
                && !is_comparison(*operator)
                && (is_fractional(left) || is_fractional(right))
        }
        _ => false,
    }
}

fn is_comparison(operator: Binary) -> bool {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(operator, Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual)
}

/// An expression divided by a number.
#[derive(Clone)]
struct Quotient {
    numerator: Expression,
    denominator: u64,
}

impl Quotient {
    /// The quotient that is equal to an expression.
    fn of(whole: &Expression) -> Option<Quotient> {
        let span = whole.span;
        if !is_fractional(whole) {
            return Some(Quotient { numerator: whole.clone(), denominator: 1 });
        }
        match &whole.kind {
            ExpressionKind::Float(value) => {
                let (above, below) = lowest_terms(*value)?;
                Some(Quotient { numerator: number(above, span), denominator: below })
            }
            ExpressionKind::Unary { operator: Unary::Minus, value } => {
                let Quotient { numerator, denominator } = Quotient::of(value)?;
                let value = Box::new(numerator);
                let kind = ExpressionKind::Unary { operator: Unary::Minus, value };
                Some(Quotient { numerator: Expression { kind, span }, denominator })
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (one, other) = (Quotient::of(left)?, Quotient::of(right)?);
                let denominator = one.denominator.checked_mul(other.denominator)?;
                match operator {
                    Binary::Multiply => {
                        let numerator = binary(*operator, one.numerator, other.numerator, span);
                        Some(Quotient { numerator, denominator })
                    }
                    Binary::Add | Binary::Subtract => {
                        let (left, right) = (one.denominator, other.denominator);
                        let numerator =
                            binary(*operator, one.times(right), other.times(left), span);
                        Some(Quotient { numerator, denominator })
                    }
                    // The divisor is a number of its own.
                    Binary::Divide => match other.numerator.kind {
                        ExpressionKind::Number(divisor) if divisor > 0 => Some(Quotient {
                            denominator: one.denominator.checked_mul(divisor)?,
                            numerator: one.times(other.denominator),
                        }),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The numerator times a number.
    fn times(self, factor: u64) -> Expression {
        let span = self.numerator.span;
        match factor {
            1 => self.numerator,
            _ => binary(Binary::Multiply, number(factor, span), self.numerator, span),
        }
    }
}

/// Numerator and denominator of a number, in lowest terms.
fn lowest_terms(value: f64) -> Option<(u64, u64)> {
    let mut denominator = 1;
    while (value * denominator as f64).fract() != 0.0 {
        denominator *= 10;
        if denominator > LARGEST_DENOMINATOR {
            return None;
        }
    }
    let numerator = value * denominator as f64;
    let (mut one, mut other) = (numerator as u64, denominator);
    while other > 0 {
        (one, other) = (other, one % other);
    }
    let common = one.max(1);
    (numerator < i32::MAX.into()).then_some((numerator as u64 / common, denominator / common))
}

fn number(value: u64, span: Span) -> Expression {
    Expression { kind: ExpressionKind::Number(value), span }
}

fn binary(operator: Binary, left: Expression, right: Expression, span: Span) -> Expression {
    let (left, right) = (Box::new(left), Box::new(right));
    Expression { kind: ExpressionKind::Binary { operator, left, right }, span }
}

#[cfg(test)]
mod tests {
    use super::lowest_terms;

    #[test]
    fn numbers_have_lowest_terms() {
        assert_eq!(lowest_terms(1.25), Some((5, 4)));
        assert_eq!(lowest_terms(0.1), Some((1, 10)));
        assert_eq!(lowest_terms(3.0), Some((3, 1)));
        assert_eq!(lowest_terms(0.0), Some((0, 1)));
        assert_eq!(lowest_terms(0.123_456_789), None);
        assert_eq!(lowest_terms(f64::MAX), None);
    }
}
