//! A final state as a litmus test that asks for it: the test itself with another condition, or the
//! program as a test of the machine that the model describes.

use axiomatic::{AnyModel, Axioms, Model};
use frontend::Language;
use frontend::litmus::{Target, exists, print_for, with_exists};
use program::index::Idx;
use program::{Diagnostic, Diagnostics, Observable, Span, Value};

use crate::inputs::Loaded;

pub(super) fn test(
    loaded: &Loaded,
    model: &AnyModel,
    values: &[(Observable, Value)],
) -> Result<String, Diagnostics> {
    match loaded.language() {
        Language::Litmus => with_exists(&loaded.sources, Idx::new(0), &loaded.program, values),
        Language::Fw
        | Language::Trencher
        | Language::Esop13
        | Language::Esop15
        | Language::Rmm
        | Language::Remmex => {
            let program = loaded.program.with_question(exists(values));
            print_for(&program, target(model)?)
        }
    }
}

fn target(model: &AnyModel) -> Result<Target, Diagnostics> {
    let (message, help) = match model {
        AnyModel::BuiltIn(Model::Sc | Model::Tso | Model::Pso | Model::Rmo) => {
            return Ok(Target::X86);
        }
        AnyModel::BuiltIn(Model::Power) => return Ok(Target::Ppc),
        AnyModel::BuiltIn(Model::AArch64 | Model::AArch64Lse) => return Ok(Target::AArch64),
        AnyModel::BuiltIn(Model::RiscV) => return Ok(Target::RiscV),
        AnyModel::BuiltIn(Model::ArmV7) => (
            "programs cannot be written as litmus tests for ARM".to_owned(),
            "tests that were read from a litmus file can; otherwise use `--model aarch64`",
        ),
        AnyModel::BuiltIn(Model::Rc11 | Model::Imm) | AnyModel::File(_) => (
            format!("`{}` is about no machine that litmus tests are written for", model.name()),
            "tests that were read from a litmus file can be written; otherwise name a machine's model",
        ),
    };
    Err(vec![Diagnostic::new(Span::NONE, message).help(help)])
}
