//! The model that outcomes are asked for: one that is built in, or one in a file.

use std::path::Path;

use axiomatic::cat::BadModel;
use axiomatic::{AnyModel, CatModel, Model};
use frontend::litmus::Arch;
use program::{Diagnostic, Sources, Span};

use crate::arguments::outcomes::AskedModel;
use crate::input::{Loaded, Refused};

/// The model that is asked for by name or by file.
pub(super) fn read(asked: &AskedModel) -> Result<AnyModel, Refused> {
    match asked {
        AskedModel::BuiltIn(model) => Ok((*model).into()),
        AskedModel::File(path) => file(path).map(AnyModel::from),
    }
}

/// What it is called in messages.
pub(super) fn shown_name(asked: &AskedModel) -> String {
    match asked {
        AskedModel::BuiltIn(model) => model.name().to_owned(),
        AskedModel::File(path) => path.display().to_string(),
    }
}

fn file(path: &Path) -> Result<CatModel, Refused> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Refused {
        errors: vec![Diagnostic::new(Span::NONE, format!("cannot read `{name}`: {error}"))],
        sources: Sources::new(),
    })?;
    let beside = path.parent().unwrap_or_else(|| Path::new(""));
    let mut find = |included: &str| {
        let path = beside.join(included);
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path.display().to_string(), text))
    };
    CatModel::read(&name, &text, &mut find).map_err(|bad| {
        let BadModel { error, sources } = *bad;
        Refused { errors: vec![error], sources }
    })
}

/// The model of a test's language or architecture.
pub(super) fn of(loaded: &Loaded) -> Model {
    match loaded.architecture() {
        None | Some(Arch::X86 | Arch::X86_64) => Model::Tso,
        Some(Arch::AArch64) => Model::AArch64,
        Some(Arch::Arm) => Model::ArmV7,
        Some(Arch::Ppc) => Model::Power,
        Some(Arch::RiscV) => Model::RiscV,
        Some(Arch::C) => Model::Rc11,
    }
}
