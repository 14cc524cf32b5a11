//! Cargo packages to LLVM IR.
use crate::overrides::Overrides;
use crate::request::Outcome;
use crate::{Failure, Package, Request};
use std::path::Path;
pub(crate) fn compile(
    package: &Package,
    _request: &Request,
    _directory: &Path,
    _overrides: &Overrides,
) -> Result<Outcome, Failure> {
    Err(Failure::UnknownKind(package.manifest.clone()))
}
