//! The same work for many things, on all cores.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies a function to all items at once; the results are in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let one_after_another = || {
        while let Some(number) =
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < items.len())
        {
            let result = work(&items[number]);
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores.min(items.len()) {
            scope.spawn(one_after_another);
        }
        one_after_another();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_order() {
        let items: Vec<u32> = (0..1000).collect();
        let doubled: Vec<u32> = items.iter().map(|item| item * 2).collect();
        assert_eq!(super::map(&items, |item| item * 2), doubled);
        assert!(super::map(&[], |item: &u32| *item).is_empty());
    }
}
