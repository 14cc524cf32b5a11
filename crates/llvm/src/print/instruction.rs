//! Bodies of functions.

use super::{DECLARE, Printer};
use crate::constant::Operand;
use crate::index::{BlockId, MetadataId};
use crate::instruction::{Instruction, Operation, Ordering};
use crate::module::Function;
use crate::names;
use crate::types::Type;

/// How an access of memory is written around its operands.
#[derive(Clone, Copy)]
struct Access {
    volatile: bool,
    ordering: Option<Ordering>,
    single_thread: bool,
    align: Option<u64>,
}

impl Printer<'_> {
    pub(super) fn body(&mut self, function: &Function) {
        if let Some(node) = function.debug {
            self.put(" !dbg !");
            self.number(node.0);
        }
        self.put(" {\n");
        for (index, block) in function.blocks.iter().enumerate() {
            names::write_identifier(&block.name, &mut self.out);
            self.put(":\n");
            for (position, instruction) in block.instructions.iter().enumerate() {
                if index == 0 && position + 1 == block.instructions.len() {
                    self.declared(function);
                }
                self.instruction(function, instruction);
            }
        }
        self.put("}\n");
    }

    /// The variables that allocas stand for, all at the end of the first block.
    fn declared(&mut self, function: &Function) {
        for (local, variable) in &function.declared {
            let Some(known) = function.locals.get(local.index()) else { continue };
            self.put("  call void @");
            self.put(DECLARE);
            self.put("(metadata ");
            // What an instruction that is not understood yields is an address here all the same.
            if let Type::Other(_) = self.module.types.get(known.ty) {
                self.put("ptr");
            } else {
                self.ty(known.ty);
            }
            self.put(" %");
            names::write_identifier(&known.name, &mut self.out);
            self.put(", metadata !");
            self.number(variable.0);
            self.put(", metadata !DIExpression())");
            self.place_of(function, *variable);
            self.put("\n");
        }
    }

    /// A location for a variable, which must be of its own function, perhaps inlined into this one.
    fn place_of(&mut self, function: &Function, variable: MetadataId) {
        let Some(here) = function.debug else { return };
        let scope = self.module.metadata.subprogram(variable).unwrap_or(here);
        self.put(", !dbg !DILocation(line: 0, scope: !");
        self.number(scope.0);
        if scope != here {
            self.put(", inlinedAt: !DILocation(line: 0, scope: !");
            self.number(here.0);
            self.put(")");
        }
        self.put(")");
    }

    fn instruction(&mut self, function: &Function, instruction: &Instruction) {
        self.put("  ");
        if let Some(local) = instruction.result.and_then(|id| function.locals.get(id.index())) {
            self.put("%");
            names::write_identifier(&local.name, &mut self.out);
            self.put(" = ");
        }
        self.operation(function, &instruction.operation);
        if let Some(location) = instruction.location
            && !matches!(instruction.operation, Operation::Other(_))
        {
            self.put(", !dbg !");
            self.number(location.0);
        }
        self.put("\n");
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn operation(&mut self, function: &Function, operation: &Operation) {
        let f = Some(function);
        match operation {
            Operation::Alloca { ty, count, align } => {
                self.put("alloca ");
                self.ty(*ty);
                if let Some(count) = count {
                    self.put(", ");
                    self.operand(f, count);
                }
                self.align(*align);
            }
            Operation::Load { ty, address, volatile, ordering, single_thread, align } => {
                let access = Access {
                    volatile: *volatile,
                    ordering: *ordering,
                    single_thread: *single_thread,
                    align: *align,
                };
                self.before_access("load", access);
                self.ty(*ty);
                self.put(", ");
                self.operand(f, address);
                self.behind_access(access);
            }
            Operation::Store { value, address, volatile, ordering, single_thread, align } => {
                let access = Access {
                    volatile: *volatile,
                    ordering: *ordering,
                    single_thread: *single_thread,
                    align: *align,
                };
                self.before_access("store", access);
                self.operands(f, &[value, address]);
                self.behind_access(access);
            }
            Operation::CompareExchange {
                address,
                expected,
                new,
                weak,
                volatile,
                success,
                failure,
                single_thread,
            } => {
                self.put("cmpxchg ");
                self.put(if *weak { "weak " } else { "" });
                self.put(if *volatile { "volatile " } else { "" });
                self.operands(f, &[address, expected, new]);
                self.order(*single_thread, *success);
                self.order(false, *failure);
            }
            Operation::AtomicRmw { op, address, value, volatile, ordering, single_thread } => {
                self.put("atomicrmw ");
                self.put(if *volatile { "volatile " } else { "" });
                self.put(op.word());
                self.put(" ");
                self.operands(f, &[address, value]);
                self.order(*single_thread, *ordering);
            }
            Operation::Fence { ordering, single_thread } => {
                self.put("fence");
                self.order(*single_thread, *ordering);
            }
            Operation::GetElementPtr { element, base, indices } => {
                self.put("getelementptr ");
                self.ty(*element);
                for operand in std::iter::once(base).chain(indices) {
                    self.put(", ");
                    self.operand(f, operand);
                }
            }
            Operation::Binary { op, left, right } => self.two(f, op.word(), left, right),
            Operation::FNeg(value) => self.with_operands(f, "fneg", &[value]),
            Operation::Compare { predicate, left, right } => {
                self.put("icmp ");
                self.two(f, predicate.word(), left, right);
            }
            Operation::FloatCompare { predicate, left, right } => {
                self.put("fcmp ");
                self.two(f, predicate.word(), left, right);
            }
            Operation::Cast { op, value, to } => {
                self.with_operands(f, op.word(), &[value]);
                self.put(" to ");
                self.ty(*to);
            }
            Operation::Select { condition, then, otherwise } => {
                self.with_operands(f, "select", &[condition, then, otherwise]);
            }
            Operation::Phi { ty, incoming } => {
                self.put("phi ");
                self.ty(*ty);
                for (index, (value, block)) in incoming.iter().enumerate() {
                    self.put(if index > 0 { ", [ " } else { " [ " });
                    self.value(f, *ty, value);
                    self.put(", ");
                    self.block_name(f, *block);
                    self.put(" ]");
                }
            }
            Operation::Freeze(value) => self.with_operands(f, "freeze", &[value]),
            Operation::ExtractValue { aggregate, indices } => {
                self.with_operands(f, "extractvalue", &[aggregate]);
                self.indices(indices);
            }
            Operation::InsertValue { aggregate, value, indices } => {
                self.with_operands(f, "insertvalue", &[aggregate, value]);
                self.indices(indices);
            }
            Operation::ExtractElement { vector, index } => {
                self.with_operands(f, "extractelement", &[vector, index]);
            }
            Operation::InsertElement { vector, value, index } => {
                self.with_operands(f, "insertelement", &[vector, value, index]);
            }
            Operation::ShuffleVector { left, right, mask } => {
                self.with_operands(f, "shufflevector", &[left, right, mask]);
            }
            Operation::VaArg { list, ty } => {
                self.with_operands(f, "va_arg", &[list]);
                self.put(", ");
                self.ty(*ty);
            }
            Operation::Call(call) => self.call(f, "call", call),
            Operation::Invoke { call, normal, unwind } => {
                self.call(f, "invoke", call);
                self.put(" to ");
                self.label(f, *normal);
                self.put(" unwind ");
                self.label(f, *unwind);
            }
            Operation::CallBranch { call, normal, indirect } => {
                self.call(f, "callbr", call);
                self.put(" to ");
                self.label(f, *normal);
                self.put(" ");
                self.labels(f, indirect);
            }
            Operation::LandingPad { ty } => {
                self.put("landingpad ");
                self.ty(*ty);
                self.put(" cleanup");
            }
            Operation::Branch(target) => {
                self.put("br ");
                self.label(f, *target);
            }
            Operation::ConditionalBranch { condition, then, otherwise } => {
                self.with_operands(f, "br", &[condition]);
                for target in [then, otherwise] {
                    self.put(", ");
                    self.label(f, *target);
                }
            }
            Operation::Switch { value, default, cases } => {
                self.with_operands(f, "switch", &[value]);
                self.put(", ");
                self.label(f, *default);
                self.put(" [");
                for (case, target) in cases {
                    self.put(" ");
                    self.operand(f, case);
                    self.put(", ");
                    self.label(f, *target);
                }
                self.put(" ]");
            }
            Operation::IndirectBranch { address, targets } => {
                self.with_operands(f, "indirectbr", &[address]);
                self.put(", ");
                self.labels(f, targets);
            }
            Operation::Return(None) => self.put("ret void"),
            Operation::Return(Some(value)) => self.with_operands(f, "ret", &[value]),
            Operation::Resume(value) => self.with_operands(f, "resume", &[value]),
            Operation::Unreachable => self.put("unreachable"),
            Operation::Other(text) => self.put(text),
        }
    }

    pub(super) fn with_operands(
        &mut self,
        f: Option<&Function>,
        word: &str,
        operands: &[&Operand],
    ) {
        self.put(word);
        self.put(" ");
        self.operands(f, operands);
    }

    /// `op T a, b`
    fn two(&mut self, f: Option<&Function>, word: &str, left: &Operand, right: &Operand) {
        self.with_operands(f, word, &[left]);
        self.put(", ");
        self.value(f, right.ty, &right.value);
    }

    fn before_access(&mut self, word: &str, access: Access) {
        self.put(word);
        self.put(if access.ordering.is_some() { " atomic" } else { "" });
        self.put(if access.volatile { " volatile " } else { " " });
    }

    fn behind_access(&mut self, access: Access) {
        if let Some(ordering) = access.ordering {
            self.order(access.single_thread, ordering);
        }
        self.align(access.align);
    }

    fn order(&mut self, single_thread: bool, ordering: Ordering) {
        self.put(if single_thread { " syncscope(\"singlethread\") " } else { " " });
        self.put(ordering.word());
    }

    fn align(&mut self, align: Option<u64>) {
        if let Some(align) = align {
            self.put(", align ");
            self.number(align);
        }
    }

    fn indices(&mut self, indices: &[u32]) {
        for index in indices {
            self.put(", ");
            self.number(*index);
        }
    }

    fn label(&mut self, f: Option<&Function>, block: BlockId) {
        self.put("label ");
        self.block_name(f, block);
    }

    fn labels(&mut self, f: Option<&Function>, blocks: &[BlockId]) {
        self.put("[");
        for (index, block) in blocks.iter().enumerate() {
            self.put(if index > 0 { ", " } else { "" });
            self.label(f, *block);
        }
        self.put("]");
    }
}
