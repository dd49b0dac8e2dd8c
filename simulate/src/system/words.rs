//! The memory of the virtual machine: an array of words.
//!
//! The first words are never used, so that address 0 is null. They are followed by the stack of
//! frames, and then by everything else: control words of controllers, messages, entries and TBEs.
//! An object is preceded by two words: its type, and a word for its owner.

use slicc::compile::types::TypeId;

/// The beginning of the stack.
pub const STACK: usize = 64;
/// The end of the stack.
pub const STACK_END: usize = STACK + (1 << 16);
/// Number of words before an object.
const HEADER: usize = 2;

/// The type of an object.
#[inline]
pub fn type_of(words: &[u64], object: u64) -> TypeId {
    words[object as usize - HEADER] as TypeId
}

/// The word for the owner of an object.
#[inline]
pub fn mark_of(words: &[u64], object: u64) -> u64 {
    words[object as usize - 1]
}

/// The memory.
#[derive(Debug)]
pub struct Words {
    /// The words.
    pub words: Vec<u64>,
    /// The address of the next new object. It is always followed by `margin` words.
    top: usize,
    /// Number of words of the largest object. A protocol may use an entry as one of another type,
    /// and read beyond its end.
    margin: usize,
    /// For each type, objects that may be reused.
    free: Vec<Vec<u64>>,
    /// Objects that become free at the end of the running transition.
    dying: Vec<u64>,
}

impl Words {
    /// Creates a memory for objects of `types` types, the largest of which has `largest` words.
    pub fn new(types: usize, largest: usize) -> Words {
        Words {
            words: vec![0; STACK_END + largest],
            top: STACK_END,
            margin: largest,
            free: vec![Vec::new(); types],
            dying: Vec::new(),
        }
    }

    /// Adds words at the end and returns their address.
    fn extend(&mut self, count: usize) -> usize {
        let at = self.top;
        self.top += count;
        if self.words.len() < self.top + self.margin {
            // The size doubles, as that of a growing vector.
            let length = (self.top + self.margin).max(2 * self.words.len());
            self.words.resize(length, 0);
        }
        at
    }

    /// Allocates words that stay in use, such as control words.
    pub fn reserve(&mut self, initial: &[u64]) -> u64 {
        let at = self.extend(initial.len());
        self.words[at..at + initial.len()].copy_from_slice(initial);
        at as u64
    }

    /// The address of the next new object.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Removes all objects from an address on, which was the top before.
    pub fn cut(&mut self, top: usize) {
        self.words[top..self.top].fill(0);
        self.top = top;
        self.free.iter_mut().for_each(Vec::clear);
        self.dying.clear();
    }

    /// The address of a new object.
    #[inline]
    fn place(&mut self, of: TypeId, width: usize) -> usize {
        if let Some(at) = self.free[of].pop() {
            return at as usize;
        }
        let at = self.extend(HEADER + width) + HEADER;
        self.words[at - HEADER] = of as u64;
        at
    }

    /// Allocates an object.
    #[inline]
    pub fn allocate(&mut self, of: TypeId, initial: &[u64]) -> u64 {
        let at = self.place(of, initial.len());
        self.words[at - 1] = 0;
        self.words[at..at + initial.len()].copy_from_slice(initial);
        at as u64
    }

    /// Copies an object.
    #[inline]
    pub fn duplicate(&mut self, from: u64, width: usize) -> u64 {
        let at = self.place(self.type_of(from), width);
        self.words.copy_within(from as usize..from as usize + width, at);
        at as u64
    }

    /// The type of an object.
    #[inline]
    pub fn type_of(&self, object: u64) -> TypeId {
        type_of(&self.words, object)
    }

    /// The word for the owner of an object.
    #[inline]
    pub fn mark(&mut self, object: u64) -> &mut u64 {
        &mut self.words[object as usize - 1]
    }

    /// Frees an object at the end of the running transition: until then, code may still read it.
    #[inline]
    pub fn release(&mut self, object: u64) {
        self.dying.push(object);
    }

    /// Ends the running transition.
    #[inline]
    pub fn settle(&mut self) {
        while let Some(object) = self.dying.pop() {
            let of = self.type_of(object);
            self.free[of].push(object);
        }
    }
}
