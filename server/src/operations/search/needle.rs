//! A literal that every line matching a pattern must hold, found faster than any automaton.
//!
//! ripgrep's own literal search gives up much of its speed when case is ignored, which is the default. Here a run of
//! characters that the pattern requires is taken from the parsed pattern, each exact or ASCII-caseless; the run's rarest
//! byte is looked for with vector instructions in either case, and only where the whole run stands is the line given to
//! the matcher. `k` and `s` end a caseless run: `K` (U+212A) and `ſ` (U+017F) are equal to them and have other lengths.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::pattern::Case;

/// Bytes of source code from frequent to rare, as measured over crate sources; whatever isn't here is rarer still.
const FREQUENT: &[u8] =
    b" etaroisnlcpdumfh_,.();:/gb*=y0v-\"x&w1k2<>{}#T'[]3q!SE4CRIA5FPNj6z8OD7LM9BUVW|GHK+?Y$XQJZ@%^~`\\";
/// A run shorter than this hardly narrows anything down.
const LEAST: usize = 2;

/// One place of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Exactly this byte.
    Exact(u8),
    /// This ASCII letter, given in lower case, in either case.
    Either(u8),
}

impl Step {
    fn fits(self, byte: u8) -> bool {
        match self {
            Self::Exact(wanted) => byte == wanted,
            Self::Either(wanted) => byte.to_ascii_lowercase() == wanted,
        }
    }

    /// Higher is rarer.
    fn rarity(self) -> usize {
        let rank = |byte: u8| FREQUENT.iter().position(|frequent| *frequent == byte).unwrap_or(FREQUENT.len());
        match self {
            Self::Exact(byte) => rank(byte),
            Self::Either(byte) => rank(byte).min(rank(byte.to_ascii_uppercase())),
        }
    }
}

/// The run, ready to be found.
pub(super) struct Needle {
    steps: Vec<Step>,
    /// Index of the rarest step.
    rarest: usize,
    /// For a run of exact bytes only.
    exact: Option<memchr::memmem::Finder<'static>>,
    whole: bool,
}

impl Needle {
    /// The best run of a pattern, if it has one. Never wrong: if in doubt, case is ignored.
    pub(super) fn of(pattern: &str, case: Case) -> Option<Self> {
        let ignore = match case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            // Without escapes and flags an upper-case letter stands for itself, and makes the search sensitive.
            Case::Smart => {
                let plain = !pattern.contains('\\') && !pattern.contains("(?");
                !(plain && pattern.bytes().any(|byte| byte.is_ascii_uppercase()))
            }
        };
        let hir =
            ParserBuilder::new().utf8(false).multi_line(true).case_insensitive(ignore).build().parse(pattern).ok()?;
        let mut runs = Runs::default();
        runs.gather(&hir);
        runs.end();
        let best = runs.done.into_iter().filter(|run| run.len() >= LEAST).max_by_key(|run| {
            let rarest = run.iter().map(|step| step.rarity()).max().unwrap_or_default();
            (rarest, run.len())
        })?;
        let rarest = (0..best.len()).max_by_key(|index| best[*index].rarity())?;
        let exact: Option<Vec<u8>> =
            best.iter().map(|step| if let Step::Exact(byte) = step { Some(*byte) } else { None }).collect();
        Some(Self {
            whole: runs.whole && best.len() == runs.steps,
            exact: exact.map(|bytes| memchr::memmem::Finder::new(&bytes).into_owned()),
            steps: best,
            rarest,
        })
    }

    /// Whether the run is the whole pattern, so that where it stands the pattern matches.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Where the run first stands.
    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        if let Some(exact) = &self.exact {
            return exact.find(text);
        }
        let stands = |at: usize| {
            let begin = at.checked_sub(self.rarest)?;
            let place = text.get(begin..begin + self.steps.len())?;
            self.steps.iter().zip(place).all(|(step, byte)| step.fits(*byte)).then_some(begin)
        };
        match *self.steps.get(self.rarest)? {
            Step::Exact(byte) => memchr::memchr_iter(byte, text).find_map(stands),
            Step::Either(byte) => memchr::memchr2_iter(byte, byte.to_ascii_uppercase(), text).find_map(stands),
        }
    }
}

