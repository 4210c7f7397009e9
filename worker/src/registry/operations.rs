//! The seven operations, once (DESIGN §7): names, class, argument and result types, annotations, words, example.
//!
//! Types are data, so that one table gives argument parsing, JSON Schemas, the `.d.ts`, tool descriptions and
//! `help()`. Both sides read it: the worker to build `codemode.wit`, the parent to dispatch.

/// Names an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationId {
    /// `wit_find_repositories`
    FindRepositories,
    /// `wit_refs`
    Refs,
    /// `wit_open`
    Open,
    /// `wit_list`
    List,
    /// `wit_search_code`
    SearchCode,
    /// `wit_read`
    Read,
    /// `wit_context`
    Context,
}

/// What one call costs in Code Mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// One page unit.
    Page,
    /// One snapshot unit.
    Snapshot,
}

/// The type of an argument or of a part of a result.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// A whole number within inclusive bounds.
    Integer {
        /// Least accepted value.
        minimum: u64,
        /// Greatest accepted value.
        maximum: u64,
    },
    /// Any finite number.
    Number,
    /// A string of at most this many UTF-8 bytes.
    String {
        /// Greatest length in bytes.
        max_bytes: u64,
    },
    /// One of a few words.
    Enum(&'static [&'static str]),
    /// A list.
    Array {
        /// The type of each item.
        items: &'static Type,
        /// Least accepted length.
        min_items: u64,
        /// Greatest accepted length.
        max_items: u64,
    },
    /// An object with exactly these fields.
    Object(&'static [Field]),
    /// The type, or `null`.
    Nullable(&'static Type),
}

/// A named argument, or a named part of a result.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// Whether it must be there.
    pub required: bool,
    /// The default as JSON, where there is a fixed one.
    pub default: Option<&'static str>,
    /// What it means, in a phrase.
    pub doc: &'static str,
}

/// One row of the operations table.
#[derive(Debug)]
pub struct Operation {
    /// Which operation.
    pub id: OperationId,
    /// The MCP tool, and the `operation` in errors and frames.
    pub tool: &'static str,
    /// The method on `codemode.wit`.
    pub method: &'static str,
    /// What a call costs.
    pub class: Class,
    /// Title for people.
    pub title: &'static str,
    /// One line for models.
    pub summary: &'static str,
    /// Whether it may reach beyond this machine (MCP `openWorldHint`).
    pub open_world: bool,
    /// The arguments.
    pub arguments: &'static [Field],
    /// The fields of the result object.
    pub result: &'static [Field],
    /// A call as a script writes it.
    pub example: &'static str,
}

const KIB: u64 = 1024;
/// Longest accepted repository name, ref or pattern, in bytes.
const TEXT_BYTES: u64 = 4 * KIB;
/// Longest accepted path or cursor, in bytes.
const PATH_BYTES: u64 = 16 * KIB;
/// Largest integer a result carries: exact in a JavaScript number.
const MAX_SAFE: u64 = (1 << 53) - 1;

const TEXT: Type = Type::String { max_bytes: TEXT_BYTES };
const PATH: Type = Type::String { max_bytes: PATH_BYTES };
const COUNT: Type = Type::Integer { minimum: 0, maximum: MAX_SAFE };
const LINE: Type = Type::Integer { minimum: 1, maximum: MAX_SAFE };
const ANY_TEXT: Type = Type::String { max_bytes: MAX_SAFE };

const fn required(name: &'static str, ty: Type, doc: &'static str) -> Field {
    Field { name, ty, required: true, default: None, doc }
}

const fn optional(name: &'static str, ty: Type, doc: &'static str) -> Field {
    Field { name, ty, required: false, default: None, doc }
}

const fn defaulted(name: &'static str, ty: Type, default: &'static str, doc: &'static str) -> Field {
    Field { name, ty, required: false, default: Some(default), doc }
}

const fn list_of(items: &'static Type, min_items: u64, max_items: u64) -> Type {
    Type::Array { items, min_items, max_items }
}

