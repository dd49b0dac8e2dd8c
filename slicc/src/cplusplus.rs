//! Evaluates the C++ expressions in `default` and `constructor` attributes.
//!
//! gem5 copies the text of such an attribute into the program that it generates, so any C++ could stand there.
//! Protocols contain only constants, simple arithmetic, the size of a block, and names of other members, and only
//! these are supported.

/// Evaluates an expression. `name` returns the values of members (without `m_` and `_ptr`),
/// constants and functions without arguments. Returns `None` for any other kind of expression.
///
/// ```
/// use slicc::cplusplus::evaluate;
///
/// let name = |name: &str| (name == "size").then_some(3);
/// assert_eq!(evaluate("(Cycles(500) << (*m_size_ptr))", &name), Some(4000));
/// assert_eq!(evaluate("m_ruby_system->getBlockSizeBits()", &|_| None), None);
/// ```
pub fn evaluate(text: &str, name: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    if text.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { rest: text.trim(), name };
    let value = reader.choice()?;
    reader.rest.is_empty().then_some(value)
}

/// Longest text that is evaluated, in bytes; it also bounds the depth of parentheses.
const LONGEST: usize = 1000;

/// Binary operators by precedence, the weakest first.
const LEVELS: [&[&str]; 3] = [&["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

struct Reader<'a> {
    rest: &'a str,
    name: &'a dyn Fn(&str) -> Option<i64>,
}

impl<'a> Reader<'a> {
    fn accept(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// An expression, or `flag ? one : other`.
    fn choice(&mut self) -> Option<i64> {
        let condition = self.level(0)?;
        if !self.accept("?") {
            return Some(condition);
        }
        let one = self.level(0)?;
        let other = if self.accept(":") { self.level(0)? } else { return None };
        Some(if condition != 0 { one } else { other })
    }

    fn level(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.accept(operator)) {
            let right = self.level(level + 1)?;
            left = match *operator {
                "<<" => left.checked_shl(u32::try_from(right).ok()?),
                ">>" => left.checked_shr(u32::try_from(right).ok()?),
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                _ => left.checked_rem(right),
            }?;
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<i64> {
        if self.accept("-") {
            return self.operand()?.checked_neg();
        }
        // A dereferenced pointer has the value of the pointer's name.
        if self.accept("*") {
            return self.operand();
        }
        if self.accept("(") {
            let value = self.level(0)?;
            return self.accept(")").then_some(value);
        }
        let end = |more: fn(char) -> bool| self.rest.find(|c| !more(c)).unwrap_or(self.rest.len());
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = self.take(end(|c| c.is_ascii_digit()));
            return digits.parse().ok();
        }
        let name = self.take(end(|c| c.is_ascii_alphanumeric() || "_:>-".contains(c)));
        match name {
            "" => None,
            "Cycles" | "Tick" | "int" | "Addr" | "intToAddress" | "intToCycles" | "intToTick"
                if self.accept("(") =>
            {
                let value = self.level(0)?;
                self.accept(")").then_some(value)
            }
            "log2" | "floorLog2" | "ceilLog2" if self.accept("(") => {
                let value = self.level(0)?;
                let floor = i64::from(u64::try_from(value).ok()?.checked_ilog2()?);
                let rounded = i64::from(name == "ceilLog2" && value.count_ones() > 1);
                self.accept(")").then_some(floor + rounded)
            }
            _ if self.accept("(") => {
                // A function of the system, without arguments.
                let function = name.rsplit([':', '>']).next()?;
                self.accept(")").then(|| (self.name)(function))?
            }
            _ => {
                let member = name.strip_prefix("m_").unwrap_or(name);
                (self.name)(member.strip_suffix("_ptr").unwrap_or(member))
            }
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluates_what_protocols_contain_and_refuses_the_rest() {
        let name = |name: &str| match name {
            "getBlockSizeBits" => Some(6),
            "averageLatencyHysteresis" => Some(8),
            "true" => Some(1),
            _ => None,
        };
        for (text, value) in [
            ("(8)", 8),
            ("-1", -1),
            (" Cycles( 12 ) ", 12),
            ("1 + 2*3 << 1", 14),
            ("RubySystem::getBlockSizeBits()", 6),
            ("m_true ? 2 : m_averageLatencyHysteresis", 2),
            ("0 ? 2 : m_averageLatencyHysteresis", 8),
            ("m_ruby_system->getBlockSizeBits() - 1", 5),
            ("(Cycles(500) << (*m_averageLatencyHysteresis_ptr))", 128_000),
            ("true", 1),
            ("log2(m_averageLatencyHysteresis)", 3),
            ("floorLog2(9) + ceilLog2(9)", 7),
        ] {
            assert_eq!(evaluate(text, &name), Some(value), "{text}");
        }
        let deep = "(".repeat(600);
        let deeper = "(".repeat(100_000);
        for text in
            ["", "(", "1 1", "f(1)", "m_other", "1 <<", "1/0", "1 << 99", "log2(0)", &deep, &deeper]
        {
            assert_eq!(evaluate(text, &name), None, "{text}");
        }
    }
}
