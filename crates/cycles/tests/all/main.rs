//! Static critical cycles against enumeration: of cycles, and of executions by axioms.

mod calls;
mod common;
mod confirmed;
mod cycles;
mod dependencies;
mod enumerated;
mod exact;
mod graphs;
mod litmus;
mod locked;
mod locks;
mod oracle;
mod ported;
mod ports;
mod random;
mod spinning;
mod waiting;