const REPO: Field = required("repo", TEXT, "owner/name, a GitHub URL, or a name mapped by the operator");
const SNAPSHOT: Field = required("snapshot_id", TEXT, "from open");
const CURSOR: Field = optional("cursor", PATH, "next_cursor of the page before");
const MAX_BYTES: Field =
    defaulted("max_bytes", Type::Integer { minimum: KIB, maximum: 256 * KIB }, "65536", "budget of the whole response");
const QUERIES: Field = required("queries", list_of(&TEXT, 1, 16), "regular expressions, any of which may match");
const GLOBS: Field = optional("globs", list_of(&TEXT, 0, 64), "only paths that match one; a leading ! excludes");

const BUDGET: Field = required(
    "budget",
    Type::Object(&[
        required("requested_bytes", COUNT, "the budget asked for"),
        required("serialized_bytes", COUNT, "the size of this response"),
        required("remaining_bytes", COUNT, "what is left of the budget"),
        optional("warning", ANY_TEXT, "what the budget cut short"),
    ]),
    "byte accounting of this response",
);
const SKIPPED_LONG: Field = optional("skipped_long_lines", COUNT, "lines over 1 MiB not searched");
const RETURNED: Field = required("returned_items", COUNT, "items in this page");
const HAS_MORE: Field = required("has_more", Type::Boolean, "whether another page follows");
const NEXT_CURSOR: Field = required("next_cursor", Type::Nullable(&ANY_TEXT), "cursor of the next page, or null");
const REPO_NAME: Field = required("repo", ANY_TEXT, "owner/name");
const COMMIT: Field = required("commit_sha", ANY_TEXT, "the pinned commit");
const SNAPSHOT_OUT: Field = required("snapshot_id", ANY_TEXT, "the snapshot");
const PATH_OUT: Field = required("path", ANY_TEXT, "path in the repository");
const BLOB: Field = required("blob_sha", ANY_TEXT, "id of the file's contents");
const TEXT_LINE: Type = Type::Object(&[
    required("line", LINE, "1-based line number"),
    required("text", ANY_TEXT, "the line without its ending"),
    optional("match", Type::Boolean, "whether a query matches here"),
    optional("true_bytes", COUNT, "length of a line that was cut"),
]);

