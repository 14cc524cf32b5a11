//! Modules as one program: which definition a name means.
//!
//! As linkers do it: names with internal or private linkage are known in their module alone; a strong
//! definition wins over weak and common ones, of which the first is as good as any other.

use std::collections::{BTreeMap, HashMap};

use llvm::{Constant, ConstantExpression, Function, Global, Linkage, Module, SymbolId, SymbolKind};
use llvm::{Layout, Operand, Value};
use program::{Diagnostic, Diagnostics, Span};

/// A symbol of one of the modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    /// The number of the module.
    pub module: u32,
    /// The symbol of that module.
    pub symbol: SymbolId,
}

/// All modules, and where names are defined.
#[derive(Debug)]
pub struct Linked<'m> {
    modules: Vec<&'m Module>,
    /// How many of the modules are the program's; those behind them are a library's.
    own: usize,
    layouts: Vec<Layout>,
    exported: HashMap<&'m str, Item>,
}

/// How much a definition counts among others of its name.
fn strength(module: &Module, symbol: SymbolId) -> Option<u8> {
    let symbol = module.symbol(symbol);
    let is_defined = match &symbol.kind {
        SymbolKind::Global(global) => global.initialiser.is_some(),
        SymbolKind::Function(function) => !function.blocks.is_empty(),
        SymbolKind::Alias(_) | SymbolKind::IFunc(_) => true,
        SymbolKind::Unknown => false,
    };
    if !is_defined {
        return None;
    }
    match symbol.linkage {
        Linkage::External => Some(3),
        Linkage::Weak | Linkage::WeakOdr | Linkage::LinkOnce | Linkage::LinkOnceOdr => Some(2),
        Linkage::Common => Some(1),
        // The body stands there for optimisers; the definition is elsewhere, perhaps in no module.
        Linkage::AvailableExternally => Some(0),
        // What is collected from all modules is not one of them.
        Linkage::Internal | Linkage::Private | Linkage::ExternWeak | Linkage::Appending => None,
    }
}

