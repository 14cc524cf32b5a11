//! A fence in the text is a fence in what the compiler makes of it, and nothing else changes.

mod tools;

use patch::FenceText::Instruction;
use patch::{Change, FenceOrder, FenceText, Language, Place, Syntax, edit};
use tools::{FOREIGN, NATIVE, TEXTS, Workshop};

/// Fences of this kind in compiled code.
fn fences(ir: &str, language: Language, fence: FenceText) -> usize {
    let is_fence = |line: &&str| match (fence, language) {
        (FenceText::Instruction(code), _) => {
            line.contains("asm sideeffect") && line.contains(&format!("\"{code}\""))
        }
        (FenceText::Language(order), Language::C) => line.contains(match order {
            FenceOrder::SeqCst => "fence seq_cst",
            FenceOrder::AcqRel => "fence acq_rel",
            FenceOrder::Acquire => "fence acquire",
            FenceOrder::Release => "fence release",
        }),
        // A call of a function of the library, with the number of the order.
        (FenceText::Language(order), Language::Rust(_)) => {
            let number = match order {
                FenceOrder::Release => 1,
                FenceOrder::Acquire => 2,
                FenceOrder::AcqRel => 3,
                FenceOrder::SeqCst => 4,
            };
            (line.contains("call void") || line.contains("invoke void"))
                && line.contains("6atomic5fence")
                && line.contains(&format!("(i8 {number}"))
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
    let native = NATIVE.map(FenceText::Instruction);
    let standard = FenceOrder::ALL.map(FenceText::Language);
    let here: Vec<FenceText> = standard.into_iter().chain(native).collect();
    for (name, text, language) in TEXTS {
        let workshop = Workshop::new("all");
        let places = compiled(text, *language);
        let before = workshop.llvm_ir(text, *language);
        let run = workshop.run(text, *language);
        // A full fence of the language, one of the machine, and all there are.
        for chosen in [&[FenceText::SEQ_CST][..], &[FenceText::MFENCE], &here] {
            let changes: Vec<Change> = places
                .iter()
                .flat_map(|it| chosen.iter().map(|fence| Change::FenceAfter(it.point, *fence)))
                .collect();
            let patched = edit(text, *language, &changes).expect("places");
            let after = workshop.llvm_ir(&patched, *language);
            for fence in chosen {
                let [before, after] = [&before, &after].map(|ir| fences(ir, *language, *fence));
                assert_eq!(after - before, places.len(), "{name}, {fence:?}:\n{patched}");
            }
            workshop.second_opinion(&patched, *language);
            assert_eq!(run, workshop.run(&patched, *language), "{name}");
        }
    }
}

/// What other machines execute cannot be run here; up to the assembler, it is compiled all the
/// same.
#[test]
fn instructions_of_other_machines() {
    for (name, text, language) in TEXTS {
        let workshop = Workshop::new("others");
        let places = compiled(text, *language);
        let before = workshop.llvm_ir(text, *language);
        let others: Vec<FenceText> =
            FOREIGN.iter().flat_map(|(_, codes)| *codes).copied().map(Instruction).collect();
        let changes: Vec<Change> = places
            .iter()
            .flat_map(|it| others.iter().map(|fence| Change::FenceAfter(it.point, *fence)))
            .collect();
        let patched = edit(text, *language, &changes).expect("places");
        let after = workshop.llvm_ir(&patched, *language);
        for fence in others {
            let [before, after] = [&before, &after].map(|ir| fences(ir, *language, fence));
            assert_eq!(after - before, places.len(), "{name}, {fence:?}:\n{patched}");
        }
        workshop.second_opinion(&patched, *language);
    }
}

/// The assembler of each machine that clang was built for knows its instructions.
#[test]
fn other_machines_have_these_instructions() {
    const TEXT: &str = "int x; void f(void) { x = 1; }";
    let workshop = Workshop::new("assembled");
    for (target, codes) in FOREIGN {
        let point = TEXT.find("; }").expect("a statement") + 1;
        let changes: Vec<Change> =
            codes.iter().map(|code| Change::FenceAfter(point, Instruction(code))).collect();
        let patched = edit(TEXT, Language::C, &changes).expect("a place");
        workshop.assemble(&patched, target);
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
    let count = |ir: &str| fences(ir, language, FenceText::SEQ_CST);
    let before = count(&workshop.llvm_ir(text, language));
    for place in compiled(text, language) {
        let change = [Change::FenceAfter(place.point, FenceText::SEQ_CST)];
        let patched = edit(text, language, &change).expect("a place");
        let after = count(&workshop.llvm_ir(&patched, language));
        assert_eq!(after, before + 1, "{name}, {place:?}:\n{patched}");
        workshop.second_opinion(&patched, language);
    }
}
