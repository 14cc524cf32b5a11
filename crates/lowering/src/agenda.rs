//! What a data-flow analysis of all threads has still to look at.
//!
//! Both analyses that follow values through registers and memory ([`crate::flow`], [`crate::amounts`]) go through
//! the steps of all threads again and again until nothing changes. A step is worth another look only if a
//! register that it mentions or an object that it reads has changed since the last one, and those are few. The
//! order is that of the steps, from the first to the last and again from the first, so that what is found
//! does not depend on what is left out.

use std::collections::{BTreeSet, HashMap};

use program::index::Idx;
use program::{Expr, RegisterId, Template};

use crate::object::ObjectId;

/// A step of a thread, by the numbers of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) thread: usize,
    pub(crate) edge: usize,
}

/// The steps of all threads, and which of them are due.
pub(crate) struct Agenda {
    steps: Vec<Step>,
    is_due: Vec<bool>,
    /// How many are due.
    due: usize,
    /// Where the next look begins.
    next: usize,
    /// For each register of each thread, the steps that mention it.
    users: Vec<Vec<Vec<usize>>>,
    /// For each object, the steps that read it.
    readers: HashMap<ObjectId, BTreeSet<usize>>,
}

impl Agenda {
    /// All steps of these threads, each of them due.
    pub(crate) fn new(threads: &[&Template]) -> Self {
        let mut steps = Vec::new();
        let mut users: Vec<Vec<Vec<usize>>> =
            threads.iter().map(|thread| vec![Vec::new(); thread.registers().len()]).collect();
        for (thread, template) in threads.iter().enumerate() {
            for (edge, data) in template.edges().iter().enumerate() {
                let number = steps.len();
                steps.push(Step { thread, edge });
                for operand in data.instruction.operands() {
                    operand.visit(&mut |part| {
                        if let Expr::Register(register) = part {
                            let users = &mut users[thread][register.index()];
                            if users.last() != Some(&number) {
                                users.push(number);
                            }
                        }
                    });
                }
            }
        }
        let due = steps.len();
        let is_due = vec![true; due];
        Self { steps, is_due, due, next: 0, users, readers: HashMap::new() }
    }

    /// How many steps there are.
    pub(crate) const fn len(&self) -> usize {
        self.steps.len()
    }

    /// The step with a number.
    pub(crate) fn step(&self, number: usize) -> Step {
        self.steps[number]
    }

    /// The next step that is due, which then is not any more, with its number.
    pub(crate) fn pop(&mut self) -> Option<(usize, Step)> {
        if self.due == 0 {
            return None;
        }
        while !self.is_due[self.next] {
            self.next = (self.next + 1) % self.steps.len();
        }
        self.is_due[self.next] = false;
        self.due -= 1;
        Some((self.next, self.steps[self.next]))
    }

    /// Notes that a step reads an object.
    pub(crate) fn reads(&mut self, step: usize, object: ObjectId) {
        self.readers.entry(object).or_default().insert(step);
    }

    /// A register of a thread has changed.
    pub(crate) fn register_changed(&mut self, thread: usize, register: RegisterId) {
        for step in &self.users[thread][register.index()] {
            self.due += usize::from(!std::mem::replace(&mut self.is_due[*step], true));
        }
    }

    /// What lies in an object has changed.
    pub(crate) fn object_changed(&mut self, object: ObjectId) {
        for step in self.readers.get(&object).into_iter().flatten() {
            self.due += usize::from(!std::mem::replace(&mut self.is_due[*step], true));
        }
    }
}