impl<'m> Linked<'m> {
    /// Links modules; an error if two define the same name, or if something runs unseen.
    pub fn new(modules: &'m [Module]) -> Result<Self, Diagnostics> {
        let mut exported: HashMap<&str, (u8, Item)> = HashMap::new();
        let mut errors = crate::unseen::refused(modules);
        for (number, module) in modules.iter().enumerate() {
            let number = u32::try_from(number).expect("fewer than 2^32 modules");
            for at in 0..module.symbols.len() {
                let symbol = SymbolId::new(at);
                let Some(strength) = strength(module, symbol) else { continue };
                let item = Item { module: number, symbol };
                let name = module.symbol(symbol).name.as_str();
                match exported.get(name) {
                    Some((3, other)) if strength == 3 => {
                        let other = &modules[other.module as usize].source_filename;
                        let here = &module.source_filename;
                        errors.push(
                            Diagnostic::new(
                                Span::NONE,
                                format!(
                                    "`{}` is defined in {other} and in {here}",
                                    crate::readable(name)
                                ),
                            )
                            .help("give the files of one executable at a time"),
                        );
                    }
                    Some((already, _)) if *already >= strength => {}
                    Some(_) | None => {
                        exported.insert(name, (strength, item));
                    }
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let exported = exported.into_iter().map(|(name, (_, item))| (name, item)).collect();
        let layouts = modules.iter().map(|module| Layout::new(&module.data_layout)).collect();
        Ok(Self { modules: modules.iter().collect(), own: modules.len(), layouts, exported })
    }

    /// Links modules with those of a library, whose functions count where the program defines none of their
    /// names, if they are wanted.
    pub fn beside(
        modules: &'m [Module],
        library: &'m [Module],
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, Diagnostics> {
        let mut linked = Self::new(modules)?;
        for module in library {
            let number = u32::try_from(linked.modules.len()).expect("fewer than 2^32 modules");
            linked.modules.push(module);
            linked.layouts.push(Layout::new(&module.data_layout));
            for at in 0..module.symbols.len() {
                let item = Item { module: number, symbol: SymbolId::new(at) };
                let name = linked.name(item);
                if strength(module, item.symbol).is_some() && is_wanted(name) {
                    linked.exported.entry(name).or_insert(item);
                }
            }
        }
        Ok(linked)
    }

    /// Whether a symbol is of the program's own modules.
    fn is_own(&self, item: Item) -> bool {
        (item.module as usize) < self.own
    }

    /// The function of this name of the library that the program was linked with.
    pub fn library_function(&self, name: &str) -> Option<Item> {
        self.exported.get(name).copied().filter(|item| !self.is_own(*item))
    }

    /// A module.
    pub fn module(&self, module: u32) -> &'m Module {
        self.modules[module as usize]
    }

    /// Where parts of types lie in a module.
    pub fn layout(&self, module: u32) -> &Layout {
        &self.layouts[module as usize]
    }

    /// The definition that a symbol of a module means, or its declaration if there is none.
    pub fn resolve(&self, module: u32, symbol: SymbolId) -> Item {
        let mut item = Item { module, symbol };
        // Aliases of aliases end, or are not a program; a bound saves proving it.
        for _ in 0..64 {
            let known = self.module(item.module).symbol(item.symbol);
            match known.linkage {
                Linkage::Internal | Linkage::Private => {}
                Linkage::External
                | Linkage::AvailableExternally
                | Linkage::LinkOnce
                | Linkage::LinkOnceOdr
                | Linkage::Weak
                | Linkage::WeakOdr
                | Linkage::Common
                | Linkage::Appending
                | Linkage::ExternWeak => {
                    if let Some(definition) = self.exported.get(known.name.as_str()) {
                        item = *definition;
                    }
                }
            }
            match &self.module(item.module).symbol(item.symbol).kind {
                SymbolKind::Alias(alias) => match symbol_of(&alias.target.value) {
                    Some(target) => item.symbol = target,
                    None => return item,
                },
                SymbolKind::Global(_)
                | SymbolKind::Function(_)
                | SymbolKind::IFunc(_)
                | SymbolKind::Unknown => return item,
            }
        }
        item
    }

    /// The name of a symbol, as it is in the module.
    pub fn name(&self, item: Item) -> &'m str {
        &self.module(item.module).symbol(item.symbol).name
    }

    /// The function that a symbol is, if it is one.
    pub fn function(&self, item: Item) -> Option<&'m Function> {
        match &self.module(item.module).symbol(item.symbol).kind {
            SymbolKind::Function(function) => Some(function),
            SymbolKind::Global(_)
            | SymbolKind::Alias(_)
            | SymbolKind::IFunc(_)
            | SymbolKind::Unknown => None,
        }
    }

    /// The variable that a symbol is, if it is one.
    pub fn global(&self, item: Item) -> Option<&'m Global> {
        match &self.module(item.module).symbol(item.symbol).kind {
            SymbolKind::Global(global) => Some(global),
            SymbolKind::Function(_)
            | SymbolKind::Alias(_)
            | SymbolKind::IFunc(_)
            | SymbolKind::Unknown => None,
        }
    }

    /// Whether a function is defined, and not only declared.
    pub fn has_body(&self, item: Item) -> bool {
        self.function(item).is_some_and(|function| !function.blocks.is_empty())
    }

    /// Whether nobody defines a symbol and that is no error: its address may be null.
    pub fn may_be_missing(&self, item: Item) -> bool {
        let symbol = self.module(item.module).symbol(item.symbol);
        symbol.linkage == Linkage::ExternWeak && !self.has_body(item)
    }

    /// Whether there is a variable or a function that those outside can name: not one of Rust, whose names
    /// are its own, and not `main`.
    pub fn shows_something(&self) -> bool {
        self.exported.iter().any(|(name, item)| {
            let changes = self.global(*item).is_none_or(|global| !global.constant);
            let is_visible = changes && self.is_own(*item);
            is_visible && *name != "main" && llvm::demangled(name).is_none()
        })
    }

