//! One page of a collection within a byte budget, with exact accounting.
//!
//! `budget.serialized_bytes` is the length of the whole result as it is sent, this number included. Items are never
//! changed to fit: a page ends before the item that would not fit, so that a walk gives the same items for any budget.
//! Only an item that no page of that budget could hold is sent alone and over budget, and the page says so.

use serde_json::value::RawValue;

use super::OperationError;
use super::cursor::{CURSOR_BYTES, Position, Walk};
use wit_worker::registry::Code;

const WARNING_CUT: &str = "the byte budget ended this page early; next_cursor goes on";
const WARNING_OVER: &str = "one item is larger than the byte budget and was sent whole";
/// Longer than any warning, and the digits of all numbers at their largest.
const SLACK: usize = 64 + 64;

/// An item, serialized, and where the walk goes on after it.
pub(crate) struct Item {
    pub(crate) json: String,
    pub(crate) after: Position,
}

/// What surrounds the items.
pub(crate) struct Frame<'a> {
    /// `"name":value` pairs before the items, each with a comma behind it.
    pub(crate) head: String,
    /// The field that holds the items.
    pub(crate) name: &'static str,
    /// The budget asked for.
    pub(crate) max_bytes: u64,
    /// Issues the cursors.
    pub(crate) walk: &'a Walk<'a>,
}

/// How a page ends.
#[derive(Clone, Copy)]
pub(crate) struct Ending {
    /// Items, or lines, in the page.
    pub(crate) returned: usize,
    /// Where the next page begins, if there is one.
    pub(crate) next: Option<Position>,
    /// What the budget did.
    pub(crate) warning: Option<&'static str>,
}

impl Frame<'_> {
    /// Takes as many items as fit, at most `most`. The iterator may fail: then so does the page.
    pub(crate) fn fill(
        &self,
        items: impl Iterator<Item = Result<Item, OperationError>>,
        most: usize,
    ) -> Result<Box<RawValue>, OperationError> {
        self.fill_and_note(items, most, None)
    }

    /// The same; the page that ends the walk carries a warning of at most 64 bytes, if there is one.
    pub(crate) fn fill_and_note(
        &self,
        items: impl Iterator<Item = Result<Item, OperationError>>,
        most: usize,
        note: Option<&'static str>,
    ) -> Result<Box<RawValue>, OperationError> {
        let mut room = self.room();
        let mut taken: Vec<Item> = Vec::new();
        let mut ending = Ending { returned: 0, next: None, warning: None };
        for item in items {
            let item = item?;
            // One byte for the comma.
            let fits = room.checked_sub(item.json.len() + 1);
            if taken.len() == most || (fits.is_none() && !taken.is_empty()) {
                ending.next = taken.last().map(|last| last.after);
                if taken.len() < most {
                    ending.warning.get_or_insert(WARNING_CUT);
                }
                break;
            }
            if fits.is_none() {
                ending.warning = Some(WARNING_OVER);
            }
            room = fits.unwrap_or_default();
            taken.push(item);
        }
        ending.returned = taken.len();
        if ending.next.is_none() {
            ending.warning = ending.warning.or(note);
        }
        let list: Vec<&str> = taken.iter().map(|item| item.json.as_str()).collect();
        self.close(&format!("\"{}\":[{}],", self.name, list.join(",")), ending)
    }

    /// Bytes left for items once everything else has its largest form.
    pub(crate) fn room(&self) -> usize {
        let fixed = "{\"\":[],\"returned_items\":,\"has_more\":false,\"next_cursor\":\"\",\"budget\":{\"requested_bytes\":,\
                     \"serialized_bytes\":,\"remaining_bytes\":,\"warning\":\"\"}}";
        let other = fixed.len() + self.head.len() + self.name.len() + CURSOR_BYTES + SLACK;
        usize::try_from(self.max_bytes).unwrap_or(usize::MAX).saturating_sub(other)
    }

    /// The whole result: head, body (with a comma behind it), and the ending.
    pub(crate) fn close(&self, body: &str, ending: Ending) -> Result<Box<RawValue>, OperationError> {
        let cursor = match ending.next {
            Some(position) => format!("\"{}\"", self.walk.issue(position)),
            None => "null".to_owned(),
        };
        let warning = ending.warning.map_or_else(String::new, |words| format!(",\"warning\":\"{words}\""));
        let requested = self.max_bytes;
        let render = |serialized: u64| {
            format!(
                "{{{}{body}\"returned_items\":{},\"has_more\":{},\"next_cursor\":{cursor},\"budget\":{{\"requested_bytes\":{requested},\
                 \"serialized_bytes\":{serialized},\"remaining_bytes\":{}{warning}}}}}",
                self.head,
                ending.returned,
                ending.next.is_some(),
                requested.saturating_sub(serialized),
            )
        };
        // The number of digits changes the length, at most a few times; a length that would flip between two values
        // is settled by padding with a space, which JSON allows.
        let mut serialized = render(0).len() as u64;
        for _ in 0..8 {
            let text = render(serialized);
            let len = text.len() as u64;
            if len == serialized {
                return finish(text);
            }
            serialized = len.max(serialized);
            if len < serialized {
                let pad = usize::try_from(serialized - len).unwrap_or_default();
                return finish(text.replacen('{', &format!("{{{}", " ".repeat(pad)), 1));
            }
        }
        finish(render(serialized))
    }
}

