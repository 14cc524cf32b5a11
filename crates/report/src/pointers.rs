//! Addresses as people know them. A program in C or Rust has pointers, which in its model are numbers: where one is
//! told, it is told as what it points to.

use program::{EdgeId, Fault, Memory, Outside, ThreadId, Value};
use semantics::Machine;

/// No object lies below this address, and none belongs to somebody: a field of a structure that is not there is here.
const NULL_PAGE: Value = 4096;

/// A pointer that is this far from an object is said to be beside it.
const NEAR: Value = 64;

/// Whether the numbers of a program may be addresses.
fn has_pointers(memory: &Memory) -> bool {
    memory.outside() == Outside::Fault
}

/// A value that a program holds: if it is where a variable begins, the address of that. A power of two is more likely a
/// flag than the address that it happens to be.
pub(crate) fn told(memory: &Memory, value: Value) -> String {
    let is_flag = value.unsigned_abs().is_power_of_two();
    match memory.place(value).filter(|_| has_pointers(memory) && value >= NULL_PAGE && !is_flag) {
        Some((id, 0)) if memory.location(id).base == value => {
            format!("&{}", memory.cell_name(value))
        }
        Some(_) | None => value.to_string(),
    }
}

/// Why an edge cannot be taken: of an address that is nowhere, what is near it.
pub(crate) fn why(machine: &Machine<'_>, thread: ThreadId, edge: EdgeId, fault: Fault) -> String {
    let memory = machine.program().memory();
    let said = machine.template(thread).why(edge, fault);
    if let Fault::NoObject { address } = fault
        && has_pointers(memory)
        && let Some(beside) = beside(memory, address)
    {
        return format!("{said}: {beside}");
    }
    said
}

/// What an address that belongs to no object is near.
fn beside(memory: &Memory, address: Value) -> Option<String> {
    if (0..NULL_PAGE).contains(&address) {
        return Some("it is a null pointer, or near one".to_owned());
    }
    let before = memory.locations().iter().filter(|location| location.base < address);
    let last = before.map(program::Location::last_address).max();
    if let Some(last) = last.filter(|last| *last < address && address - last <= NEAR) {
        let distance = address - last;
        let name = memory.cell_name(last);
        return Some(format!("it is {distance} bytes after the beginning of `{name}`"));
    }
    let after = memory.locations().iter().map(|location| location.base);
    let first = after.filter(|base| *base > address).min()?;
    (first - address <= NEAR)
        .then(|| format!("it is {} bytes before `{}`", first - address, memory.cell_name(first)))
}