    /// The defined function of this name; internal ones too if only one module has one.
    pub fn defined_function(&self, name: &str) -> Option<Item> {
        let is_defined = |item: &Item| self.has_body(*item) && self.is_own(*item);
        if let Some(item) = self.exported.get(name).filter(|item| is_defined(item)) {
            return Some(*item);
        }
        let mut found =
            self.all_items().filter(|item| self.name(*item) == name && is_defined(item));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The functions in a list that linkers put together, those with the least priority first.
    pub fn collected(&self, list: &str) -> Vec<Item> {
        let mut found: BTreeMap<i128, Vec<Item>> = BTreeMap::new();
        for item in self.all_items().filter(|item| self.name(*item) == list) {
            let initialiser = self.global(item).and_then(|global| global.initialiser.as_ref());
            let Some(Constant::Array(entries)) = initialiser else { continue };
            for entry in entries {
                let Value::Constant(Constant::Struct(fields)) = &entry.value else { continue };
                let [Operand { value: priority, .. }, Operand { value: function, .. }, ..] =
                    &**fields
                else {
                    continue;
                };
                let (Value::Constant(Constant::Integer(priority)), Some(function)) =
                    (priority, symbol_of(function))
                else {
                    continue;
                };
                let function = self.resolve(item.module, function);
                if self.function(function).is_some_and(|function| !function.blocks.is_empty()) {
                    found.entry(*priority).or_default().push(function);
                }
            }
        }
        found.into_values().flatten().collect()
    }

    /// The text that an operand points to, if that never changes: what stands before the zero at its end.
    pub fn text_of(&self, module: u32, value: &Value) -> Option<&'m [u8]> {
        let is_zero = |index: &Operand| {
            matches!(index.value, Value::Constant(Constant::Integer(0) | Constant::Zero))
        };
        let start = if let Value::Constant(Constant::Expression(expression)) = value
            && let ConstantExpression::GetElementPtr { base, indices, .. } = &**expression
            && indices.iter().all(is_zero)
        {
            &base.value
        } else {
            value
        };
        let symbol = symbol_of(start)?;
        let global = self.global(self.resolve(module, symbol)).filter(|global| global.constant)?;
        let initialiser = global.initialiser.as_ref()?;
        if let Constant::Bytes(bytes) = initialiser {
            let end = bytes.iter().position(|byte| *byte == 0)?;
            return Some(&bytes[..end]);
        }
        matches!(initialiser, Constant::Zero).then_some(&[])
    }

    /// Every symbol of every module of the program.
    pub fn all_items(&self) -> impl Iterator<Item = Item> {
        self.modules[..self.own].iter().zip(0..).flat_map(|(module, number)| {
            (0..module.symbols.len())
                .map(move |at| Item { module: number, symbol: SymbolId::new(at) })
        })
    }
}

/// The symbols whose addresses a constant depends on: those that it compares.
pub fn compared_symbols(constant: &Constant) -> Vec<SymbolId> {
    let Constant::Expression(expression) = constant else { return Vec::new() };
    let of = |operand: &Operand| match &operand.value {
        Value::Constant(inner) => compared_symbols(inner),
        Value::Local(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => Vec::new(),
    };
    match &**expression {
        ConstantExpression::Compare { left, right, .. } => {
            [left, right].into_iter().filter_map(|one| symbol_of(&one.value)).collect()
        }
        ConstantExpression::Cast { value, .. } => of(value),
        ConstantExpression::Binary { left, right, .. } => [of(left), of(right)].concat(),
        ConstantExpression::Select { condition, .. } => of(condition),
        ConstantExpression::GetElementPtr { .. } => Vec::new(),
    }
}

/// The symbol that a constant pointer is, seen through casts that change nothing.
pub fn symbol_of(value: &Value) -> Option<SymbolId> {
    match value {
        Value::Constant(Constant::Symbol(symbol)) => Some(*symbol),
        Value::Constant(Constant::Expression(expression)) => match &**expression {
            ConstantExpression::Cast { value, .. } => symbol_of(&value.value),
            ConstantExpression::GetElementPtr { .. }
            | ConstantExpression::Binary { .. }
            | ConstantExpression::Compare { .. }
            | ConstantExpression::Select { .. } => None,
        },
        Value::Constant(_)
        | Value::Local(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => None,
    }
}
