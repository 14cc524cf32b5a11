// Breadth-first search of tables, level by level: the text that is compiled for the program at hand.
//
// The same text is compiled by NVRTC for a graphics card and by a C++ compiler for tests, where the
// lines before it define what CUDA has by itself. Before it also stand the constants of the tables:
//
//   WORDS                 words of a state, one or two
//   MASK0                 the bits of the first word that a state uses
//   TAG_SHIFT             how many these are; above them in the set is the level, modulo a number
//   IS_TAGGED             whether there is room for such a number
//   HAS_MARKS             whether some states are not expanded
//   LOOKS_AT_ALL          whether the asker looks at every state
//   COMPONENTS(DO)        DO(word, shift, mask, first) for each component: the place of its local state,
//                         and where in `begins` and `marks` it begins
//
// Exactness: a state is stored whole, so no two are confused; a slot that is taken keeps its state for
// ever; and whoever finds neither the state nor a free slot says that the set is full.

struct Operation {
    u64 keep[WORDS];
    u32 base;
    // One number of a few bits: word << 16 | shift << 8 | bits. Otherwise IS_COMPLEX and where in
    // `complexes` is said how the index is made.
    u32 input;
};

struct Arguments {
    const Operation *operations;
    const u32 *begins;
    const u32 *marks;
    const u64 *entries;
    const u32 *complexes;
    const u64 *indices;
    u64 *set;
    u64 slots;
    // What is expanded or looked at: `count` states from `source` on; if there is no source, the slots
    // from number `first` on whose tag is `tag`.
    const u64 *source;
    u64 first;
    u64 count;
    u64 tag;
    // Where new states go while there is room, and what they are tagged with.
    u64 *queue;
    u64 capacity;
    u64 new_tag;
    // How many new states there may be.
    u64 most;
    u64 *counters;
    // The state whose predecessor is looked for, which word of it, and what the word before is.
    u64 target[2];
    u64 word;
    u64 least;
};

#define IS_COMPLEX 0x80000000u
#define IS_SPARSE 0x80000000u
#define NO_STATE (1ull << 63)
#define BLOCKED NO_STATE
#define UNKNOWN (NO_STATE | 1)
#define EMPTY (~0ull)
// Somebody is about to write a state of two words here.
#define PENDING (~0ull - 1)
#define NO_ENTRY (~0u)

// Counters.
#define NEW_STATES 0
#define TRANSITIONS 1
#define STOPPED 2
#define LOOKED_AT 3
#define FOUND 4
// Why it was stopped.
#define BECAUSE_FULL 1
#define BECAUSE_MOST 2
#define BECAUSE_UNKNOWN 3

// Marks.
#define LOOK_IF_ANY 1
#define LOOK_IF_ALL 6
#define EXPAND_IF_ALL 8
#define EXPAND_IF_ANY 16

struct State {
    u64 word[WORDS];
};

DEVICE State stated(const u64 *at) {
    State state;
    for (int i = 0; i < WORDS; i++) state.word[i] = at[i];
    return state;
}

DEVICE bool is_same(const State &one, const State &other) {
    bool same = true;
    for (int i = 0; i < WORDS; i++) same = same && one.word[i] == other.word[i];
    return same;
}

DEVICE void stop(const Arguments &a, u64 why, const State &state) {
    if (atomic_compare_exchange(&a.counters[STOPPED], 0, why) == 0)
        for (int i = 0; i < WORDS; i++) a.counters[FOUND + i] = state.word[i];
}

DEVICE u64 mixed(const State &state) {
    u64 hash = 0x9E3779B97F4A7C15ull;
    for (int i = 0; i < WORDS; i++) {
        hash = (hash ^ state.word[i]) * 0xD6E8FEB86659FD93ull;
        hash ^= hash >> 32;
    }
    return hash * 0xA0761D6478BD642Full;
}

