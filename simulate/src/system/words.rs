//! The memory of the virtual machine: one array of words.
//!
//! The first words are never used, so that address 0 is null. Then comes the stack of frames, and then everything
//! else: the control words of the controllers, messages, entries and TBEs. An object has two words in front of it: its
//! type, and a word that its owner may use.

use slicc::compile::types::TypeId;

/// Where the stack begins.
pub const STACK: usize = 64;
/// Where it ends.
pub const STACK_END: usize = STACK + (1 << 16);
/// Words in front of an object.
const HEADER: usize = 2;

/// The type of an object.
#[inline]
pub fn type_of(words: &[u64], object: u64) -> TypeId {
    words[object as usize - HEADER] as TypeId
}

/// The word that the owner of an object may use.
#[inline]
pub fn mark_of(words: &[u64], object: u64) -> u64 {
    words[object as usize - 1]
}

/// The memory.
#[derive(Debug)]
pub struct Words {
    /// The words.
    pub words: Vec<u64>,
    /// Where the next new object goes. Behind it there are always `margin` words.
    top: usize,
    /// The words of the largest object. A protocol may take an entry for one of another type, and look behind its end.
    margin: usize,
    /// Objects of each type that may be used again.
    free: Vec<Vec<u64>>,
    /// Objects that are free as soon as the running transition is over.
    dying: Vec<u64>,
}

impl Words {
    /// A memory for objects of so many types, the largest of so many words.
    pub fn new(types: usize, largest: usize) -> Words {
        Words {
            words: vec![0; STACK_END + largest],
            top: STACK_END,
            margin: largest,
            free: vec![Vec::new(); types],
            dying: Vec::new(),
        }
    }

    /// Makes room for new words, and returns where they are.
    fn extend(&mut self, count: usize) -> usize {
        let at = self.top;
        self.top += count;
        if self.words.len() < self.top + self.margin {
            // Doubling, as a vector that grows by itself.
            let length = (self.top + self.margin).max(2 * self.words.len());
            self.words.resize(length, 0);
        }
        at
    }

    /// Words that stay in use: control words, for example.
    pub fn reserve(&mut self, initial: &[u64]) -> u64 {
        let at = self.extend(initial.len());
        self.words[at..at + initial.len()].copy_from_slice(initial);
        at as u64
    }

    /// Where the next new object would go.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Forgets all objects from an address on, which once was the top.
    pub fn cut(&mut self, top: usize) {
        self.words[top..self.top].fill(0);
        self.top = top;
        self.free.iter_mut().for_each(Vec::clear);
        self.dying.clear();
    }

    /// The place of a new object.
    #[inline]
    fn place(&mut self, of: TypeId, width: usize) -> usize {
        if let Some(at) = self.free[of].pop() {
            return at as usize;
        }
        let at = self.extend(HEADER + width) + HEADER;
        self.words[at - HEADER] = of as u64;
        at
    }

    /// A fresh object.
    #[inline]
    pub fn allocate(&mut self, of: TypeId, initial: &[u64]) -> u64 {
        let at = self.place(of, initial.len());
        self.words[at - 1] = 0;
        self.words[at..at + initial.len()].copy_from_slice(initial);
        at as u64
    }

    /// A copy of an object.
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

    /// The word that the owner of an object may use.
    #[inline]
    pub fn mark(&mut self, object: u64) -> &mut u64 {
        &mut self.words[object as usize - 1]
    }

    /// Frees an object once the running transition is over: until then, code may still look at it.
    #[inline]
    pub fn release(&mut self, object: u64) {
        self.dying.push(object);
    }

    /// The running transition is over.
    #[inline]
    pub fn settle(&mut self) {
        while let Some(object) = self.dying.pop() {
            let of = self.type_of(object);
            self.free[of].push(object);
        }
    }
}
