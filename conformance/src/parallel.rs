//! Independent work side by side: cases, probes, wrappers, traced runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, bail};

/// Twice as many as there are processors: most of what the kit runs waits rather than computes.
#[must_use]
pub fn twice_the_processors() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get) * 2
}

/// Does the work on every item, so many at once, and gives the results in the order of the items.
///
/// # Errors
/// The first failure in that order; what has not begun by then is left.
pub fn side_by_side<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            let result = work(item);
            if result.is_err() {
                next.store(items.len(), Ordering::Relaxed);
            }
            done.push((index, result));
        }
    };
    let mut all = Vec::with_capacity(items.len());
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..threads.clamp(1, items.len().max(1))).map(|_| scope.spawn(lane)).collect();
        for lane in lanes {
            match lane.join() {
                Ok(done) => all.extend(done),
                Err(_) => bail!("a thread panicked"),
            }
        }
        Ok(())
    })?;
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_one_failure_is_the_failure() -> Result<()> {
        let items: Vec<usize> = (0..100).collect();
        for threads in [0, 1, 7, 1000] {
            assert_eq!(side_by_side(threads, &items, |item| Ok(item * 2))?, (0..200).step_by(2).collect::<Vec<_>>());
        }
        let failed = side_by_side(3, &items, |item| if *item == 5 { bail!("five") } else { Ok(()) });
        assert_eq!(failed.err().map(|error| error.to_string()).as_deref(), Some("five"));
        assert!(side_by_side(3, &items, |item| if *item == 5 { panic!("five") } else { Ok(()) }).is_err());
        assert!(side_by_side(3, &[0; 0], |_| Ok(()))?.is_empty());
        Ok(())
    }
}
