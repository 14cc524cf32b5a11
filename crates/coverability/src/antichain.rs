//! Minimal markings: none covers another.

use crate::net::{Marking, Place};

/// The number of a marking that is or was minimal.
pub(crate) type Element = u32;

/// A set of markings of which none covers another.
pub(crate) struct Antichain {
    elements: Vec<(Marking, u64)>,
    is_minimal: Vec<bool>,
    /// For each place the elements whose rarest place it was when they came.
    filed: Vec<Vec<Element>>,
    /// For each place the elements that mention it.
    mentioned: Vec<Vec<Element>>,
    live: usize,
    bytes: usize,
}

impl Antichain {
    pub(crate) fn new(places: usize) -> Self {
        Self {
            elements: Vec::new(),
            is_minimal: Vec::new(),
            filed: vec![Vec::new(); places],
            mentioned: vec![Vec::new(); places],
            live: 0,
            bytes: 0,
        }
    }

    pub(crate) fn get(&self, element: Element) -> &Marking {
        &self.elements[element as usize].0
    }

    pub(crate) fn is_minimal(&self, element: Element) -> bool {
        self.is_minimal[element as usize]
    }

    /// How many are minimal.
    pub(crate) const fn len(&self) -> usize {
        self.live
    }

    /// Bytes that it takes, roughly.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether some element is covered by a marking.
    fn is_covered(&mut self, marking: &Marking, signature: u64) -> bool {
        let Self { elements, is_minimal, filed, .. } = self;
        marking.tokens().iter().any(|(place, _)| {
            let filed = &mut filed[*place as usize];
            let mut at = 0;
            while at < filed.len() {
                let element = filed[at] as usize;
                if !is_minimal[element] {
                    filed.swap_remove(at);
                    continue;
                }
                let (one, bits) = &elements[element];
                if bits & !signature == 0 && marking.covers(one) {
                    return true;
                }
                at += 1;
            }
            false
        })
    }

    /// Adds a marking, unless it covers one that is there; those that cover it are minimal no longer.
    pub(crate) fn insert(&mut self, marking: Marking) -> Option<Element> {
        let signature = marking.signature();
        if self.is_covered(&marking, signature) {
            return None;
        }
        let fewest = |lists: &[Vec<Element>]| {
            let places = marking.tokens().iter().map(|(place, _)| *place);
            places.min_by_key(|place: &Place| lists[*place as usize].len())
        };
        if let Some(place) = fewest(&self.mentioned) {
            let Self { elements, is_minimal, mentioned, live, .. } = self;
            mentioned[place as usize].retain(|element| {
                let element = *element as usize;
                let (one, bits) = &elements[element];
                if is_minimal[element] && signature & !bits == 0 && one.covers(&marking) {
                    is_minimal[element] = false;
                    *live -= 1;
                }
                is_minimal[element]
            });
        }
        let element = crate::net::number(self.elements.len());
        if let Some(place) = fewest(&self.filed) {
            self.filed[place as usize].push(element);
        }
        for (place, _) in marking.tokens() {
            self.mentioned[*place as usize].push(element);
        }
        self.bytes += 64 + 16 * marking.tokens().len();
        self.elements.push((marking, signature));
        self.is_minimal.push(true);
        self.live += 1;
        Some(element)
    }
}
