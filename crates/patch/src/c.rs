//! The places of C.
//!
//! A statement in a block is followed by its fence; alone in a branch it gets braces. Expressions
//! that decide where control goes next (conditions, returned values, parts of a `for` header) are
//! computed and fenced in a GNU statement expression. `&&`, `||`, `?:`, commas and the arguments of
//! calls are part of their statement. A location in a macro's use is that of the use, so the place
//! is around it.
//!
//! The last expression of a statement expression `({ … })` is its value: after a fence behind it
//! the value would be gone, and without types it cannot be kept (it may be void). So it belongs to
//! the place around.

use crate::errors::{is_behind_error, spreads};
use crate::exits;
use crate::place::{Place, PlaceKind, Refusal};
use crate::syntax::{Answer, Syntax, ancestors, children, is_field};
use crate::tree::Node;

/// Whether a node is a place.
pub(crate) fn ask(syntax: &Syntax, node: Node<'_>) -> Answer {
    if node.is_error() {
        return Answer::None(Refusal::SyntaxError);
    }
    let Some(parent) = node.parent() else {
        return Answer::None(Refusal::NoStatement);
    };
    let answer = match (node.kind(), parent.kind()) {
        ("preproc_def" | "preproc_function_def", _) => Answer::None(Refusal::MacroDefinition),
        ("preproc_include" | "preproc_call", _) => Answer::None(Refusal::Preprocessor),
        (_, "preproc_if" | "preproc_elif") if is_field(parent, "condition", node) => {
            Answer::None(Refusal::Preprocessor)
        }
        ("declaration", "for_statement") => for_declaration(node, parent),
        ("declaration", _) => declaration(syntax, node),
        ("expression_statement", _) if node.named_child_count() == 0 => {
            Answer::None(Refusal::NoStatement)
        }
        ("expression_statement", _) => statement(node),
        (_, "for_statement") => for_header(node, parent),
        ("return_statement", _) => returned(syntax, node),
        ("parenthesized_expression", kind) if is_field(parent, "condition", node) => {
            condition(node, kind)
        }
        // The block of a statement expression, or an argument of a macro: part of a statement.
        ("compound_statement", "parenthesized_expression" | "argument_list") => Answer::Ask,
        (
            "compound_statement"
            | "if_statement"
            | "else_clause"
            | "while_statement"
            | "do_statement"
            | "for_statement"
            | "switch_statement"
            | "case_statement"
            | "labeled_statement"
            | "attributed_statement"
            | "goto_statement"
            | "break_statement"
            | "continue_statement"
            | "function_definition",
            _,
        ) => Answer::None(Refusal::NoStatement),
        _ => Answer::Ask,
    };
    match answer {
        Answer::Place(_) if is_argument(node) => Answer::Ask,
        Answer::Place(_) | Answer::None(_) | Answer::Ask | Answer::AskElse(_) => answer,
    }
}

/// Whether a node is in a block that is an argument. Only a macro has such arguments, and what it
/// makes of them is located where it is used.
fn is_argument(node: Node<'_>) -> bool {
    ancestors(node).any(|block| {
        block.kind() == "compound_statement"
            && block.parent().is_some_and(|list| list.kind() == "argument_list")
    })
}

/// The identifier in a function's declarator.
pub(crate) fn function_name(function: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(function.child_by_field_name("declarator"), |node| {
        node.child_by_field_name("declarator").or_else(|| match node.kind() {
            "parenthesized_declarator" | "attributed_declarator" => node.named_child(0),
            _ => None,
        })
    })
    .find(|node| node.kind() == "identifier")
}

/// The type that a function returns, as it can be written before a variable's name. None if it is
/// not made of a type and stars, or if it cannot be told from macros in front of it.
pub(crate) fn return_type(syntax: &Syntax, function: Node<'_>) -> Option<String> {
    if is_behind_error(function) {
        return None;
    }
    let specifiers =
        children(function).take_while(|child| !is_field(function, "declarator", *child));
    let (mut qualifiers, mut types) = (Vec::new(), Vec::new());
    for specifier in specifiers {
        let word = syntax.of(specifier);
        match specifier.kind() {
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                if specifier.child_by_field_name("body").is_some() {
                    return None;
                }
                types.push(word);
            }
            "type_identifier" | "primitive_type" | "sized_type_specifier" => types.push(word),
            "type_qualifier" if matches!(word, "const" | "volatile") => qualifiers.push(word),
            // After `INLINE`, which looks like a type, the type looks like an error.
            "ERROR" if is_basic_type(word) => types = vec![word],
            "type_qualifier"
            | "storage_class_specifier"
            | "attribute_specifier"
            | "attribute_declaration" => {}
            _ => return None,
        }
    }
    let [only] = types[..] else { return None };
    qualifiers.push(only);
    let mut declarator = function.child_by_field_name("declarator")?;
    let mut stars = String::new();
    while declarator.kind() == "pointer_declarator" {
        stars.push('*');
        declarator = declarator.child_by_field_name("declarator")?;
    }
    let names_function = declarator.kind() == "function_declarator"
        && declarator.child_by_field_name("declarator")?.kind() == "identifier";
    names_function.then(|| format!("{} {stars}", qualifiers.join(" ")))
}

fn is_basic_type(word: &str) -> bool {
    let named =
        ["void", "bool", "_Bool", "char", "short", "int", "long", "unsigned", "float", "double"];
    named.contains(&word) || (word.ends_with("_t") && !word.contains(char::is_whitespace))
}

fn place(node: Node<'_>, point: usize, kind: PlaceKind) -> Answer {
    Answer::Place(Place { range: node.byte_range(), point, kind, exits: exits::in_c(node) })
}

