//! Cuts a document into sentences, and says which of them are promises.
//!
//! Code blocks and headings are left out, and so are generated tables, whose rows come from registries that have tests
//! of their own; their names are kept. A row of a table is one text with its cells; the row of headings is none.

/// What a document holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Its sentences, in order.
    pub sentences: Vec<Sentence>,
    /// Names of its generated blocks.
    pub generated: Vec<String>,
}

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The 1-based line on which its paragraph, item or row begins.
    pub line: usize,
    /// The text, with single spaces.
    pub text: String,
}

/// Words that make a sentence a promise: of what always holds, never happens, or is refused.
const WORDS: &[&str] = &[
    "must", "never", "always", "only", "cannot", "can't", "no", "not", "nothing", "none", "neither", "refuse",
    "refuses", "refused", "every", "each", "any", "all", "exactly", "at most", "whatever", "without", "before",
];

/// Whether a sentence uses one of the words.
#[must_use]
pub fn is_promise(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let plain: String = lower.chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    let spaced = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    WORDS.iter().any(|word| spaced.contains(&format!(" {word} ")))
}

/// A text with single spaces.
#[must_use]
pub fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads a document.
#[must_use]
pub fn read(document: &str) -> Read {
    let mut reader = Reader::default();
    for (index, line) in document.lines().enumerate() {
        reader.line(index + 1, line.trim());
    }
    reader.flush();
    reader.read
}

#[derive(Default)]
struct Reader {
    read: Read,
    paragraph: String,
    began: usize,
    /// Inside a code block, or a generated one.
    code: bool,
    generated: bool,
    /// How many rows of the present table came.
    rows: usize,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) {
        if line.starts_with("```") {
            self.code = !self.code;
            return self.flush();
        }
        if let Some(name) = line.strip_prefix("<!-- generated: ") {
            self.generated = true;
            self.read.generated.push(name.trim_end_matches("-->").trim().to_owned());
            return self.flush();
        }
        if line.starts_with("<!-- end generated") {
            self.generated = false;
            return;
        }
        if self.code || self.generated {
            return;
        }
        if line.starts_with('|') {
            self.flush();
            self.rows += 1;
            // The headings, and the line below them.
            if self.rows > 2 {
                self.add(number, line.trim_matches('|').trim());
            }
            return;
        }
        self.rows = 0;
        if line.is_empty() || line.starts_with('#') {
            return self.flush();
        }
        let item = line.strip_prefix("- ").or_else(|| {
            let (number, rest) = line.split_once(". ")?;
            (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(rest)
        });
        if item.is_some() {
            self.flush();
        }
        if self.paragraph.is_empty() {
            self.began = number;
        }
        self.paragraph.push_str(item.unwrap_or(line));
        self.paragraph.push(' ');
    }

    fn flush(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let text = plain(&paragraph);
        let mut from = 0;
        // A sentence ends at a mark, a space, and what can begin another one.
        for (at, _) in text.match_indices(['.', '!', '?']) {
            let rest = text.get(at + 1..).unwrap_or_default();
            // A closing bracket, quote or emphasis belongs to what it closes.
            let closing = rest.len() - rest.trim_start_matches(['*', ')', '"', '\'', '`']).len();
            let Some(next) = rest.get(closing..).and_then(|rest| rest.strip_prefix(' ')) else { continue };
            if next.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || "`*\"([".contains(c)) {
                let end = at + 1 + closing;
                self.add(self.began, text.get(from..end).unwrap_or_default());
                from = end + 1;
            }
        }
        self.add(self.began, text.get(from..).unwrap_or_default());
    }

    fn add(&mut self, line: usize, text: &str) {
        let text = plain(text);
        if !text.is_empty() {
            self.read.sentences.push(Sentence { line, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(document: &str) -> Vec<String> {
        read(document).sentences.into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn prose_is_cut_at_its_ends() {
        let document = "# Title\n\nOne, of 1.5 parts\n(see e.g. this). `Two` is. **Three.** Four!\n\n- five\n  goes on\n- Six. Seven\n1. eight";
        assert_eq!(
            texts(document),
            [
                "One, of 1.5 parts (see e.g. this).",
                "`Two` is.",
                "**Three.**",
                "Four!",
                "five goes on",
                "Six.",
                "Seven",
                "eight"
            ]
        );
        assert_eq!(read("a\n\n\nb\nc").sentences.get(1), Some(&Sentence { line: 4, text: "b c".to_owned() }));
    }

    #[test]
    fn code_and_generated_tables_are_left_out_and_rows_are_whole() {
        let document = "```sh\nnever run\n```\n<!-- generated: x -->\n\n| a |\n\n<!-- end generated -->\n| h | i |\n|---|---|\n| A row. | Of two. |\n";
        assert_eq!(texts(document), ["A row. | Of two."]);
        assert_eq!(read(document).generated, ["x"]);
    }

    #[test]
    fn promises_are_known_by_whole_words() {
        for promise in
            ["It never ends.", "No file, no network", "**Refused**, whole.", "It gets at most two.", "It can't."]
        {
            assert!(is_promise(promise), "{promise}");
        }
        for other in ["It notes everything.", "Anyone knows.", "The noise is small.", "It is refusing."] {
            assert!(!is_promise(other), "{other}");
        }
    }
}
