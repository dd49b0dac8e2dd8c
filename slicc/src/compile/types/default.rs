//! The values of `default` attributes, which are C++ expressions in strings.

use super::{MOST_TOKENS, TypeId, Types};
use crate::ast::Pair;
use crate::cplusplus::evaluate;
use crate::source::Diagnostic;

impl Types {
    /// The value of a `default` attribute, which is a C++ expression in a string.
    ///
    /// # Errors
    /// Fails if the expression is not one that [`evaluate`] understands, nor a value of the type.
    pub fn default(
        &self,
        machine: Option<&str>,
        of: TypeId,
        pair: &Pair,
    ) -> Result<u64, Diagnostic> {
        self.default_with(machine, of, pair, &|_| None)
    }

    /// As [`Types::default`], for an expression that may name other variables, whose values `member` returns.
    ///
    /// # Errors
    /// Fails as [`Types::default`] does.
    pub fn default_with(
        &self,
        machine: Option<&str>,
        of: TypeId,
        pair: &Pair,
        member: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<u64, Diagnostic> {
        let text = pair.value.text.trim();
        if let Some(value) = self.evaluated(text, member) {
            return Ok(value as u64);
        }
        self.qualified_enumerator(machine, of, text).ok_or_else(|| {
            Diagnostic::error(pair.value.span, format!("`{text}` is not a value of the type `{}`", self.types[of].name))
                .hint("a default is a number, `true`, `false`, `Cycles(n)`, `nullptr` or `Enumeration_Value`")
        })
    }

    /// The value of a C++ expression that may name constants, sizes of blocks, and other variables, whose values `member` returns.
    pub fn evaluated(&self, text: &str, member: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        evaluate(text, &|name: &str| match name {
            "true" | "True" => Some(1),
            "false" | "False" | "nullptr" | "NULL" => Some(0),
            "getBlockSizeBits" => Some(i64::from(self.sizes.block.trailing_zeros()) + 3),
            "getBlockSizeBytes" => Some(self.sizes.block as i64 * 8),
            "max_tokens" => Some(MOST_TOKENS as i64),
            name => member(name).or_else(|| self.constants.get(name).map(|value| *value as i64)),
        })
    }

    /// The value of `Enumeration_Value`, with or without the name of the machine in front.
    fn qualified_enumerator(&self, machine: Option<&str>, of: TypeId, text: &str) -> Option<u64> {
        let full = &*self.types[of].name;
        let short = machine
            .and_then(|machine| full.strip_prefix(machine)?.strip_prefix('_'))
            .unwrap_or(full);
        [full, short].into_iter().find_map(|name| {
            let value = text.strip_prefix(name)?;
            let value = value.strip_prefix('_').or_else(|| value.strip_prefix("::"))?;
            // Some enumerations have a default that is not one of their values.
            self.types[of]
                .enumerator(value)
                .or((value == "NULL").then_some(self.types[of].initial[0]))
        })
    }
}
