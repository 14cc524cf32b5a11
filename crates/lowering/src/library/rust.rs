//! Rust's standard library.

use crate::call::Called;
use crate::function::FunctionInfo;
use crate::thread::{Cursor, Flow, Walk};

impl Walk<'_, '_, '_> {
    pub(crate) fn rust_library(
        &mut self,
        _cursor: &mut Cursor,
        _info: &FunctionInfo,
        _called: &Called<'_>,
        _name: &str,
        _has_body: bool,
    ) -> Option<Flow> {
        None
    }
}
