//! A final state as a litmus test that asks for it: the test itself with another condition, or the
//! program as a test of the machine that the model describes.

use axiomatic::Model;
use frontend::Language;
use frontend::litmus::{Target, exists, print_for, with_exists};
use program::index::Idx;
use program::{Diagnostic, Diagnostics, Observable, Span, Value};

use crate::input::Loaded;

pub(super) fn test(
    loaded: &Loaded,
    model: Model,
    values: &[(Observable, Value)],
) -> Result<String, Diagnostics> {
    match loaded.language() {
        Language::Litmus => with_exists(&loaded.sources, Idx::new(0), &loaded.program, values),
        Language::Fw | Language::Trencher | Language::Esop13 | Language::Esop15 => {
            let program = loaded.program.with_question(exists(values));
            print_for(&program, target(model)?)
        }
    }
}

fn target(model: Model) -> Result<Target, Diagnostics> {
    match model {
        Model::Sc | Model::Tso | Model::Pso => Ok(Target::X86),
        Model::Power => Ok(Target::Ppc),
        Model::AArch64 | Model::AArch64Lse => Ok(Target::AArch64),
        Model::RiscV => Ok(Target::RiscV),
        Model::ArmV7 => {
            let message = "programs cannot be written as litmus tests for ARM";
            let help =
                "tests that were read from a litmus file can; otherwise use `--model aarch64`";
            Err(vec![Diagnostic::new(Span::NONE, message).help(help)])
        }
    }
}
