//! A fence in the text is a fence in what the compiler makes of it, and nothing else changes.

mod tools;

use patch::{Change, FenceText, Language, Place, Syntax, edit};
use tools::{TEXTS, Workshop};

/// Fences in compiled code.
fn fences(ir: &str, language: Language) -> usize {
    let is_fence = |line: &&str| {
        line.contains("asm sideeffect") && line.contains("\"mfence\"")
            || match language {
                Language::C => line.contains("fence seq_cst"),
                Language::Rust(_) => {
                    (line.contains("call void") || line.contains("invoke void"))
                        && line.contains("6atomic5fence")
                }
            }
    };
    ir.lines().filter(is_fence).count()
}

/// The places that the preprocessor leaves in.
fn compiled(text: &str, language: Language) -> Vec<Place> {
    let mut places = Syntax::parse(text, language).places();
    places.retain(|place| {
        let line = text[place.point..].lines().next().unwrap_or_default();
        !line.contains("not compiled")
    });
    places
}

#[test]
fn all_places_at_once() {
    for (name, text, language) in TEXTS {
        let workshop = Workshop::new("all");
        let points: Vec<Change> =
            compiled(text, *language).iter().map(|it| Change::FenceAfter(it.point)).collect();
        let before = fences(&workshop.llvm_ir(text, *language), *language);
        let run = workshop.run(text, *language);
        for fence in [FenceText::AtomicThreadFence, FenceText::Mfence] {
            let patched = edit(text, *language, fence, &points).expect("places");
            let after = fences(&workshop.llvm_ir(&patched, *language), *language);
            assert_eq!(after - before, points.len(), "{name}:\n{patched}");
            workshop.second_opinion(&patched, *language);
            assert_eq!(run, workshop.run(&patched, *language), "{name}");
        }
    }
}

#[test]
fn each_place_by_itself() {
    std::thread::scope(|scope| {
        for (index, (name, text, language)) in TEXTS.iter().enumerate() {
            scope.spawn(move || each_place(name, text, *language, index));
        }
    });
}

fn each_place(name: &str, text: &str, language: Language, index: usize) {
    let workshop = Workshop::new(&format!("each-{index}"));
    let before = fences(&workshop.llvm_ir(text, language), language);
    for place in compiled(text, language) {
        let change = [Change::FenceAfter(place.point)];
        let patched = edit(text, language, FenceText::AtomicThreadFence, &change).expect("a place");
        let after = fences(&workshop.llvm_ir(&patched, language), language);
        assert_eq!(after, before + 1, "{name}, {place:?}:\n{patched}");
        workshop.second_opinion(&patched, language);
    }
}
