// Every form of place. `note` says that control was inside of the place in which its number stands.
// Its value says when it is dropped, so that the traces show when temporaries are.
// Numbers from 900 on are of values that outlive their place.
#![allow(unused, clippy::all)]

use std::cell::Cell;

pub struct Noted(pub u32, pub i32);
impl Drop for Noted {
    fn drop(&mut self) {
        println!("drop {}", self.0);
    }
}
impl Noted {
    fn value(&self) -> i32 {
        self.1
    }
    fn is(&self, value: i32) -> bool {
        self.1 == value
    }
    fn some(&self) -> Option<i32> {
        Some(self.1)
    }
    fn itself(&self) -> &Self {
        self
    }
}
fn note(number: u32) -> Noted {
    says(number, 1)
}
fn says(number: u32, value: i32) -> Noted {
    println!("note {number}");
    Noted(number, value)
}

fn tail(x: i32) -> i32 {
    let _local = Noted(1000, 0);
    says(1, x).value()
}

fn unit_tail(cell: &Cell<i32>) {
    cell.set(note(2).value())
}

fn returns(x: i32) -> i32 {
    if says(3, x).is(0) {
        return says(4, 40).value();
    }
    if says(5, x).is(1) && note(6).is(1) { return match says(7, x).value() { 1 => note(8).value(), _ => 3 } }
    says(9, x).value() + note(10).value()
}

fn branches(x: i32) -> i32 {
    let y = if says(11, x).is(0) { says(12, 5).value() } else if note(13).is(1) { says(14, 6).value() } else { 7 };
    let z = match says(15, x).some() {
        Some(0) => note(16).value(),
        Some(w) if says(17, w).is(1) => { note(18).value() }
        Some(_) | None => says(19, 4).itself().value(),
    };
    if let Some(a) = note(20).itself().some() { note(21); } else { note(22); }
    if let Some(0) = note(23).some() { note(24); } else { note(25).value(); }
    y + z
}

fn loops() -> i32 {
    let mut i = 0;
    while says(26, i).value() < 2 {
        i += note(27).value();
        if says(28, i).is(1) { continue; }
        note(29);
    }
    while let Some(0..=3) = says(30, i).some() { i += 1 + says(31, 0).value() }
    for j in 0..2 {
        says(32, j);
    }
    'outer: loop {
        loop {
            i += note(33).value();
            if says(34, i).value() > 6 { break 'outer }
            if says(35, i).is(6) { continue 'outer }
        }
    }
    loop {
        if note(36).is(1) { break note(37).value() + i }
    }
}

fn closures() -> i32 {
    let add = |x: i32| says(38, x).value() + 1;
    let block = move |x: i32| { note(39); says(40, x).itself().value() };
    let list: Vec<i32> = (0..3).map(|x| says(41, x).value()).filter(|x| { says(42, *x).is(1) }).collect();
    let (two, one) = (says(43, 2).value(), note(44).value());
    add(two) + block(one) + list[0]
}

fn early(x: i32) -> Option<i32> {
    let Some(a) = says(45, x).some() else { note(46); return None };
    let Some(1) = says(47, x).some() else { note(48); return Some(says(49, 9).value()) };
    let b = unsafe { note(50).value() };
    Some(a + b)
}

fn blocks() -> i32 {
    let a = { note(51); let _inner = Noted(1001, 0); says(52, 3).value() };
    { note(53); }
    { note(954) };
    let b = { says(55, 1).value() + says(56, 2).value() };
    assert!(says(57, a).is(3), "{}", note(58).value());
    println!("{}", says(59, b).value()); note(60); let c = note(61).value(); // together
    let _ = note(62);
    let kept = note(63);
    let borrowed = &note(64);
    match (says(65, 1).value(), says(66, 2).value()) { (1, d) => { says(67, d); } _ => () }
    match &note(68) { n => println!("{}", n.1) }
    if says(69, 1).is(1) { note(70); }
    { note(971) }.value() + kept.value() + borrowed.value()
}

fn unit_arms(x: i32, cell: &Cell<i32>) {
    match says(72, x).value() {
        0 => cell.set(note(73).value()),
        1 => { cell.set(note(74).value()) }
        _ if note(75).is(1) && note(76).is(2) => panic!("{}", note(77).value()),
        _ => println!("{}", note(78).value()),
    }
}

fn main() -> std::process::ExitCode {
    let cell = Cell::new(0);
    println!("= {}", tail(4));
    unit_tail(&cell);
    for x in 0..3 {
        println!("= {} {}", returns(x), branches(x));
        println!("= {:?}", early(x));
        unit_arms(x, &cell);
    }
    println!("= {} {} {}", loops(), closures(), blocks());
    std::process::ExitCode::from(says(79, 3).value() as u8)
}
