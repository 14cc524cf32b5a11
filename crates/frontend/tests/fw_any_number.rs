//! Templates with any number of copies in the `.fw` language: what they cannot say.

use frontend::{Language, Settings, load};
use program::Sources;

/// What is wrong with a program, and where: the line and the column.
fn refused(text: &str) -> Vec<((usize, usize), String)> {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    let errors = load(&sources, source, Language::Fw, &Settings::default());
    let errors = errors.err().unwrap_or_default();
    errors
        .into_iter()
        .map(|error| {
            let (line, column) = sources.line_column(source, error.span.start);
            ((line, column), error.message)
        })
        .collect()
}

#[test]
fn identities_of_any_number_are_names_and_nothing_else() {
    let fine = [
        "owner = i",
        "cas(owner, 0, i)",
        "local r; r = xchg(owner, i); if r == i || r == -1 { n = 1 }",
        "local r; r = i; if owner != r { owner = r }",
        "local r; r = owner; r = n; n = r + 1",
        "if owner { owner = 0 }",
        "word = i; if word == i && word != 0 { word = 0 }",
        "owner = i32(i); if u32(owner) == i { n = 1 }",
    ];
    for body in fine {
        let text = format!("shared owner = 0, word: u32, n\nthread t[i in 1..*] {{ {body} }}");
        assert_eq!(refused(&text), [], "{body}");
    }
    let computed = "identities of `t`, of which there is any number, are stored and compared by `==` and `!=` only";
    let wrong = [
        ("owner = i + 1", computed),
        ("a[i] = 1", computed),
        ("if i < 3 { n = 1 }", computed),
        ("fetch_add(owner, 1); owner = i", computed),
        ("owner = i; n = owner", "this may be the identity of another copy"),
        (
            "owner = i; if owner == last { n = 1 }; last = i",
            "both may be identities of other copies",
        ),
        ("owner = i; owner = 7", "7 may be the identity of a copy of `t`"),
        ("small = i", "`small` holds identities of any number of copies and cannot have a range"),
        (
            "byte = i",
            "`byte` holds identities of any number of copies and 0, which do not all fit into its type",
        ),
        (
            "word = i; word = -1",
            "`word` holds identities of any number of copies and -1, which do not all fit",
        ),
        ("owner = u8(i)", "identities of `t`, of which there is any number, do not fit into u8"),
        (
            "owner = u32(i); owner = -1",
            "identities of `t`, of which there is any number, do not fit into u32",
        ),
        ("seven = i", "7 may be the identity of a copy"),
    ];
    for (body, message) in wrong {
        let text = format!(
            "shared owner, last, n, a[4], small: 0..=3, byte: u8, word: u32, seven = 7\nthread t[i in 1..*] {{ {body} }}"
        );
        let errors = refused(&text);
        assert!(errors.iter().any(|(_, one)| one.starts_with(message)), "{body}: {errors:?}");
        assert!(errors.iter().all(|((line, _), _)| *line > 0), "{body}: {errors:?}");
        // A range of copies is something else.
        assert_eq!(refused(&text.replace("1..*", "1..4")), [], "{body}");
    }
    let two = "shared owner\nthread t[i in *] { owner = i }\nthread u[i in *] { owner = i }";
    let errors = refused(&two.replace("owner\n", "owner = -1\n"));
    assert_eq!(errors[0].0, (3, 8), "{errors:?}");
    assert!(errors[0].1.contains("meet, and may be equal"), "{errors:?}");
}

#[test]
fn counts_are_given_before_questions_are_asked() {
    let text = "thread t[*] { local r } exists t[1].r == 0";
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text.replace("} exists", "}\nexists"));
    let settings = Settings { counts: vec![("t".to_owned(), 2)], ..Settings::default() };
    let program = load(&sources, source, Language::Fw, &settings).expect("a definite program");
    assert_eq!(program.threads().expect("two threads").len(), 2);
}
