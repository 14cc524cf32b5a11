//! What a program begins with: the functions of its first threads, and what code outside of it knows.
//!
//! Code outside is whoever calls a library, and functions without a body that no table knows. It knows what it
//! was given, and what it can name: variables that are not `static`. Of these it may read and change all that can
//! be reached, wherever it is called. Functions it calls only if it was given them, but then at any time and in
//! threads of its own.

use events::Instances;
use linkage::{Item, Linked};
use llvm::{Linkage, LocalId};
use program::{Diagnostic, Diagnostics, Span};

use crate::facts::{Options, ThreadArgument, ThreadEntry};
use crate::object::{ObjectKind, Offset, Words};
use crate::pointers::Pointers;
use crate::solver::ESCAPED;
use crate::threads::Class;

/// What a program begins with.
pub(crate) struct Roots {
    /// The functions that threads begin with.
    pub(crate) classes: Vec<Class>,
    /// Whether nothing but the program calls it.
    pub(crate) is_closed: bool,
    /// Whether callers outside give it arguments. In Rust they can then give what they can name; functions
    /// without a body cannot name what depends on them.
    is_given: bool,
}

/// Finds what a program begins with.
pub(crate) fn roots(
    pointers: &mut Pointers<'_, '_>,
    options: &Options,
) -> Result<Roots, Diagnostics> {
    let linked = pointers.linked;
    if !options.threads.is_empty() {
        let mut roots = Roots { classes: Vec::new(), is_closed: false, is_given: false };
        let mut errors = Vec::new();
        for entry in &options.threads {
            match begun(pointers, entry) {
                Ok((root, is_given)) => {
                    roots.classes.push(root);
                    roots.is_given |= is_given;
                }
                Err(more) => errors.extend(more),
            }
        }
        return if errors.is_empty() { Ok(roots) } else { Err(errors) };
    }
    if let Some(main) = linked.defined_function("main") {
        let root = root(pointers, main, "main".to_owned(), false);
        for at in 0..pointers.function(main).parameters.len() {
            // Texts that the system puts there.
            for var in pointers.local_parts(root.entry, LocalId::new(at)) {
                let library = pointers.library_memory();
                pointers.solver.include(var, library);
            }
        }
        return Ok(Roots { classes: vec![root], is_closed: true, is_given: false });
    }
    let mut classes = Vec::new();
    for item in linked.all_items() {
        if is_exported(linked, item) {
            let name = linkage::names::shown(linked.name(item));
            let root = root(pointers, item, name, true);
            from_outside(pointers, &root, item);
            classes.push(root);
            let function = pointers.solver.object(ObjectKind::Function(item), None);
            pointers.solver.include(ESCAPED, (function, Offset::ZERO));
        }
    }
    if classes.is_empty() {
        let message = "there is no `main`, and no function that others can call";
        let error = Diagnostic::new(Span::NONE, message).help("name the threads' functions");
        return Err(vec![error]);
    }
    Ok(Roots { classes, is_closed: false, is_given: true })
}

fn root(pointers: &mut Pointers<'_, '_>, item: Item, name: String, is_many: bool) -> Class {
    Class { name, entry: pointers.instance(item), is_many, is_root: true }
}

/// Arguments that come from outside; whether there are any. The place for a result (`sret`) is the caller's own and
/// overlaps nothing else, but what is put there gets out.
fn from_outside(pointers: &mut Pointers<'_, '_>, root: &Class, item: Item) -> bool {
    let mut is_given = false;
    for (at, parameter) in pointers.function(item).parameters.iter().enumerate() {
        let local = LocalId::new(at);
        let is_for_result = parameter.indirect.is_some() && !parameter.by_value;
        for var in pointers.local_parts(root.entry, local) {
            if is_for_result {
                let place = pointers.solver.object(ObjectKind::Stack(root.entry, local), None);
                pointers.solver.include(var, (place, Offset::ZERO));
                if let Some(held) = pointers.solver.loaded(place, Words::ALL) {
                    pointers.solver.copy(held, ESCAPED);
                }
            } else {
                is_given = true;
                pointers.solver.copy(ESCAPED, var);
            }
        }
    }
    is_given
}

