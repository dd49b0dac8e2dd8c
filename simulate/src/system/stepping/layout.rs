//! The places of blocks in objects.

use crate::error::SetupError;
use slicc::compile::types::{Type, TypeId, TypeKind, Types};

/// The layout of the objects of a type.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The number of words of an object.
    pub width: usize,
    /// The offsets of its blocks, in increasing order.
    pub blocks: Vec<u16>,
}

impl Layout {
    /// Whether a block begins at a word.
    pub fn is_block(&self, word: usize) -> bool {
        self.blocks.iter().any(|&at| usize::from(at) == word)
    }
}

/// The layouts of all types.
///
/// # Errors
/// A field that points to an entry: its address would differ between states that are the same.
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
