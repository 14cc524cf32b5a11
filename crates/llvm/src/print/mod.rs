//! From data back to text: what LLVM reads as the same module, less what the data leaves out.
//!
//! Left out are attributes, flags of arithmetic, calling conventions, sections, visibility and metadata
//! other than `!dbg`. What is printed, parsed and printed again is the same text.

mod call;
mod instruction;
mod metadata;
mod value;

use crate::index::{SymbolId, TypeId};
use crate::module::{Alias, Function, Global, Linkage, Module, Parameter, Symbol, SymbolKind};
use crate::names;
use crate::types::Type;

/// The text of a module.
pub fn print(module: &Module) -> String {
    let typed_pointers =
        module.types.iter().any(|(_, ty)| matches!(ty, Type::Pointer { pointee: Some(_), .. }));
    let mut printer = Printer { module, typed_pointers, out: String::new() };
    printer.module();
    printer.out
}

struct Printer<'m> {
    module: &'m Module,
    typed_pointers: bool,
    out: String,
}

/// Declares the intrinsic that older versions have for what newer ones write `#dbg_declare`; newer
/// versions read it too.
const DECLARE: &str = "llvm.dbg.declare";

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn number(&mut self, number: impl Into<i128>) {
        self.out.push_str(&number.into().to_string());
    }

    fn quoted(&mut self, bytes: &[u8]) {
        self.out.push('"');
        names::escape(bytes, &mut self.out);
        self.out.push('"');
    }

    fn module(&mut self) {
        let module = self.module;
        self.put("source_filename = ");
        self.quoted(module.source_filename.as_bytes());
        self.put("\ntarget datalayout = ");
        self.quoted(module.data_layout.as_bytes());
        self.put("\ntarget triple = ");
        self.quoted(module.target_triple.as_bytes());
        self.put("\n");
        for line in &module.assembly {
            self.put("module asm ");
            self.quoted(line.as_bytes());
            self.put("\n");
        }
        self.type_definitions();
        for id in &module.order {
            self.symbol_definition(*id);
        }
        let declares = module
            .symbols
            .iter()
            .filter_map(Symbol::function)
            .any(|function| !function.declared.is_empty());
        if declares && module.symbols.iter().all(|symbol| symbol.name != DECLARE) {
            self.put("declare void @");
            self.put(DECLARE);
            self.put("(metadata, metadata, metadata)\n");
        }
        self.metadata();
        for text in &module.other {
            self.put(text);
            self.put("\n");
        }
    }

    /// By name, since no order of theirs means anything.
    fn type_definitions(&mut self) {
        let types = &self.module.types;
        let mut all: Vec<&str> = types
            .iter()
            .filter_map(|(_, ty)| match ty {
                Type::Named(name) => Some(name.as_str()),
                Type::Void
                | Type::Label
                | Type::Metadata
                | Type::Token
                | Type::Other(_)
                | Type::Integer(_)
                | Type::Float(_)
                | Type::Pointer { .. }
                | Type::Array { .. }
                | Type::Vector { .. }
                | Type::Struct { .. }
                | Type::Function { .. } => None,
            })
            .collect();
        // Numbered ones must come in the order of their numbers.
        all.sort_unstable_by_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), *name));
        for name in all {
            self.put("%");
            names::write_identifier(name, &mut self.out);
            self.put(" = type ");
            match types.definition(name) {
                Some(body) => self.ty(body),
                None => self.put("opaque"),
            }
            self.put("\n");
        }
    }

    fn symbol_definition(&mut self, id: SymbolId) {
        let symbol = self.module.symbol(id);
        match &symbol.kind {
            SymbolKind::Global(global) => self.global(id, symbol.linkage, global),
            SymbolKind::Function(function) => self.function(id, symbol.linkage, function),
            SymbolKind::Alias(alias) => self.alias(id, symbol.linkage, "alias", alias),
            SymbolKind::IFunc(alias) => self.alias(id, symbol.linkage, "ifunc", alias),
            SymbolKind::Unknown => {}
        }
    }

    fn linkage(&mut self, linkage: Linkage, declared: bool) {
        if linkage != Linkage::External || declared {
            self.put(linkage.word());
            self.put(" ");
        }
    }

    fn global(&mut self, id: SymbolId, linkage: Linkage, global: &Global) {
        self.symbol(id);
        self.put(" = ");
        self.linkage(linkage, global.initialiser.is_none());
        if global.thread_local {
            self.put("thread_local ");
        }
        if global.space != 0 {
            self.put("addrspace(");
            self.number(global.space);
            self.put(") ");
        }
        self.put(if global.constant { "constant " } else { "global " });
        self.ty(global.ty);
        if let Some(initialiser) = &global.initialiser {
            self.put(" ");
            self.constant(global.ty, initialiser);
        }
        if let Some(align) = global.align {
            self.put(", align ");
            self.number(align);
        }
        for node in &global.debug {
            self.put(", !dbg !");
            self.number(node.0);
        }
        self.put("\n");
    }

    fn alias(&mut self, id: SymbolId, linkage: Linkage, word: &str, alias: &Alias) {
        self.symbol(id);
        self.put(" = ");
        self.linkage(linkage, false);
        self.put(word);
        self.put(" ");
        self.ty(alias.ty);
        self.put(", ");
        self.operand(None, &alias.target);
        self.put("\n");
    }

    fn function(&mut self, id: SymbolId, linkage: Linkage, function: &Function) {
        let defined = !function.blocks.is_empty();
        self.put(if defined { "define " } else { "declare " });
        if !defined && let Some(node) = function.debug {
            self.put("!dbg !");
            self.number(node.0);
            self.put(" ");
        }
        self.linkage(linkage, false);
        self.ty(function.result);
        self.put(" ");
        self.symbol(id);
        self.put("(");
        for (index, parameter) in function.parameters.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.ty(parameter.ty);
            self.indirect(parameter);
            if defined && let Some(local) = function.locals.get(index) {
                self.put(" %");
                names::write_identifier(&local.name, &mut self.out);
            }
        }
        if function.variadic {
            self.put(if function.parameters.is_empty() { "..." } else { ", ..." });
        }
        self.put(")");
        if defined {
            self.body(function);
        } else {
            self.put("\n");
        }
    }

    fn indirect(&mut self, parameter: &Parameter) {
        if let Some(ty) = parameter.indirect {
            self.type_attribute(if parameter.by_value { "byval" } else { "sret" }, ty);
        }
    }

    /// ` word(T)`
    fn type_attribute(&mut self, word: &str, ty: TypeId) {
        self.put(" ");
        self.put(word);
        self.put("(");
        self.ty(ty);
        self.put(")");
    }
}
