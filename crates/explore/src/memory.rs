//! Words in memory that grows in place; prefetching. **The only unsafe code of the workspace.**
//!
//! A large table lives in a reservation of address space that costs nothing until it is used: growing
//! it moves nothing, so that never two tables are held. It begins at a multiple of 2 MiB and asks for
//! huge pages, which saves most of the misses in the processor's table of pages (measured: a third
//! of the time of a search).
//!
//! Small tables, and all of them where there is no such reservation, live in an ordinary vector.

#![cfg_attr(
    any(
        all(target_os = "linux", target_pointer_width = "64"),
        target_arch = "x86_64",
        target_arch = "aarch64"
    ),
    expect(unsafe_code, reason = "memory maps and prefetching have no safe interface")
)]

use std::sync::atomic::{AtomicU64, Ordering};

use crate::account::OutOfMemory;

/// Bytes from which on a table is mapped.
pub(crate) const MAPPED_FROM: usize = 1 << 20;

/// Whether there are reservations here.
const CAN_MAP: bool = cfg!(all(target_os = "linux", target_pointer_width = "64"));

/// Words that are zero until they are written, and can become more.
pub(crate) struct Words {
    place: Place,
    mapped_from: usize,
}

enum Place {
    Heap(Vec<AtomicU64>),
    Mapped(mapped::Mapping),
}

impl Words {
    /// No words yet; as many bytes as `mapped_from` will be mapped if that is possible.
    pub(crate) const fn new(mapped_from: usize) -> Self {
        let mapped_from = if CAN_MAP { mapped_from } else { usize::MAX };
        Self { place: Place::Heap(Vec::new()), mapped_from }
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        match &self.place {
            Place::Heap(words) => words.capacity() * size_of::<AtomicU64>(),
            Place::Mapped(mapping) => mapping.bytes(),
        }
    }

    /// Bytes that will be reserved when there are `count` words, and those that are needed while
    /// they become as many.
    pub(crate) fn bytes_for(&self, count: usize) -> (usize, usize) {
        let bytes = count.saturating_mul(size_of::<AtomicU64>());
        match &self.place {
            Place::Mapped(_) => (mapped::rounded(bytes), mapped::rounded(bytes)),
            Place::Heap(_) if bytes >= self.mapped_from => {
                (mapped::rounded(bytes), mapped::rounded(bytes))
            }
            Place::Heap(_) => (bytes, bytes.saturating_add(self.bytes())),
        }
    }

    /// Adds zeros until there are `count` words.
    pub(crate) fn grow(&mut self, count: usize) -> Result<(), OutOfMemory> {
        self.move_if_large(count);
        match &mut self.place {
            Place::Heap(words) => {
                let more = count - words.len();
                words.try_reserve_exact(more).map_err(|_| OutOfMemory)?;
                words.resize_with(count, || AtomicU64::new(0));
                Ok(())
            }
            Place::Mapped(mapping) => mapping.grow(count),
        }
    }

