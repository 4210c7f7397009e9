//! The engine's allocator: counts, refuses, and remembers that it refused.
//!
//! `rquickjs`'s own memory limit does nothing with a custom allocator, and the engine's refusal looks to a script
//! like any exception. Here the limit is ours, and the fact that it was hit is kept where no script can touch it, so
//! that `heap_limit` is decided from the fact (I5, I6).

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::Cell;
use std::ptr;
use std::rc::Rc;

use rquickjs::allocator::Allocator;

/// Bytes in front of each block, holding its size; keeps the alignment every C type needs.
const HEADER: usize = 16;

/// The heap's facts, shared by the allocator and the VM.
#[derive(Debug)]
pub(in crate::vm) struct Heap {
    used: Cell<usize>,
    limit: Cell<usize>,
    peak: Cell<usize>,
    baseline: Cell<usize>,
    refused: Cell<bool>,
}

impl Heap {
    /// A heap without a limit, for building the engine.
    pub(in crate::vm) fn new() -> Rc<Self> {
        Rc::new(Self {
            used: Cell::new(0),
            limit: Cell::new(usize::MAX),
            peak: Cell::new(0),
            baseline: Cell::new(0),
            refused: Cell::new(false),
        })
    }

    /// From now on at most `bytes` beyond what is in use: the engine's own objects are not the script's to pay for.
    pub(in crate::vm) fn limit_script(&self, bytes: usize) {
        let used = self.used.get();
        self.baseline.set(used);
        self.peak.set(used);
        self.refused.set(false);
        self.limit.set(used.saturating_add(bytes));
    }

    /// Runs `f` without the limit, for native conversions of bounded size that must work when the heap is full.
    pub(in crate::vm) fn unlimited<T>(&self, f: impl FnOnce() -> T) -> T {
        let limit = self.limit.replace(usize::MAX);
        let result = f();
        self.limit.set(limit);
        result
    }

    /// Whether the limit was ever hit.
    pub(in crate::vm) fn was_refused(&self) -> bool {
        self.refused.get()
    }

    /// The most the script ever took, in bytes.
    pub(in crate::vm) fn peak(&self) -> usize {
        self.peak.get().saturating_sub(self.baseline.get())
    }

    /// Accounts for a block that grows from `old` to `new` bytes, or refuses it.
    fn reserve(&self, old: usize, new: usize) -> bool {
        let used = (self.used.get() - old).saturating_add(new);
        if used > self.limit.get() && new > old {
            self.refused.set(true);
            return false;
        }
        self.used.set(used);
        self.peak.set(self.peak.get().max(used));
        true
    }
}

/// The engine's allocator over the process's.
pub(in crate::vm) struct CountingAllocator(pub(in crate::vm) Rc<Heap>);

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

impl CountingAllocator {
    fn block(&self, size: usize, zeroed: bool) -> *mut u8 {
        let Some(layout) = layout(size) else {
            self.0.refused.set(true);
            return ptr::null_mut();
        };
        if !self.0.reserve(0, layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the layout is at least `HEADER` bytes, so not of size zero; the header is written within it, and
        // the pointer given out stays within the block with the block's alignment.
        unsafe {
            let start = if zeroed { alloc_zeroed(layout) } else { alloc(layout) };
            if start.is_null() {
                self.0.reserve(layout.size(), 0);
                self.0.refused.set(true);
                return start;
            }
            start.cast::<usize>().write(layout.size());
            start.add(HEADER)
        }
    }
}

// SAFETY: blocks are aligned to 16 bytes, at least as large as asked for, and `usable_size` gives exactly that size;
// `realloc` keeps the old block when it refuses. No method panics or touches the engine.
unsafe impl Allocator for CountingAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.block(size, false)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        match count.checked_mul(size) {
            Some(bytes) => self.block(bytes, true),
            None => {
                self.0.refused.set(true);
                ptr::null_mut()
            }
        }
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: the engine frees only what `block` gave out, whose header holds the size of its layout.
        unsafe {
            let start = block.sub(HEADER);
            let size = start.cast::<usize>().read();
            self.0.reserve(size, 0);
            dealloc(start, Layout::from_size_align_unchecked(size, HEADER));
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, new_size: usize) -> *mut u8 {
        if block.is_null() {
            return self.block(new_size, false);
        }
        let Some(new) = layout(new_size) else {
            self.0.refused.set(true);
            return ptr::null_mut();
        };
        // SAFETY: as for `dealloc`; the old block is left alone when the new size is refused or cannot be had.
        unsafe {
            let start = block.sub(HEADER);
            let old = start.cast::<usize>().read();
            if !self.0.reserve(old, new.size()) {
                return ptr::null_mut();
            }
            let moved = realloc(start, Layout::from_size_align_unchecked(old, HEADER), new.size());
            if moved.is_null() {
                self.0.reserve(new.size(), old);
                self.0.refused.set(true);
                return moved;
            }
            moved.cast::<usize>().write(new.size());
            moved.add(HEADER)
        }
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: as for `dealloc`; the header is only read.
        unsafe { block.sub(HEADER).cast::<usize>().read() - HEADER }
    }
}