// Whether the state was not in the set; it is then.
DEVICE bool is_new(const Arguments &a, const State &state) {
    u64 at = multiply_high(mixed(state), a.slots);
    const u64 tagged = IS_TAGGED ? state.word[0] | a.new_tag << TAG_SHIFT : state.word[0];
    for (u64 tried = 0; tried < a.slots; tried++) {
        u64 *slot = a.set + at * WORDS;
        u64 seen = load(slot);
        if (seen == EMPTY) {
#if WORDS == 1
            seen = atomic_compare_exchange(slot, EMPTY, tagged);
            if (seen == EMPTY) return true;
#else
            seen = atomic_compare_exchange(slot, EMPTY, PENDING);
            if (seen == EMPTY) {
                store(slot + 1, state.word[1]);
                fence();
                store(slot, tagged);
                return true;
            }
#endif
        }
#if WORDS == 2
        while (seen == PENDING) seen = load(slot);
        fence();
        if ((seen & MASK0) == state.word[0] && load(slot + 1) == state.word[1]) return false;
#else
        if ((seen & MASK0) == state.word[0]) return false;
#endif
        if (++at == a.slots) at = 0;
        // A set with so few free slots is as good as full.
        if (tried == 1 << 16) break;
    }
    stop(a, BECAUSE_FULL, state);
    return false;
}

DEVICE void found(const Arguments &a, const State &state) {
    if (!is_new(a, state)) return;
    const u64 number = add_one(&a.counters[NEW_STATES]);
    if (number >= a.most) stop(a, BECAUSE_MOST, state);
    if (number < a.capacity)
        for (int i = 0; i < WORDS; i++) a.queue[number * WORDS + i] = state.word[i];
}

// The number of the entry of an operation whose index is made from several numbers, or is sparse.
DEVICE u32 complex_entry(const Arguments &a, const Operation &operation, const State &state) {
    const u32 *complex = a.complexes + (operation.input & ~IS_COMPLEX);
    const u32 inputs = complex[0] & ~IS_SPARSE;
    u64 index = 0;
    u32 at = 0;
    for (u32 i = 1; i <= inputs; i++) {
        const u32 field = complex[i];
        const u64 mask = (1ull << (field & 255)) - 1;
        index |= (state.word[WORDS == 1 ? 0 : field >> 16] >> (field >> 8 & 255) & mask) << at;
        at += field & 255;
    }
    if (!(complex[0] & IS_SPARSE)) return operation.base + (u32)index;
    const u32 first = complex[inputs + 1];
    u32 low = 0, high = complex[inputs + 2];
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (a.indices[first + middle] < index) low = middle + 1;
        else high = middle;
    }
    const bool is_there = low < complex[inputs + 2] && a.indices[first + low] == index;
    return is_there ? operation.base + low : NO_ENTRY;
}

DEVICE State applied(const Arguments &a, const Operation &operation, const State &state, u32 entry) {
    State next;
    for (int i = 0; i < WORDS; i++)
        next.word[i] = (state.word[i] & operation.keep[i]) | a.entries[(u64)entry * WORDS + i];
    return next;
}

// Calls visit(next) for each successor by one component.
template <typename Visit>
DEVICE void step(const Arguments &a, const State &state, const u32 *begins, Visit visit) {
    const u32 end = begins[1];
    for (u32 number = begins[0]; number < end; number++) {
        const Operation operation = a.operations[number];
        u32 entry;
        if (operation.input & IS_COMPLEX) {
            entry = complex_entry(a, operation, state);
            if (entry == NO_ENTRY) { stop(a, BECAUSE_UNKNOWN, state); return; }
        } else {
            const u32 field = operation.input;
            const u64 mask = (1ull << (field & 255)) - 1;
            const u64 word = state.word[WORDS == 1 ? 0 : field >> 16];
            entry = operation.base + (u32)(word >> (field >> 8 & 255) & mask);
        }
        const u64 first = a.entries[(u64)entry * WORDS];
        if (!(first & NO_STATE)) {
            visit(applied(a, operation, state, entry));
        } else if (first == UNKNOWN) {
            stop(a, BECAUSE_UNKNOWN, state);
        } else if (first != BLOCKED) {
            for (u32 one = (u32)((first & ~NO_STATE) >> 2); a.entries[(u64)one * WORDS] != BLOCKED; one++)
                visit(applied(a, operation, state, one));
        }
    }
}

