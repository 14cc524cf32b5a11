//! The model that outcomes are asked for: one that is built in, or one in a file.

use std::path::{Path, PathBuf};

use axiomatic::cat::BadModel;
use axiomatic::{AnyModel, Axioms, CatModel, Model};
use frontend::litmus::Arch;
use program::{Diagnostic, Sources, Span};

use crate::host::Host;
use crate::inputs::{Loaded, Refused, read_text};

/// A model, as it is asked for.
#[derive(Clone, Debug)]
pub enum ModelChoice {
    /// One that is built in.
    BuiltIn(Model),
    /// One in a file, in herd's language.
    File(PathBuf),
}

impl ModelChoice {
    /// What it is called in messages.
    pub fn shown_name(&self) -> String {
        match self {
            Self::BuiltIn(model) => model.name().to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// The model that is asked for by name or by file.
pub(super) fn read(host: &dyn Host, asked: &ModelChoice) -> Result<AnyModel, Refused> {
    match asked {
        ModelChoice::BuiltIn(model) => Ok((*model).into()),
        ModelChoice::File(path) => file(host, path).map(AnyModel::from),
    }
}

fn file(host: &dyn Host, path: &Path) -> Result<CatModel, Refused> {
    let name = path.display().to_string();
    let text = read_text(host, path).map_err(|error| Refused {
        errors: vec![Diagnostic::new(Span::NONE, format!("cannot read `{name}`: {error}"))],
        sources: Sources::new(),
    })?;
    let beside = path.parent().unwrap_or_else(|| Path::new(""));
    let mut find = |included: &str| {
        let path = beside.join(included);
        let text = read_text(host, &path).ok()?;
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

/// A model as people write it.
pub fn model_name(model: &AnyModel) -> &str {
    let model = match model {
        AnyModel::BuiltIn(model) => model,
        AnyModel::File(model) => return model.name(),
    };
    match model {
        Model::Sc => "SC",
        Model::Tso => "TSO",
        Model::Pso => "PSO",
        Model::Rmo => "RMO",
        Model::Power => "Power",
        Model::ArmV7 => "ARMv7",
        Model::AArch64 => "AArch64",
        Model::AArch64Lse => "AArch64 with LSE",
        Model::RiscV => "RISC-V",
        Model::Rc11 => "RC11",
        Model::Imm => "IMM",
    }
}
