//! The codes of all messages. Each has a page in `docs/p4-errors`, which is part of the library.

/// Identity and explanation of a kind of message.
#[derive(Clone, Copy)]
pub struct Code {
    /// `E` for errors, `W` for warnings, and a number that stays.
    pub id: &'static str,
    /// What it is about, in one line.
    pub title: &'static str,
    /// The rule behind it.
    pub explanation: &'static str,
    /// A page of Markdown: what it means, an example that is wrong, how to put it right.
    pub page: &'static str,
}

/// The code of that name, in any case.
pub fn find(id: &str) -> Option<Code> {
    ALL.iter().copied().find(|c| c.id.eq_ignore_ascii_case(id))
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

/// Declares the codes and the list of all of them.
macro_rules! codes {
    ($($name:ident $id:literal $title:literal $explanation:literal)*) => {
        $(
            #[doc = $title]
            pub const $name: Code = Code {
                id: $id,
                title: $title,
                explanation: $explanation,
                page: include_str!(concat!("../../../../docs/p4-errors/", $id, ".md")),
            };
        )*
        /// All codes in order.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    UNEXPECTED_CHARACTER "E0001" "character that P4 does not use"
        "P4 programs consist of ASCII letters, digits, `_`, white space and punctuation; anything else may stand only in comments and strings."
    UNTERMINATED "E0002" "string or comment that is not closed"
        "A string ends on the line it begins on; a comment that starts with `/*` ends with `*/`."
    BAD_NUMBER "E0003" "malformed number"
        "A number is decimal, `0x`, `0o`, `0b` or `0d`, may contain `_`, and may start with a width and `w` (unsigned) or `s` (signed): `8w255`, `4s0b0111`."
    TOO_LARGE "E0004" "limit of the front end exceeded"
        "Files, macros, expressions or types nest too deeply, or the program is too large after expansion."
    NO_SUCH_FILE "E0101" "file not found"
        "The main file or an included one does not exist. `core.p4` and `v1model.p4` are built in."
    BAD_DIRECTIVE "E0102" "malformed preprocessor directive"
        "A line that starts with `#` is a directive of the C preprocessor: `include`, `define`, `undef`, `if`, `ifdef`, `ifndef`, `elif`, `else`, `endif`, `error`, `warning`, `line`, `pragma`."
    UNBALANCED_CONDITIONAL "E0103" "conditional without its counterpart"
        "Each `#if`, `#ifdef` or `#ifndef` has one `#endif` in the same file, and at most one `#else`, after which no `#elif` comes."
    BAD_CONDITION "E0104" "malformed preprocessor condition"
        "A condition consists of integers, `defined(NAME)` and the operators of C; names that are no macros count as 0."
    USER_ERROR "E0105" "`#error`"
        "The program itself asks for an error here."
    BAD_MACRO_CALL "E0106" "macro called with the wrong arguments"
        "A macro takes as many arguments as it has parameters, in parentheses."
    USER_WARNING "W0101" "`#warning`"
        "The program itself asks for a warning here."
    MACRO_REDEFINED "W0102" "macro defined again, differently"
        "The later definition holds; `#undef` in between says that this is meant."
    UNEXPECTED_TOKEN "E0201" "syntax error"
        "What stands here does not fit the grammar of P4-16."
    UNKNOWN_NAME "E0301" "name that is not declared"
        "P4 names are declared before they are used; only parser states may be used earlier."
    DUPLICATE_NAME "E0302" "name declared twice"
        "A name is declared once in its scope; only functions, extern methods and `error`/`match_kind` lists come in several declarations."
    UNKNOWN_MEMBER "E0303" "no such field, member or method"
        "The type has no member of that name."
    NOT_A_TYPE "E0304" "value where a type is needed"
        "The name stands for a value, not for a type."
    NOT_A_VALUE "E0305" "type or object where a value is needed"
        "The name stands for a type, action, table, parser or control, which is no value."
    TYPE_MISMATCH "E0401" "wrong type"
        "The value has another type than its place asks for, and P4 has no implicit conversion between them. Only integers of infinite precision convert to `bit<w>` and `int<w>`, serialisable enums to their representation, and lists to structs, headers and tuples."
    BAD_OPERANDS "E0402" "operator used on types it is not defined for"
        "Arithmetic needs two operands of the same width and sign; logic needs `bool`; shifts need an unsigned or constant distance."
    BAD_CAST "E0403" "cast between types that have none"
        "Casts exist between `bit<w>`, `int<w>`, `int`, `bool` and `bit<1>`, enums and their representation, and types made by `type` and what they are made of."
    BAD_CALL "E0404" "call that does not fit its declaration"
        "Number, names, directions and types of the arguments follow the declaration that is called."
    CANNOT_INFER "E0405" "type that cannot be inferred"
        "The arguments do not determine a type parameter; give it in angle brackets, or give a literal a width."
    BAD_TYPE_ARGUMENTS "E0406" "wrong type arguments"
        "A generic type or function takes as many type arguments as it has parameters; others take none."
    NOT_ASSIGNABLE "E0407" "value that cannot be assigned to"
        "The left side of an assignment, and an argument for an `out` or `inout` parameter, is a variable, a field, an element or a slice of one that may be written."
    BAD_WIDTH "E0408" "impossible width or size"
        "Widths, sizes of stacks and sizes of objects are constants in the range that the type allows."
    BAD_TYPE "E0409" "type that may not stand there"
        "Headers contain fixed-size scalars and one varbit at most; header unions contain headers; structs contain no parsers, controls or externs; `string` and `int` are for constants."
    NOT_CONSTANT "E0410" "value that is not known when the program is compiled"
        "Widths, constants, constructor arguments, entries and select labels are computed by the compiler."
    OUT_OF_RANGE "E0411" "value that does not fit"
        "The value cannot be represented in its type."
    BAD_ARITHMETIC "E0412" "arithmetic without a result"
        "Division and remainder need a positive divisor and no negative operand; a shift distance is not negative."
    BAD_SLICE "E0413" "impossible bit slice"
        "A slice `x[high:low]` has constants with `high >= low` and lies inside the value."
    BAD_INDEX "E0414" "impossible element"
        "A constant index lies inside the stack; `next` and `last` exist in parsers only."
    BAD_STATEMENT "E0501" "statement that may not stand there"
        "`return` with a value belongs to functions, `exit` to controls and actions, `break` and `continue` to loops; parsers have neither `switch` nor `return`."
    BAD_PLACE "E0502" "declaration or call that may not stand there"
        "Objects are instantiated at the top or among the declarations of a parser or control; tables and controls are applied in controls, parsers in parsers; some extern calls belong to certain controls."
    BAD_TABLE "E0503" "malformed table"
        "A table has an `actions` property and at most one of each; `key`, `entries`, `default_action`, `size` and v1model's properties have the form the specification gives them."
    BAD_KEY "E0504" "malformed table key or select key"
        "A key is a scalar with a match kind the architecture knows."
    BAD_ACTION "E0505" "action that may not be used so"
        "An action in a table's list binds its directional parameters and leaves the others to the control plane; the default action and the entries use actions of the list."
    BAD_ENTRY "E0506" "entry that does not fit its table"
        "An entry has one key set for each component of the key, of the form its match kind allows, and constant action data."
    BAD_SWITCH "E0507" "malformed `switch`"
        "Labels are distinct constants, or the names of the table's actions for `switch (t.apply().action_run)`; `default` comes once, last."
    BAD_STATE "E0508" "malformed parser state or transition"
        "A parser has a state `start`; `accept` and `reject` are not declared; a transition names a state of the same parser."
    MISSING_RETURN "E0509" "function that may end without a value"
        "Each path through a function with a result ends in `return value`."
    RECURSION "E0510" "recursion"
        "P4 has none: functions, actions, parsers and controls call only what has been declared before."
    BAD_ANNOTATION "E0511" "malformed annotation"
        "`@name` takes a string, `@id` a number; an annotation is either structured (`[...]`) or not, and some have a fixed form."
    BAD_PACKAGE "E0602" "`main` is not what the architecture asks for"
        "For v1model, `main` is an instance of `V1Switch` with a parser, two checksum controls, ingress, egress and deparser."
    UNSUPPORTED "E0603" "construct that the v1model target does not support"
        "The program is P4, but the architecture has no way to run it."
    BAD_EXTERN "E0604" "architecture object used wrongly"
        "v1model's objects and functions have rules of their own: where they may be called, and which arguments are constants."
    DEPRECATED "W0401" "deprecated object"
        "The declaration is marked `@deprecated`; its message says what replaces it."
    TRUNCATED "W0402" "constant cut to its width"
        "A constant does not fit its type, and its upper bits are lost."
    UNUSED "W0403" "declared and never used"
        "Nothing uses this declaration."
    UNINITIALIZED "W0404" "may be read before it is written"
        "The value of a variable, or of a field of an invalid header, is undefined until it is written."
    UNREACHABLE "W0405" "never reached"
        "Nothing leads here."
    UNKNOWN_EXTERN "W0407" "object that v1model does not have"
        "The program declares an extern of its own. The switch has nothing to run for it: its methods do nothing, and what they should give stays zero."
    NOT_RUN "W0408" "program that the switch cannot run"
        "The program is checked completely, but its `main` is for another architecture than v1model, or it has none."
    INVALID_HEADER "W0409" "field of a header that may be invalid"
        "On some path the header has not been made valid, or has been made invalid, where its field is read or written. Ask `isValid()` first."
    SAME_CONTROL_NAME "W0410" "control-plane name given twice"
        "Two actions, or two tables, have the same name for the control plane. The program runs, but P4Info cannot be made of it."
    SHADOWS "W0411" "name that hides another"
        "Inside of a parser, control, function or block a name may be declared again; what it stood for cannot be reached there."
    OVERLAP "W0412" "arguments that overlap"
        "A call copies what it has written back in the order of its parameters; where two arguments share storage, the later one stays."
    CONSTANT_KEY "W0413" "key that is always the same"
        "A constant distinguishes no packets."
    MASKED_BITS "W0414" "value with bits that its mask leaves out"
        "Only the bits of the mask are compared; the others count as zero."
    PRIORITIES "W0415" "priorities that contradict the order"
        "Entries of the same priority, or that stand before entries which win over them."
    NO_MATCH "W0406" "label that can never match"
        "The value cannot occur."
}
