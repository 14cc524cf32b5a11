//! Generics, closures, trait objects, enums, slices, wide integers, unwinding.
use std::collections::HashMap;
use std::fmt::Debug;

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".to_owned()
    }
}
struct Square(f64);
struct Circle {
    radius: f64,
}
impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}
impl Shape for Circle {
    fn area(&self) -> f64 {
        3.0 * self.radius.powi(2)
    }
    fn name(&self) -> String {
        format!("circle {}", self.radius)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Tree<T> {
    Leaf,
    Node(Box<Tree<T>>, T, Box<Tree<T>>),
    Named { name: String, value: Option<T> },
}

fn insert<T: PartialOrd + Debug>(tree: Tree<T>, value: T) -> Tree<T> {
    match tree {
        Tree::Leaf => Tree::Node(Box::new(Tree::Leaf), value, Box::new(Tree::Leaf)),
        Tree::Node(left, here, right) if value < here => {
            Tree::Node(Box::new(insert(*left, value)), here, right)
        }
        Tree::Node(left, here, right) => Tree::Node(left, here, Box::new(insert(*right, value))),
        named @ Tree::Named { .. } => named,
    }
}

fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |x| g(f(x))
}

fn wide(x: u128, y: i128) -> u128 {
    x.wrapping_mul(0x1_0000_0000_0000_0000_0000_0001).wrapping_add(y as u128) >> 3
}

fn slices(words: &[&str]) -> usize {
    words.iter().filter(|word| word.len() > 2).map(|word| word.chars().count()).sum()
}

struct Noisy<'a>(&'a mut Vec<u32>);
impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        self.0.push(1);
    }
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Circle { radius: 1.5 })];
    let total: f64 = shapes.iter().map(|shape| shape.area()).sum();
    let tree = [3, 1, 2].into_iter().fold(Tree::Leaf, insert);
    let f = compose(|x: i32| x + 1, |y| y.to_string());
    let mut map = HashMap::new();
    map.insert(f(1), total);
    let mut log = Vec::new();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _noisy = Noisy(&mut log);
        let index = std::env::args().count() + 10;
        [1, 2, 3][index]
    }));
    let named = Tree::Named { name: "x".to_owned(), value: Some('c') };
    println!("{tree:?} {named:?} {map:?} {} {caught:?}", wide(5, -1) + slices(&["a", "bcd"]) as u128);
    for shape in &shapes {
        println!("{}", shape.name());
    }
}