/// Runs that every match holds.
struct Runs {
    current: Vec<Step>,
    done: Vec<Vec<Step>>,
    /// Steps in all runs together.
    steps: usize,
    /// Whether the pattern is nothing but steps so far.
    whole: bool,
}

impl Default for Runs {
    fn default() -> Self {
        Self { current: Vec::new(), done: Vec::new(), steps: 0, whole: true }
    }
}

impl Runs {
    fn gather(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty => {}
            // Of no width: what stands around it is adjacent.
            HirKind::Look(_) => self.whole = false,
            HirKind::Literal(literal) => literal.0.iter().for_each(|byte| self.push(Step::Exact(*byte))),
            HirKind::Class(class) => match caseless(class) {
                Some(letter) => self.push(Step::Either(letter)),
                None => self.split(),
            },
            HirKind::Capture(capture) => self.gather(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.gather(part)),
            HirKind::Repetition(repetition) => {
                self.split();
                if repetition.min > 0 {
                    self.gather(&repetition.sub);
                    self.split();
                }
            }
            HirKind::Alternation(_) => self.split(),
        }
    }

    fn push(&mut self, step: Step) {
        self.current.push(step);
        self.steps += 1;
    }

    /// Something stands here that is not one known character.
    fn split(&mut self) {
        self.whole = false;
        self.end();
    }

    fn end(&mut self) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
    }
}

/// The letter, in lower case, if the class is just its two cases.
fn caseless(class: &Class) -> Option<u8> {
    let two: Vec<u32> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().filter(|r| r.start() == r.end()).map(|r| r.start().into()).collect()
        }
        Class::Bytes(class) => {
            class.ranges().iter().filter(|r| r.start() == r.end()).map(|r| r.start().into()).collect()
        }
    };
    let count = match class {
        Class::Unicode(class) => class.ranges().len(),
        Class::Bytes(class) => class.ranges().len(),
    };
    let [upper, lower] = two[..] else { return None };
    let (upper, lower) = (u8::try_from(upper).ok()?, u8::try_from(lower).ok()?);
    (count == 2 && upper.is_ascii_uppercase() && lower == upper.to_ascii_lowercase()).then_some(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, case: Case, text: &str) -> Option<usize> {
        Needle::of(pattern, case).and_then(|needle| needle.find(text.as_bytes()))
    }

    #[test]
    fn takes_the_required_run() {
        assert_eq!(found("[a-z]+_zzqq[0-9]{3}", Case::Smart, "xx ab_ZzqQ12"), Some(5));
        assert_eq!(found("Foo(bar)?Quux", Case::Smart, "FooQuux"), Some(3));
        assert_eq!(found("(ab)+", Case::Sensitive, "xab"), Some(1));
        assert_eq!(found(r"\bfn\b", Case::Smart, "a FN"), Some(2));
        assert!(Needle::of("foo|bar", Case::Smart).is_none());
        assert!(Needle::of("(foo)*", Case::Smart).is_none());
        assert!(Needle::of("[0-9]+x", Case::Smart).is_none());
    }

    #[test]
    fn whole_patterns_need_no_matcher() {
        let whole = |pattern, case| Needle::of(pattern, case).is_some_and(|needle| needle.is_whole());
        assert!(whole("zzqq_not_there", Case::Sensitive));
        assert!(whole("(fn )", Case::Smart));
        assert!(!whole("zzqq_kelvin", Case::Smart));
        assert!(!whole("^fn ", Case::Smart));
        assert!(!whole("abc?", Case::Sensitive));
    }

    #[test]
    fn letters_with_relatives_outside_ascii_are_left_to_the_matcher() {
        // U+212A is a k, U+017F is an s: the run must hold neither.
        let needle = Needle::of("unsafely_bulk", Case::Insensitive).expect("a needle");
        assert!(needle.steps.iter().all(|step| !matches!(step, Step::Either(b'k' | b's'))));
        assert!(needle.find("UNſAFELY_BULK".as_bytes()).is_some());
    }

    #[test]
    fn smart_case_never_misses() {
        assert_eq!(found(r"Foo\W", Case::Smart, "foo "), Some(0), "an escape leaves it open, so case is ignored");
        assert_eq!(found("FooBar", Case::Smart, "foobar"), None);
    }
}