// Calls visit(next) for each successor.
template <typename Visit>
DEVICE void successors(const Arguments &a, const State &state, Visit visit) {
#if HAS_MARKS
    u32 all = ~0u, any = 0;
#define LOOK(word_, shift_, mask_, first_) \
    { const u32 m = a.marks[first_ + (u32)(state.word[word_] >> shift_ & mask_)]; all &= m; any |= m; }
    COMPONENTS(LOOK)
#undef LOOK
    if (!(all & EXPAND_IF_ALL) && !(any & EXPAND_IF_ANY)) return;
#endif
#define EXPAND(word_, shift_, mask_, first_) \
    step(a, state, a.begins + first_ + (u32)(state.word[word_] >> shift_ & mask_), visit);
    COMPONENTS(EXPAND)
#undef EXPAND
}

// State number `number` of those that are expanded or looked at, if there is one there.
DEVICE bool given(const Arguments &a, u64 number, State *state) {
    if (a.source) {
        *state = stated(a.source + number * WORDS);
        return true;
    }
    *state = stated(a.set + (a.first + number) * WORDS);
    // A tag is never all ones, so this is not said of a slot that is empty.
    const bool is_tagged = IS_TAGGED && state->word[0] >> (TAG_SHIFT & 63) == a.tag;
    state->word[0] &= MASK0;
    return is_tagged;
}

KERNEL(expand) {
    u64 transitions = 0;
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        State state;
        if (load(&a.counters[STOPPED])) break;
        if (!given(a, number, &state)) continue;
        successors(a, state, [&](const State &next) {
            transitions++;
            found(a, next);
        });
    }
    add(&a.counters[TRANSITIONS], transitions);
}

// Puts the states that the asker has to look at into the queue.
KERNEL(look) {
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        State state;
        if (!given(a, number, &state)) continue;
        u32 all = ~0u, any = 0;
#define LOOK(word_, shift_, mask_, first_) \
    { const u32 m = a.marks[first_ + (u32)(state.word[word_] >> shift_ & mask_)]; all &= m; any |= m; }
        COMPONENTS(LOOK)
#undef LOOK
        if (!(LOOKS_AT_ALL || (any & LOOK_IF_ANY) || (all & LOOK_IF_ALL))) continue;
        const u64 at = add_one(&a.counters[LOOKED_AT]);
        for (int i = 0; i < WORDS; i++) a.queue[at * WORDS + i] = state.word[i];
    }
}

// Finds, among the states with a successor that is the target, the least: its first word, or its second
// if the first is known to be `least`.
KERNEL(precede) {
    const State target = stated(a.target);
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        State state;
        if (!given(a, number, &state)) continue;
        if (a.word > 0 && state.word[0] != a.least) continue;
        successors(a, state, [&](const State &next) {
            if (is_same(next, target)) lower(&a.counters[FOUND], state.word[WORDS == 1 ? 0 : a.word]);
        });
    }
}

// Puts the states of the source, which are those of a smaller set, into the set, each with its tag.
KERNEL(move) {
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        State state = stated(a.source + number * WORDS);
        if (state.word[0] == EMPTY) continue;
        Arguments tagged = a;
        tagged.new_tag = IS_TAGGED ? state.word[0] >> (TAG_SHIFT & 63) : 0;
        state.word[0] &= MASK0;
        is_new(tagged, state);
    }
}

// Puts the states of the source into the set.
KERNEL(begin) {
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        State state;
        if (given(a, number, &state)) found(a, state);
    }
}
