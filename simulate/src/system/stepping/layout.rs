//! Where objects hold blocks.

use crate::error::SetupError;
use slicc::compile::types::{Type, TypeId, TypeKind, Types};

/// What is known of the objects of a type.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Words that one takes.
    pub width: usize,
    /// Where its blocks are, in order.
    pub blocks: Vec<u16>,
}

impl Layout {
    /// Whether a block begins at a word.
    pub fn is_block(&self, word: usize) -> bool {
        self.blocks.iter().any(|&at| usize::from(at) == word)
    }
}

/// Those of all types.
///
/// # Errors
/// A field that points to an entry: an address, which would be another in every state.
pub fn layouts(types: &Types) -> Result<Vec<Layout>, SetupError> {
    types
        .iter()
        .map(|(_, of)| {
            let mut layout = Layout { width: of.initial.len(), blocks: Vec::new() };
            if matches!(of.kind, TypeKind::Structure | TypeKind::Message | TypeKind::Entry) {
                collect(types, of, 0, &mut layout.blocks)?;
                layout.blocks.sort_unstable();
            }
            Ok(layout)
        })
        .collect()
}

fn collect(types: &Types, of: &Type, at: u16, blocks: &mut Vec<u16>) -> Result<(), SetupError> {
    for (name, field) in &of.fields {
        match types[field.of].kind {
            _ if is_block(types, field.of) => blocks.push(at + field.offset),
            TypeKind::Structure | TypeKind::Message => {
                collect(types, &types[field.of], at + field.offset, blocks)?;
            }
            TypeKind::Entry => {
                let member = format!("{}.{name}", of.name);
                return Err(SetupError::EntryPointer(member, "a field"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a type is that of blocks.
pub fn is_block(types: &Types, of: TypeId) -> bool {
    of == types.known.block
}