    fn move_if_large(&mut self, count: usize) {
        let Place::Heap(words) = &self.place else { return };
        if count.saturating_mul(size_of::<AtomicU64>()) < self.mapped_from {
            return;
        }
        let mapping = mapped::Mapping::new()
            .and_then(|mut mapping| mapping.grow(count).is_ok().then_some(mapping));
        if let Some(mapping) = mapping {
            for (new, old) in mapping.words().iter().zip(words) {
                new.store(old.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            self.place = Place::Mapped(mapping);
        } else {
            self.mapped_from = usize::MAX;
        }
    }

    #[inline]
    pub(crate) fn all(&self) -> &[AtomicU64] {
        match &self.place {
            Place::Heap(words) => words,
            Place::Mapped(mapping) => mapping.words(),
        }
    }
}

/// Asks the processor to fetch what will be needed soon.
#[inline]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint that reads nothing, on a processor that always has it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a hint that changes neither memory nor registers.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{place}]",
            place = in(reg) std::ptr::from_ref(place),
            options(nostack, readonly, preserves_flags)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = place;
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod mapped {
    use std::ptr::NonNull;
    use std::sync::atomic::AtomicU64;

    use libc::c_void;

    use crate::account::OutOfMemory;

    const HUGE_PAGE: usize = 2 << 20;
    /// Address space to ask for; less if that is refused (`ulimit -v`).
    const RESERVATIONS: [usize; 4] = [1 << 42, 1 << 39, 1 << 36, 1 << 33];

    pub(super) const fn rounded(bytes: usize) -> usize {
        bytes.next_multiple_of(HUGE_PAGE)
    }

    /// Address space, of which the beginning is memory.
    pub(super) struct Mapping {
        reserved: NonNull<c_void>,
        reserved_bytes: usize,
        /// The first multiple of a huge page in it.
        first: NonNull<AtomicU64>,
        /// Words that may be used; those up to `bytes` can be.
        count: usize,
        bytes: usize,
    }

    // SAFETY: it owns its memory, as a vector would, and lends out only shared references to atomics.
    unsafe impl Send for Mapping {}
    // SAFETY: as above.
    unsafe impl Sync for Mapping {}

    impl Mapping {
        pub(super) fn new() -> Option<Self> {
            RESERVATIONS.into_iter().find_map(Self::reserve)
        }

        fn reserve(reserved_bytes: usize) -> Option<Self> {
            // Without access, it is not charged to anybody's account.
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new anonymous mapping wherever the system likes touches nothing that exists.
            let address = unsafe {
                libc::mmap(std::ptr::null_mut(), reserved_bytes, libc::PROT_NONE, flags, -1, 0)
            };
            if address == libc::MAP_FAILED {
                return None;
            }
            let reserved = NonNull::new(address)?;
            let offset = address.align_offset(HUGE_PAGE);
            // SAFETY: the offset is less than a huge page, and much more is reserved.
            let first = unsafe { reserved.byte_add(offset) }.cast::<AtomicU64>();
            // SAFETY: the range lies in the new mapping. Refusal does no harm.
            unsafe {
                libc::madvise(
                    first.as_ptr().cast(),
                    reserved_bytes - HUGE_PAGE,
                    libc::MADV_HUGEPAGE,
                );
            }
            Some(Self { reserved, reserved_bytes, first, count: 0, bytes: 0 })
        }

        pub(super) fn bytes(&self) -> usize {
            self.bytes
        }

        pub(super) fn grow(&mut self, count: usize) -> Result<(), OutOfMemory> {
            let bytes = count.checked_mul(size_of::<AtomicU64>()).ok_or(OutOfMemory)?;
            if bytes > self.reserved_bytes - 2 * HUGE_PAGE {
                return Err(OutOfMemory);
            }
            let bytes = rounded(bytes);
            if bytes > self.bytes {
                // SAFETY: the range lies in the reservation, which is ours alone, and nothing refers
                // to its part that is not memory yet.
                let result = unsafe {
                    libc::mprotect(
                        self.first.as_ptr().cast(),
                        bytes,
                        libc::PROT_READ | libc::PROT_WRITE,
                    )
                };
                if result != 0 {
                    return Err(OutOfMemory);
                }
                self.bytes = bytes;
            }
            self.count = self.count.max(count);
            Ok(())
        }

        #[inline]
        pub(super) fn words(&self) -> &[AtomicU64] {
            // SAFETY: so many words are memory that can be read and written, aligned to a page, zero
            // or written through such references, and given back only when `self` is dropped.
            unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: the whole mapping is ours, and no reference into it outlives `self`.
            unsafe { libc::munmap(self.reserved.as_ptr(), self.reserved_bytes) };
        }
    }
}

/// Where there are no reservations.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod mapped {
    use std::sync::atomic::AtomicU64;

    use crate::account::OutOfMemory;

    pub(super) const fn rounded(bytes: usize) -> usize {
        bytes
    }

    /// There is none.
    pub(super) enum Mapping {}

    impl Mapping {
        pub(super) const fn new() -> Option<Self> {
            None
        }

        pub(super) const fn bytes(&self) -> usize {
            match *self {}
        }

        pub(super) const fn grow(&mut self, _: usize) -> Result<(), OutOfMemory> {
            match *self {}
        }

        pub(super) const fn words(&self) -> &[AtomicU64] {
            match *self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both places keep what was written and add zeros.
    #[test]
    fn words_stay_when_there_are_more() {
        for mapped_from in [0, 1 << 12, usize::MAX] {
            let mut words = Words::new(mapped_from);
            for (round, count) in [1_usize, 100, 3000, 3000, 70_000, 1_000_000].iter().enumerate() {
                let old = words.all().len();
                let (bytes, _) = words.bytes_for(*count);
                words.grow(*count).unwrap();
                assert_eq!(words.bytes(), bytes);
                assert_eq!(words.all().len(), *count);
                assert!(words.all()[old..].iter().all(|word| word.load(Ordering::Relaxed) == 0));
                let written = words.all()[..old].iter().enumerate();
                for (place, word) in written {
                    assert_eq!(word.load(Ordering::Relaxed), place as u64 + 1, "round {round}");
                }
                for (place, word) in words.all().iter().enumerate() {
                    word.store(place as u64 + 1, Ordering::Relaxed);
                    prefetch(word);
                }
            }
        }
    }

    #[test]
    fn what_is_too_much_is_refused() {
        for mapped_from in [0, usize::MAX] {
            let mut words = Words::new(mapped_from);
            words.grow(10).unwrap();
            assert!(words.grow(usize::MAX / 16).is_err());
            assert_eq!(words.all().len(), 10);
        }
    }
}
