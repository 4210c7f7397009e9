//! Choosing items by what they are: all conditions must hold, and an id may be given as a glob.

use super::Item;

/// Conditions; those left out hold for everything.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Filter {
    /// Ids: whole, or with `*` for any characters and `?` for one; several are alternatives
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Only this family, or families that match a glob
    #[arg(long)]
    pub family: Option<String>,
    /// Only what carries this flag of flags.toml
    #[arg(long)]
    pub flag: Option<String>,
    /// Only what attacks this invariant, I1 to I12
    #[arg(long)]
    pub invariant: Option<String>,
    /// Only what must end with this code, or tries to forge it
    #[arg(long)]
    pub code: Option<String>,
    /// Only what runs there: binary, session, to-parent, to-worker or probe
    #[arg(long)]
    pub place: Option<String>,
}

impl Filter {
    /// Whether an item is chosen.
    #[must_use]
    pub fn admits(&self, item: &Item) -> bool {
        let named = self.ids.is_empty() || self.ids.iter().any(|pattern| glob(pattern, &item.id));
        named
            && self.family.as_ref().is_none_or(|pattern| glob(pattern, &item.family))
            && self.flag.as_ref().is_none_or(|flag| item.flags.contains(flag))
            && self.invariant.as_ref().is_none_or(|name| item.invariants.contains(name))
            && self.code.as_ref().is_none_or(|code| item.codes.contains(code) || item.forges.as_ref() == Some(code))
            && self.place.as_ref().is_none_or(|place| item.place.name() == place)
    }
}

/// Whether a text matches a pattern as a whole: `*` stands for any characters, `?` for one, anything else for itself.
#[must_use]
pub fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // Where the last star stood, and how much of the text it has taken so far.
    let (mut at, mut from) = (0, 0);
    let mut star = None;
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || text.get(from) == Some(&wanted) => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = place + 1;
                    from = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|left| *left == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn globs_match_whole_texts() {
        for (pattern, text) in
            [("*", ""), ("a*", "a"), ("gen/*/null", "gen/x/y/null"), ("a?c", "abc"), ("*b*b", "abbb")]
        {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("a", "ab"), ("a?", "a"), ("*x", "xy"), ("a*b", "a")] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn conditions_narrow_together() {
        let catalogue = Catalogue::load().unwrap_or_else(|error| panic!("{error}"));
        let count = |filter: Filter| catalogue.items.iter().filter(|item| filter.admits(item)).count();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(count(Filter::default()), catalogue.items.len());
        let family = count(Filter { family: some("error-forging"), ..Filter::default() });
        let both =
            count(Filter { family: some("error-forging"), code: some("deadline_exceeded"), ..Filter::default() });
        assert!(0 < both && both < family && family < catalogue.items.len(), "{both} {family}");
        assert!(count(Filter { invariant: some("I3"), ..Filter::default() }) > 10);
        assert!(count(Filter { flag: some("unicode"), ..Filter::default() }) > 3);
        assert!(count(Filter { ids: vec!["gen/ready/*".to_owned()], ..Filter::default() }) > 20);
        assert_eq!(count(Filter { ids: vec!["no-such-case".to_owned()], ..Filter::default() }), 0);
        assert_eq!(count(Filter { place: some("session"), family: some("frames*"), ..Filter::default() }), 0);
    }
}