/// The threads that a user asks for, and whether their arguments come from outside.
fn begun(
    pointers: &mut Pointers<'_, '_>,
    entry: &ThreadEntry,
) -> Result<(Class, bool), Diagnostics> {
    let linked = pointers.linked;
    let item = linked.named_function(&entry.function)?;
    let is_many = entry.instances == Instances::Many;
    let root = root(pointers, item, entry.function.clone(), is_many);
    if entry.arguments.is_empty() {
        let is_given = from_outside(pointers, &root, item);
        return Ok((root, is_given));
    }
    let function = pointers.function(item);
    let (wanted, given) = (function.parameters.len(), entry.arguments.len());
    if given < wanted || given > wanted && !function.variadic {
        let plural = if wanted == 1 { "argument" } else { "arguments" };
        let message = format!("`{}` takes {wanted} {plural}, but is given {given}", entry.function);
        return Err(vec![Diagnostic::new(Span::NONE, message).help(
            "give as many arguments as it has parameters, or none: then they may be anything",
        )]);
    }
    for (at, argument) in entry.arguments.iter().enumerate().take(wanted) {
        let ThreadArgument::AddressOf(name) = argument else { continue };
        let variable = linked.named_variable(name)?;
        let Some(object) = pointers.symbol_object(variable) else { continue };
        for var in pointers.local_parts(root.entry, LocalId::new(at)) {
            pointers.solver.include(var, (object, Offset::ZERO));
        }
    }
    Ok((root, false))
}

/// Lets code outside know the variables that it can name, if there is such code.
pub(crate) fn add_named(pointers: &mut Pointers<'_, '_>, roots: &Roots) {
    let linked = pointers.linked;
    let is_unknown = |item: Item| {
        let name = linked.name(item);
        linked.function(item).is_some_and(|function| function.blocks.is_empty())
            && linked.resolve(item.module, item.symbol) == item
            && !name.starts_with("llvm.")
            && pointers.library.clauses(name, false).is_none()
    };
    if roots.is_closed && !linked.all_items().any(is_unknown) {
        return;
    }
    for item in linked.all_items() {
        let is_changed = linked
            .global(item)
            .is_some_and(|global| global.initialiser.is_some() && !global.constant);
        if is_changed
            && is_visible(linked, item)
            && (roots.is_given || llvm::demangled(linked.name(item)).is_none())
            && let Some(object) = pointers.symbol_object(item)
        {
            pointers.solver.include(ESCAPED, (object, Offset::ZERO));
        }
    }
}

/// What external code knows it may call at any time, also later and in threads of its own: timers, pools and
/// wrappers do so in closed programs, and whoever uses a library.
pub(crate) fn add_escaped(pointers: &Pointers<'_, '_>, roots: &mut Vec<Class>) {
    for instance in &pointers.sites[pointers.outside as usize].callees {
        if roots.iter().all(|root| root.entry != *instance) {
            let item = pointers.instances[*instance as usize].item;
            let name = linkage::names::shown(pointers.linked.name(item));
            roots.push(Class { name, entry: *instance, is_many: true, is_root: true });
        }
    }
}

/// Whether others call it. What a library has of Rust's own libraries is there for itself.
fn is_exported(linked: &Linked<'_>, item: Item) -> bool {
    let is_of_rust =
        llvm::demangled(linked.name(item)).is_some_and(|path| linkage::names::is_of_rust(&path));
    linked.has_body(item) && is_visible(linked, item) && !is_of_rust
}

/// Whether others can name a symbol, and this is the definition that they mean.
fn is_visible(linked: &Linked<'_>, item: Item) -> bool {
    let symbol = linked.module(item.module).symbol(item.symbol);
    let is_visible = match symbol.linkage {
        Linkage::External | Linkage::Weak | Linkage::WeakOdr | Linkage::Common => true,
        Linkage::LinkOnce
        | Linkage::LinkOnceOdr
        | Linkage::AvailableExternally
        | Linkage::Appending
        | Linkage::Internal
        | Linkage::Private
        | Linkage::ExternWeak => false,
    };
    is_visible
        && !symbol.name.starts_with("llvm.")
        && linked.resolve(item.module, item.symbol) == item
}