/// The operations, in documentation order.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::FindRepositories,
        tool: "wit_find_repositories",
        method: "findRepositories",
        class: Class::Page,
        title: "Find repositories",
        summary: "Find repositories by name pattern, language or search query.",
        open_world: true,
        arguments: &[
            optional("pattern", TEXT, "part of owner/name"),
            optional("lang", TEXT, "primary language"),
            optional("query", TEXT, "GitHub repository search query"),
            CURSOR,
            defaulted("max_items", Type::Integer { minimum: 1, maximum: 1000 }, "30", "items a page"),
            MAX_BYTES,
        ],
        result: &[
            required(
                "items",
                list_of(
                    &Type::Object(&[
                        required("full_name", ANY_TEXT, "owner/name"),
                        required("name", ANY_TEXT, "name"),
                        required("description", Type::Nullable(&ANY_TEXT), "description"),
                        required("language", Type::Nullable(&ANY_TEXT), "primary language"),
                        required("stars", COUNT, "stars"),
                        required("html_url", ANY_TEXT, "web page"),
                    ]),
                    0,
                    1000,
                ),
                "repositories",
            ),
            RETURNED,
            HAS_MORE,
            NEXT_CURSOR,
            BUDGET,
        ],
        example: "await codemode.wit.findRepositories({ query: 'language:rust mcp' })",
    },
    Operation {
        id: OperationId::Refs,
        tool: "wit_refs",
        method: "refs",
        class: Class::Page,
        title: "List refs",
        summary: "List branches, tags and pull requests, or resolve one ref.",
        open_world: true,
        arguments: &[
            REPO,
            optional("ref", TEXT, "resolve only this one"),
            CURSOR,
            defaulted("max_items", Type::Integer { minimum: 1, maximum: 1000 }, "100", "items a page"),
            MAX_BYTES,
        ],
        result: &[
            REPO_NAME,
            required(
                "items",
                list_of(
                    &Type::Object(&[
                        required("name", ANY_TEXT, "short name"),
                        required(
                            "kind",
                            Type::Enum(&["branch", "tag", "pull", "commit"]),
                            "kind of ref; commit for a bare id",
                        ),
                        required("commit_sha", ANY_TEXT, "commit it leads to"),
                        required("resolved_ref", Type::Nullable(&ANY_TEXT), "full name, or null for a bare commit"),
                        required("is_default", Type::Boolean, "whether it is the default branch"),
                    ]),
                    0,
                    1000,
                ),
                "refs",
            ),
            RETURNED,
            HAS_MORE,
            NEXT_CURSOR,
            BUDGET,
        ],
        example: "await codemode.wit.refs({ repo: 'owner/name' })",
    },
    Operation {
        id: OperationId::Open,
        tool: "wit_open",
        method: "open",
        class: Class::Snapshot,
        title: "Open a repository",
        summary: "Pin one commit of a repository; gives the snapshot_id the other operations take.",
        open_world: true,
        arguments: &[
            REPO,
            optional("ref", TEXT, "branch, tag, commit id, refs/..., pull/7 or #7; default branch if absent"),
            defaulted(
                "freshness",
                Type::Enum(&["allow_stale", "require_fresh"]),
                "\"allow_stale\"",
                "whether a cached branch tip will do",
            ),
        ],
        result: &[
            SNAPSHOT_OUT,
            REPO_NAME,
            required("requested_ref", Type::Nullable(&ANY_TEXT), "the ref asked for"),
            required("resolved_ref", Type::Nullable(&ANY_TEXT), "full name of the ref, or null for a bare commit"),
            COMMIT,
            required(
                "cache",
                Type::Object(&[
                    required("state", Type::Enum(&["fresh", "cached", "stale"]), "where the snapshot came from"),
                    required("last_checked_at", Type::Nullable(&ANY_TEXT), "RFC 3339"),
                    required("last_updated_at", Type::Nullable(&ANY_TEXT), "RFC 3339"),
                    required("last_error", Type::Nullable(&ANY_TEXT), "stable code of the last failed refresh"),
                ]),
                "cache state",
            ),
            required(
                "totals",
                Type::Object(&[required("files", COUNT, "files"), required("bytes", COUNT, "bytes of their contents")]),
                "size of the tree",
            ),
            required("capabilities", list_of(&ANY_TEXT, 0, 16), "operations this snapshot supports"),
        ],
        example: "const s = await codemode.wit.open({ repo: 'owner/name', ref: 'main' })",
    },
    Operation {
        id: OperationId::List,
        tool: "wit_list",
        method: "list",
        class: Class::Page,
        title: "List paths",
        summary: "List files and directories of a snapshot.",
        open_world: false,
        arguments: &[
            SNAPSHOT,
            defaulted("path", PATH, "\"\"", "directory to list; the root if empty"),
            defaulted("depth", Type::Integer { minimum: 1, maximum: 32 }, "2", "levels below path"),
            defaulted("format", Type::Enum(&["structured", "paths"]), "\"structured\"", "objects, or bare paths"),
            defaulted("include_metadata", Type::Boolean, "false", "line counts and blob ids too"),
            CURSOR,
            defaulted("max_items", Type::Integer { minimum: 1, maximum: 1000 }, "100", "items a page"),
            MAX_BYTES,
        ],
        result: &[
            REPO_NAME,
            COMMIT,
            SNAPSHOT_OUT,
            optional(
                "items",
                list_of(
                    &Type::Object(&[
                        PATH_OUT,
                        required("kind", Type::Enum(&["file", "dir", "symlink", "submodule"]), "kind of entry"),
                        optional("size", COUNT, "bytes of a file"),
                        optional("lines", COUNT, "lines of a text file"),
                        optional("blob_sha", ANY_TEXT, "id of the contents"),
                        optional("executable", Type::Boolean, "whether the file is executable"),
                        optional("target", ANY_TEXT, "where a symlink points"),
                        optional("sha", ANY_TEXT, "commit of a submodule"),
                        optional("url", Type::Nullable(&ANY_TEXT), "address of a submodule"),
                        optional(
                            "lfs",
                            Type::Object(&[required("oid", ANY_TEXT, "LFS id"), required("size", COUNT, "true size")]),
                            "LFS pointer",
                        ),
                        optional("stored", Type::Boolean, "false when the contents are over the size cap"),
                        optional(
                            "path_base64",
                            ANY_TEXT,
                            "exact bytes of a path that is not UTF-8; base64: and this is its path elsewhere",
                        ),
                    ]),
                    0,
                    1000,
                ),
                "entries, in path order (format structured)",
            ),
            optional("paths", list_of(&ANY_TEXT, 0, 1000), "paths, directories with a trailing slash (format paths)"),
            RETURNED,
            HAS_MORE,
            NEXT_CURSOR,
            BUDGET,
        ],
        example: "await codemode.wit.list({ snapshot_id, path: 'src', format: 'paths' })",
    },
    Operation {
        id: OperationId::SearchCode,
        tool: "wit_search_code",
        method: "searchCode",
        class: Class::Page,
        title: "Search code",
        summary: "Search file contents with regular expressions.",
        open_world: false,
        arguments: &[
            SNAPSHOT,
            QUERIES,
            defaulted("path_prefix", PATH, "\"\"", "only below this path"),
            optional("glob", TEXT, "one glob; same as globs with one"),
            GLOBS,
            optional("exclude", list_of(&TEXT, 0, 64), "globs of paths to leave out"),
            defaulted("case", Type::Enum(&["smart", "sensitive", "insensitive"]), "\"smart\"", "case rule"),
            defaulted("context_lines", Type::Integer { minimum: 0, maximum: 100 }, "4", "lines around a match"),
            CURSOR,
            defaulted("max_results", Type::Integer { minimum: 1, maximum: 1000 }, "100", "matches a page"),
            MAX_BYTES,
        ],
        result: &[
            REPO_NAME,
            COMMIT,
            SNAPSHOT_OUT,
            required(
                "items",
                list_of(
                    &Type::Object(&[
                        PATH_OUT,
                        BLOB,
                        required("query", ANY_TEXT, "the query that matches"),
                        required("match_line", LINE, "line of the match"),
                        required("start_line", LINE, "first line shown"),
                        required("end_line", LINE, "last line shown"),
                        required("lines", list_of(&TEXT_LINE, 0, 201), "the lines"),
                        optional("lossy", Type::Boolean, "true when the text is not UTF-8"),
                        optional("path_base64", ANY_TEXT, "exact bytes of a path that is not UTF-8"),
                    ]),
                    0,
                    1000,
                ),
                "matches, in path and line order; each line once, under the first query that matches it",
            ),
            required("skipped_binary", COUNT, "binary files passed over"),
            optional("skipped_unstored", COUNT, "files over the size cap passed over"),
            SKIPPED_LONG,
            RETURNED,
            HAS_MORE,
            NEXT_CURSOR,
            BUDGET,
        ],
        example: "await codemode.wit.searchCode({ snapshot_id, queries: ['fn main'], globs: ['*.rs'] })",
    },
    Operation {
        id: OperationId::Read,
        tool: "wit_read",
        method: "read",
        class: Class::Page,
        title: "Read a file",
        summary: "Read lines of one file.",
        open_world: false,
        arguments: &[
            SNAPSHOT,
            required("path", PATH, "the file"),
            optional("start_line", LINE, "first line, 1-based"),
            optional("end_line", LINE, "last line, inclusive"),
            optional(
                "format",
                Type::Enum(&["structured", "text", "lines"]),
                "structured by default; text by default in Code Mode",
            ),
            CURSOR,
            optional("max_lines", Type::Integer { minimum: 1, maximum: 100_000 }, "lines a page"),
            MAX_BYTES,
        ],
        result: &[
            REPO_NAME,
            COMMIT,
            SNAPSHOT_OUT,
            PATH_OUT,
            BLOB,
            required("start_line", COUNT, "first line returned; 0 for an empty file"),
            required("end_line", COUNT, "last line returned; 0 for an empty file"),
            required("total_lines", COUNT, "lines of the file"),
            required("size", COUNT, "bytes of the file"),
            optional("text", ANY_TEXT, "the text, line endings kept (format text)"),
            optional("lines", list_of(&ANY_TEXT, 0, 100_000), "the lines without endings (format lines)"),
            optional("items", list_of(&TEXT_LINE, 0, 100_000), "numbered lines (format structured)"),
            optional("lossy", Type::Boolean, "true when the text is not UTF-8"),
            optional("partial_line", Type::Boolean, "true when the last line continues in the next page"),
            RETURNED,
            HAS_MORE,
            NEXT_CURSOR,
            BUDGET,
        ],
        example: "(await codemode.wit.read({ snapshot_id, path: 'README.md' })).text",
    },
    Operation {
        id: OperationId::Context,
        tool: "wit_context",
        method: "context",
        class: Class::Page,
        title: "Gather context",
        summary: "Rank the windows of code that best cover several queries.",
        open_world: false,
        arguments: &[
            SNAPSHOT,
            QUERIES,
            GLOBS,
            defaulted("context_lines", Type::Integer { minimum: 0, maximum: 100 }, "4", "lines around a match"),
            CURSOR,
            defaulted("max_results", Type::Integer { minimum: 1, maximum: 100 }, "20", "windows a page"),
            MAX_BYTES,
        ],
        result: &[
            REPO_NAME,
            COMMIT,
            SNAPSHOT_OUT,
            required(
                "items",
                list_of(
                    &Type::Object(&[
                        PATH_OUT,
                        BLOB,
                        required("queries", list_of(&ANY_TEXT, 1, 16), "queries hit"),
                        required("score", Type::Number, "higher is better"),
                        required("ranking_reasons", list_of(&ANY_TEXT, 0, 16), "why it ranks here"),
                        required("start_line", LINE, "first line shown"),
                        required("end_line", LINE, "last line shown"),
                        required("lines", list_of(&TEXT_LINE, 0, 100_000), "the lines"),
                        optional("lossy", Type::Boolean, "true when the text is not UTF-8"),
                        optional("path_base64", ANY_TEXT, "exact bytes of a path that is not UTF-8"),
                    ]),
                    0,
                    100,
                ),
                "windows, best first",
            ),
            SKIPPED_LONG,
            RETURNED,
            HAS_MORE,
            NEXT_CURSOR,
            BUDGET,
        ],
        example: "await codemode.wit.context({ snapshot_id, queries: ['retry', 'backoff'] })",
    },
];

impl OperationId {
    /// The row of the table.
    #[must_use]
    pub const fn entry(self) -> &'static Operation {
        &OPERATIONS[self as usize]
    }

    /// The operation whose tool has exactly this name.
    #[must_use]
    pub fn from_tool(tool: &str) -> Option<Self> {
        OPERATIONS.iter().find(|row| row.tool == tool).map(|row| row.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for (index, row) in OPERATIONS.iter().enumerate() {
            assert_eq!(row.id as usize, index);
            assert_eq!(OperationId::from_tool(row.tool), Some(row.id));
        }
        assert_eq!(OperationId::from_tool("wit_open "), None);
        assert_eq!(OperationId::from_tool("WIT_OPEN"), None);
    }

    #[test]
    fn defaults_are_json() {
        for field in OPERATIONS.iter().flat_map(|row| row.arguments) {
            if let Some(default) = field.default {
                assert!(serde_json::from_str::<serde_json::Value>(default).is_ok(), "{}", field.name);
            }
        }
    }
}