/// An expression whose value is needed where it stands.
fn value(node: Node<'_>, kind: PlaceKind) -> Answer {
    if spreads(node) {
        Answer::None(Refusal::SyntaxError)
    } else {
        place(node, node.end_byte(), kind)
    }
}

fn condition(parenthesized: Node<'_>, statement: &str) -> Answer {
    let kind = match statement {
        "if_statement" | "while_statement" | "do_statement" => PlaceKind::Condition,
        "switch_statement" => PlaceKind::SwitchValue,
        _ => return Answer::Ask,
    };
    let mut inside = children(parenthesized).filter(Node::is_named);
    match (inside.next(), inside.next()) {
        // `if (({ … }))`: what is in parentheses is the statement expression itself.
        (Some(only), None) if only.kind() == "compound_statement" => {
            Answer::None(Refusal::SyntaxError)
        }
        (Some(only), None) if !spreads(parenthesized) && !children(parenthesized).any(spreads) => {
            value(only, kind)
        }
        _ => Answer::None(Refusal::SyntaxError),
    }
}

fn for_header(node: Node<'_>, header: Node<'_>) -> Answer {
    if is_field(header, "initializer", node) || is_field(header, "update", node) {
        value(node, PlaceKind::ForStep)
    } else if is_field(header, "condition", node) {
        value(node, PlaceKind::Condition)
    } else {
        Answer::Ask
    }
}

fn for_declaration(node: Node<'_>, header: Node<'_>) -> Answer {
    // Its header is written anew up to the declaration: `for (` and nothing else may be in front.
    let plain = (0..header.child_count())
        .filter_map(|at| header.child(at))
        .take_while(|child| *child != node)
        .all(|child| matches!(child.kind(), "for" | "("));
    if spreads(header) || !plain || is_static(node) {
        return Answer::None(Refusal::SyntaxError);
    }
    place(node, node.end_byte(), PlaceKind::ForDeclaration)
}

/// The value of a `return`. The location of `return` itself belongs to it: that of the store to
/// where the caller finds the value.
fn returned(syntax: &Syntax, statement: Node<'_>) -> Answer {
    let Some(node) = children(statement).find(Node::is_named) else {
        return Answer::None(Refusal::NoStatement);
    };
    let mut functions = ancestors(statement).filter(|node| node.kind() == "function_definition");
    // What looks like a function in a function may be an `else` behind a macro.
    let (Some(function), None) = (functions.next(), functions.next()) else {
        return Answer::None(Refusal::SyntaxError);
    };
    if spreads(statement) {
        return Answer::None(Refusal::SyntaxError);
    }
    let kind = match return_type(syntax, function) {
        Some(words) if words.trim() == "void" => PlaceKind::VoidReturn,
        Some(_) | None => PlaceKind::ReturnValue,
    };
    let range = statement.start_byte()..node.end_byte();
    Answer::Place(Place { range, point: node.end_byte(), kind, exits: exits::in_c(node) })
}

fn is_static(declaration: Node<'_>) -> bool {
    children(declaration)
        .filter(|child| child.kind() == "storage_class_specifier")
        .filter_map(|class| class.child(0))
        .any(|word| matches!(word.kind(), "static" | "extern" | "thread_local" | "__thread"))
}

fn declaration(syntax: &Syntax, node: Node<'_>) -> Answer {
    if is_static(node) {
        return Answer::None(Refusal::Constant);
    }
    let macro_name = node
        .child_by_field_name("type")
        .filter(|kind| kind.kind() == "macro_type_specifier")
        .and_then(|kind| kind.child_by_field_name("name"));
    let keywords = ["_Atomic", "typeof", "__typeof__", "__typeof", "typeof_unqual"];
    if macro_name.is_some_and(|name| !keywords.contains(&syntax.of(name))) {
        return Answer::None(Refusal::MacroType);
    }
    statement(node)
}

/// Where a statement is, and so how a fence can follow it.
fn statement(node: Node<'_>) -> Answer {
    if spreads(node) {
        return Answer::None(Refusal::SyntaxError);
    }
    let mut inner = node;
    loop {
        if is_behind_error(inner) {
            return Answer::None(Refusal::SyntaxError);
        }
        let Some(around) = inner.parent() else {
            return Answer::None(Refusal::NoStatement);
        };
        let kind = match around.kind() {
            // A label stays in front, and what is added goes behind or around the statement.
            "labeled_statement"
            | "attributed_statement"
            | "preproc_if"
            | "preproc_ifdef"
            | "preproc_elif"
            | "preproc_elifdef"
            | "preproc_else" => {
                inner = around;
                continue;
            }
            "case_statement" => {
                if around.parent().is_none_or(|outer| !is_block(outer)) {
                    return Answer::None(Refusal::StrayCase);
                }
                inner = around;
                continue;
            }
            "compound_statement" => {
                let value =
                    around.parent().is_some_and(|it| it.kind() == "parenthesized_expression")
                        && node.kind() == "expression_statement"
                        && children(around).rfind(Node::is_named) == Some(inner);
                if value {
                    return Answer::Ask;
                }
                PlaceKind::Statement
            }
            "if_statement" | "else_clause" | "while_statement" | "for_statement"
            | "do_statement" | "switch_statement" => PlaceKind::SoleBody,
            "translation_unit"
            | "declaration_list"
            | "linkage_specification"
            | "function_definition" => return Answer::None(Refusal::NoStatement),
            _ => return Answer::None(Refusal::SyntaxError),
        };
        return place(node, node.end_byte(), kind);
    }
}

/// Whether statements follow each other directly in a node.
fn is_block(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "compound_statement"
            | "preproc_if"
            | "preproc_ifdef"
            | "preproc_elif"
            | "preproc_elifdef"
            | "preproc_else"
    )
}
