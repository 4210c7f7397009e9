//! A small seeded generator, SplitMix64: the same seed gives the same choices, whatever the threads do.

/// SplitMix64, as Steele, Lea and Flood describe it.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of many streams of a seed: that of one invocation of a run.
    pub(crate) fn stream(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed ^ stream.wrapping_mul(0xA076_1D64_78BD_642F));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// One of `0..bound`; 0 where there is nothing to choose.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// The same for an index.
    pub(crate) fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).unwrap_or_default()
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.index(from.len()))
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stream_and_another_does_not() {
        let stream = |seed, invocation| {
            let mut random = Random::stream(seed, invocation);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(stream(1, 2), stream(1, 2));
        assert_ne!(stream(1, 2), stream(1, 3));
        assert_ne!(stream(1, 2), stream(2, 2));
        assert!(stream(7, 7).iter().all(|number| *number < 1000));
        assert_eq!(Random::new(1).pick::<u8>(&[]), None);
        assert!(Random::new(1).once_in(1) && Random::new(1).once_in(0));
    }
}
