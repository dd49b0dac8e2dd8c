//! The memory of the virtual machine: an array of words.
//!
//! The first words are never used, so that address 0 is null. They are followed by the stack of
//! frames, and then by the *heap*, which has everything else: control words of controllers, messages,
//! entries and TBEs. An object is preceded by two words: its type, and its place in a cache.
//!
//! Behind each frame of the stack there are as many words as an instruction can name registers, so the
//! registers of the running code are an array whose bounds need no checks ([`Words::split`]).

use slicc::compile::op::Register;
use slicc::compile::types::TypeId;

use super::fault::Trap;

/// The beginning of the stack.
pub(super) const STACK: usize = 64;
/// The end of the frames of functions.
pub(super) const STACK_END: usize = STACK + REGISTERS;
/// The beginning of the heap. The frame of a transition may begin at the end of the stack.
pub(super) const HEAP: usize = STACK_END + REGISTERS;
/// Number of registers that an instruction can name.
const REGISTERS: usize = 1 << Register::BITS;
/// The end of the frames that are cleared when the memory is recycled. Few protocols need more: only their calls nest deeper.
const SHALLOW_END: usize = STACK + (1 << 12);
/// Number of words above its registers that a frame must leave free: functions of the library read five arguments, even if they have
/// fewer.
const MARGIN: usize = 16;
/// Number of words of the heap for which there is room at first.
const FIRST_HEAP: usize = 1 << 13;
/// Number of words before an object.
const HEADER: usize = 2;

/// The type of an object, from the words of the heap.
#[inline]
pub(super) fn type_in(heap: &[u64], object: u64) -> TypeId {
    heap[object as usize - (HEAP + HEADER)] as TypeId
}

/// The place of an entry in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CachePlace {
    /// The number of the cache.
    pub cache: usize,
    /// The index of the way, set after set.
    pub slot: usize,
}

/// The memory.
#[derive(Debug)]
pub(super) struct Words {
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
    /// The largest number of registers of a piece of code.
    frame: usize,
    /// The address up to which frames of functions may begin without further checks.
    shallow: usize,
    /// Whether it is known where words were written: in the heap up to `top` and the margin, and in the stack up to
    /// `shallow` and another two frames, that of a function which was called there and that of a transition.
    is_known: bool,
}

impl Words {
    /// Creates a memory for objects of `types` types, the largest of which has `largest` words, and for code with `frame` registers.
    /// `words` are those of another memory, all 0, or none.
    pub(super) fn new(types: usize, largest: usize, frame: u32, mut words: Vec<u64>) -> Words {
        let length = HEAP + FIRST_HEAP + largest;
        debug_assert!(words.iter().all(|&word| word == 0), "memory was kept that is not clear");
        if words.len() < length {
            words = vec![0; length];
        }
        let frame = frame as usize + MARGIN;
        let fits = SHALLOW_END + 2 * frame <= STACK_END;
        Words {
            words,
            top: HEAP,
            margin: largest,
            free: vec![Vec::new(); types],
            dying: Vec::new(),
            frame,
            shallow: if fits { SHALLOW_END } else { 0 },
            is_known: fits,
        }
    }

    /// Takes the words, cleared; `None` if it is not known which of them were written.
    pub(super) fn cleared(&mut self) -> Option<Vec<u64>> {
        if !self.is_known {
            return None;
        }
        let mut words = std::mem::take(&mut self.words);
        words[..self.shallow + 2 * self.frame].fill(0);
        let end = (self.top + self.margin).min(words.len());
        words[HEAP..end].fill(0);
        Some(words)
    }

    /// Whether there is room for the frame of a function of `registers` registers at an address.
    #[inline]
    pub(super) fn has_room(&mut self, frame: usize, registers: u32) -> bool {
        frame <= self.shallow || self.has_room_above(frame + registers as usize + MARGIN)
    }

    /// Whether there is room for a frame that lies above those that are cleared, and ends at an address.
    #[cold]
    fn has_room_above(&mut self, end: usize) -> bool {
        self.is_known = false;
        end <= STACK_END
    }

    /// Adds words at the end and returns their address.
    fn extend(&mut self, count: usize) -> usize {
        let at = self.top;
        self.top += count;
        if self.words.len() < self.top + self.margin {
            // The heap doubles, as a growing vector does.
            let length = (self.top + self.margin).max(2 * self.words.len() - HEAP);
            self.words.resize(length, 0);
        }
        at
    }

    /// Allocates words that stay in use, such as control words.
    pub(super) fn reserve(&mut self, initial: &[u64]) -> u64 {
        let at = self.extend(initial.len());
        self.words[at..at + initial.len()].copy_from_slice(initial);
        at as u64
    }

    /// The address of the next new object.
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// Removes all objects from an address on, which was the top before.
    pub(super) fn cut(&mut self, top: usize) {
        self.words[top..self.top].fill(0);
        self.top = top;
        self.is_known = false;
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
    pub(super) fn allocate(&mut self, of: TypeId, initial: &[u64]) -> u64 {
        let at = self.place(of, initial.len());
        self.words[at - 1] = 0;
        self.words[at..at + initial.len()].copy_from_slice(initial);
        at as u64
    }

    /// Copies an object.
    #[inline]
    pub(super) fn duplicate(&mut self, from: u64, width: usize) -> u64 {
        let at = self.place(self.type_of(from), width);
        self.words.copy_within(from as usize..from as usize + width, at);
        at as u64
    }

    /// The registers of the frame at an address, and the heap.
    #[inline]
    pub(super) fn split(&mut self, frame: usize) -> (&mut [u64; REGISTERS], &mut [u64]) {
        let (stack, heap) = self.words.split_at_mut(HEAP);
        let registers = stack[frame..].first_chunk_mut();
        (registers.expect("a frame begins before the end of the stack"), heap)
    }

    /// The word at an offset of an address outside of the heap, which must not be null.
    #[cold]
    pub(super) fn load(&self, address: usize, offset: usize) -> Result<u64, Trap> {
        if address == 0 { Err(Trap::Null) } else { Ok(self.words[address + offset]) }
    }

    /// Sets the word at an offset of an address outside of the heap, which must not be null.
    #[cold]
    pub(super) fn store(&mut self, address: usize, offset: usize, value: u64) -> Result<(), Trap> {
        if address == 0 {
            return Err(Trap::Null);
        }
        self.words[address + offset] = value;
        Ok(())
    }

    /// The type of an object.
    #[inline]
    pub(super) fn type_of(&self, object: u64) -> TypeId {
        self.words[object as usize - HEADER] as TypeId
    }

    /// The cache in which an object was allocated last, if it is still there.
    #[inline]
    pub(super) fn cache_place(&self, object: u64) -> Option<CachePlace> {
        let word = self.words[object as usize - 1];
        let cache = (word as u32).checked_sub(1)? as usize;
        Some(CachePlace { cache, slot: (word >> 32) as usize })
    }

    /// Records the cache in which an object was allocated; `None` if it was removed from it.
    #[inline]
    pub(super) fn set_cache_place(&mut self, object: u64, place: Option<CachePlace>) {
        let word = place.map_or(0, |place| (place.slot as u64) << 32 | (place.cache as u64 + 1));
        self.words[object as usize - 1] = word;
    }

    /// Frees an object at the end of the running transition: until then, code may still read it.
    #[inline]
    pub(super) fn release(&mut self, object: u64) {
        self.dying.push(object);
    }

    /// Ends the running transition.
    #[inline]
    pub(super) fn settle(&mut self) {
        while let Some(object) = self.dying.pop() {
            let of = self.type_of(object);
            self.free[of].push(object);
        }
    }
}