fn finish(text: String) -> Result<Box<RawValue>, OperationError> {
    RawValue::from_string(text).map_err(|_| OperationError::new(Code::OperationFailed, "the result has no JSON form"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use wit_worker::registry::OperationId;

    fn pages(count: u64, size: usize, max_bytes: u64, most: usize) -> Vec<Value> {
        let key = [3; 32];
        let walk = Walk { key: &key, operation: OperationId::List, subject: "s", fingerprint: "{}".to_owned() };
        let frame = Frame { head: "\"repo\":\"a/b\",".to_owned(), name: "items", max_bytes, walk: &walk };
        let mut pages = Vec::new();
        let mut begin = Position(0, 0);
        loop {
            let items = (begin.0..count).map(|index| {
                Ok(Item { json: format!("\"{index}{}\"", "x".repeat(size)), after: Position(index + 1, 0) })
            });
            let text = frame.fill(items, most).expect("a page");
            let page: Value = serde_json::from_str(text.get()).expect("JSON");
            assert_eq!(page["budget"]["serialized_bytes"], text.get().len());
            assert_eq!(page["budget"]["remaining_bytes"], max_bytes.saturating_sub(text.get().len() as u64));
            let next = page["next_cursor"].as_str().map(|cursor| walk.accept(cursor).expect("our own"));
            pages.push(page);
            match next {
                Some(next) => begin = next,
                None => return pages,
            }
        }
    }

    #[test]
    fn every_item_comes_once_for_any_budget() {
        for (max_bytes, most) in [(1024, 1000), (1025, 3), (2000, 7), (65_536, 1000), (99_999, 1)] {
            let pages = pages(100, 40, max_bytes, most);
            let items: Vec<_> =
                pages.iter().flat_map(|page| page["items"].as_array().expect("a list").clone()).collect();
            let expected: Vec<_> = (0..100).map(|index| Value::from(format!("{index}{}", "x".repeat(40)))).collect();
            assert_eq!(items, expected);
            for page in &pages {
                assert!(page["budget"]["serialized_bytes"].as_u64().expect("a number") <= max_bytes);
                assert_eq!(page["has_more"], !page["next_cursor"].is_null());
                assert_eq!(page["returned_items"], page["items"].as_array().expect("a list").len());
            }
        }
    }

    #[test]
    fn sizes_around_powers_of_ten_are_exact() {
        for size in 600..1000 {
            pages(1, size, 1024, 5);
        }
        for size in 9_500..9_900 {
            pages(1, size, 65_536, 5);
        }
    }

    #[test]
    fn an_item_no_page_can_hold_is_sent_alone_and_said() {
        let pages = pages(3, 3000, 1024, 10);
        assert_eq!(pages.len(), 3);
        for page in pages {
            assert_eq!(page["budget"]["warning"], WARNING_OVER);
            assert_eq!(page["budget"]["remaining_bytes"], 0);
        }
    }
}
