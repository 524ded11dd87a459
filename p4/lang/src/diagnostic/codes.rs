//! The codes of all diagnostics. Each has a page in `p4/lang/errors`, which is compiled into the library.

/// Identifies a kind of diagnostic and explains it.
#[derive(Clone, Copy)]
pub struct Code {
    /// `E` (error) or `W` (warning) and a number. Codes are never reused.
    pub id: &'static str,
    /// What is wrong, in one line: the heading of the page.
    pub title: &'static str,
    /// A Markdown page: what the diagnostic means, an example that triggers it, the fix, and a reference.
    pub page: &'static str,
}

/// Returns the code with this id, ignoring case.
pub fn find(id: &str) -> Option<Code> {
    ALL.iter().copied().find(|c| c.id.eq_ignore_ascii_case(id))
}

/// Returns the pages of the documentation site: a Markdown file for each code, and `index.md`, which lists them.
pub fn pages() -> Vec<(String, String)> {
    let mut index = "# P4 errors and warnings\n\n| code | meaning |\n|---|---|\n".to_owned();
    for code in ALL {
        index.push_str(&format!("| [{id}]({id}.md) | {title} |\n", id = code.id, title = code.title));
    }
    let pages = ALL.iter().map(|code| (format!("{}.md", code.id), code.page.to_owned()));
    std::iter::once(("index.md".to_owned(), index)).chain(pages).collect()
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// Declares one constant for each code, and the list of all codes.
macro_rules! codes {
    ($($name:ident $id:literal $title:literal)*) => {
        $(
            #[doc = $title]
            pub const $name: Code = Code {
                id: $id,
                title: $title,
                page: include_str!(concat!("../../errors/", $id, ".md")),
            };
        )*
        /// All codes, sorted by id.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    UNEXPECTED_CHARACTER "E0001" "unknown character"
    UNTERMINATED "E0002" "unterminated string literal or comment"
    BAD_NUMBER "E0003" "invalid number literal"
    TOO_LARGE "E0004" "limit of the front end exceeded"
    NO_SUCH_FILE "E0101" "file not found or not readable"
    BAD_DIRECTIVE "E0102" "invalid preprocessor directive"
    UNBALANCED_CONDITIONAL "E0103" "unbalanced conditional directive"
    BAD_CONDITION "E0104" "invalid preprocessor condition"
    USER_ERROR "E0105" "`#error` directive or failed static assertion"
    BAD_MACRO_CALL "E0106" "wrong number of macro arguments"
    UNEXPECTED_TOKEN "E0201" "syntax error"
    UNKNOWN_NAME "E0301" "undeclared name"
    DUPLICATE_NAME "E0302" "duplicate declaration"
    UNKNOWN_MEMBER "E0303" "no such field, member or method"
    NOT_A_TYPE "E0304" "expected a type, found a value"
    NOT_A_VALUE "E0305" "expected a value, found a type or object"
    TYPE_MISMATCH "E0401" "mismatched types"
    BAD_OPERANDS "E0402" "operator not defined for its operand types"
    BAD_CAST "E0403" "invalid cast"
    BAD_CALL "E0404" "call does not match the declaration"
    CANNOT_INFER "E0405" "type cannot be inferred"
    BAD_TYPE_ARGUMENTS "E0406" "wrong type arguments"
    NOT_ASSIGNABLE "E0407" "expression is not an l-value"
    BAD_WIDTH "E0408" "width or size out of range"
    BAD_TYPE "E0409" "type not allowed here"
    NOT_CONSTANT "E0410" "value is not known at compile time"
    OUT_OF_RANGE "E0411" "value out of range for its type"
    BAD_ARITHMETIC "E0412" "arithmetic without a defined result"
    BAD_SLICE "E0413" "invalid bit slice"
    BAD_INDEX "E0414" "index out of bounds"
    BAD_STATEMENT "E0501" "statement not allowed here"
    MISPLACED "E0502" "declaration or call not allowed here"
    BAD_TABLE "E0503" "invalid table declaration"
    BAD_KEY "E0504" "invalid table key or `select` key"
    BAD_ACTION "E0505" "invalid use of an action"
    BAD_ENTRY "E0506" "invalid table entry"
    BAD_SWITCH "E0507" "invalid `switch` statement"
    BAD_STATE "E0508" "invalid parser state or transition"
    MISSING_RETURN "E0509" "missing `return`"
    RECURSION "E0510" "recursion"
    BAD_ANNOTATION "E0511" "invalid annotation"
    BAD_PACKAGE "E0602" "`main` does not match the architecture"
    UNSUPPORTED "E0603" "construct not supported by v1model"
    BAD_EXTERN "E0604" "invalid use of an architecture object"
    SECOND_ACCESS "E0605" "register accessed more than once by a packet"
    SHARED_REGISTER "E0606" "register used in ingress and egress"
    SECOND_LPM_KEY "E0607" "more than one `lpm` key in a table"
    USER_WARNING "W0101" "`#warning` directive"
    MACRO_REDEFINED "W0102" "macro redefined"
    DEPRECATED "W0401" "use of a deprecated declaration"
    TRUNCATED "W0402" "constant truncated"
    UNUSED "W0403" "unused declaration"
    UNINITIALIZED "W0404" "use of a possibly uninitialised value"
    UNREACHABLE "W0405" "unreachable code"
    NO_MATCH "W0406" "label never matches"
    UNKNOWN_EXTERN "W0407" "unknown extern"
    NOT_RUN "W0408" "program cannot run on v1model"
    INVALID_HEADER "W0409" "access to a possibly invalid header"
    SAME_CONTROL_NAME "W0410" "duplicate control-plane name"
    SHADOWS "W0411" "name shadows an outer declaration"
    OVERLAP "W0412" "overlapping arguments"
    CONSTANT_KEY "W0413" "constant key"
    MASKED_BITS "W0414" "value has bits outside its mask"
    PRIORITIES "W0415" "entry priorities contradict the order of the entries"
    NESTED_CONDITIONAL "W0416" "nested conditional expression that p4c reads differently"
    IMPLICIT_CAST "W0417" "number used as a value of a `type` without a cast"
}
