// Breadth-first search of tables, level by level: the text that is compiled for the program at hand.
//
// The same text is compiled by NVRTC for a graphics card and by a C++ compiler for tests, where the
// lines before it define what CUDA has by itself. Before it also stand the constants of the tables:
//
//   WORDS                 words of a state, one or two
//   SLOT                  words of a slot of the set, one or as many
//   MASK0                 the bits of the first word of a slot that are not for the level; in those above them is
//                         its tag, the level modulo a number
//   IS_TAGGED             whether there is room for such a number
//   HAS_MARKS             whether some states are not expanded
//   LOOKS_AT_ALL          whether the client looks at every state
//   IS_QUOTIENT           whether slots hold quotients (`layout.rs`), and then
//   PLACED                the word that becomes the place
//   PLACE_BITS, BESIDE_BITS, STORED_BITS, DISTANCE_BITS
//                         bits of that word, of the other, of what is stored of both, and of the distance from home
//   UNDO_FIRST, UNDO_SECOND
//                         what undoes the multiplications by FIRST and SECOND
//   OTHERS0, OTHERS1      the bits of each word that belong to no component
//   HAS_BEGIN, HAS_EXPAND, …
//                         which kernels are wanted: the fewer, the sooner they are compiled
//   COMPONENTS(DO)        DO(word, shift, mask, first) for each component: the place of its local state,
//                         and where in `begins` and `marks` it begins
//
// Exactness: a slot and its bucket determine the state, so no two are confused; a slot that is taken keeps its state
// forever; and a thread that finds neither the state nor a free slot says that the set is full.

// In memory: the words of `keep`, then `input` above `base`.
struct Operation {
    u64 keep[WORDS];
    u32 base;
    // One number of a few bits: word << 16 | shift << 8 | bits. Otherwise IS_COMPLEX and where in
    // `complexes` is said how the index is made.
    u32 input;
};

struct Arguments {
    const u64 *operations;
    const u32 *begins;
    const u32 *marks;
    const u64 *entries;
    const u32 *complexes;
    const u64 *indices;
    u64 *set;
    u64 slots;
    // Of quotients: bits of the number of a bucket, and in the set that states are moved from.
    u64 bucket_bits;
    u64 source_bits;
    // Successors whose first bucket is not among these are left to another pass.
    u64 first_bucket;
    u64 buckets;
    // What is gone through: `count` states from `source` on; if there is no source, `count` slots from number
    // `first` on, of which those count whose tag is `tag`.
    const u64 *source;
    u64 first;
    u64 count;
    u64 tag;
    // Where new states go while there is room, and what they are tagged with. Tags are where they are in a slot.
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
// A thread is about to write a state of two words here.
#define PENDING (~0ull - 1)
#define NO_ENTRY (~0u)
// Slots that are looked at together.
#define BUCKET 4

// Counters.
#define NEW_STATES 0
#define TRANSITIONS 1
#define STOPPED 2
#define LOOKED_AT 3
#define FOUND 4
#define EXPANDED 6
// Why it was stopped.
#define BECAUSE_FULL 1
#define BECAUSE_MOST 2
#define BECAUSE_UNKNOWN 3

// Marks.
#define LOOK_IF_ANY 1
#define LOOK_IF_ALL 2
#define LOOK_IF_CALM 4
#define EXPAND_IF_ALL 8
#define EXPAND_IF_ANY 16

struct State {
    u64 word[WORDS];
};

struct Slot {
    u64 word[SLOT];
};

// Tables do not change while a kernel runs: they are read through FIXED.
DEVICE Operation operation_number(const Arguments &a, u32 number) {
    const u64 *at = a.operations + (u64)number * (WORDS + 1);
    Operation operation;
    for (int i = 0; i < WORDS; i++) operation.keep[i] = FIXED(at + i);
    const u64 last = FIXED(at + WORDS);
    operation.base = (u32)last;
    operation.input = (u32)(last >> 32);
    return operation;
}

DEVICE State stated(const u64 *at) {
    State state;
    for (int i = 0; i < WORDS; i++) state.word[i] = at[i];
    return state;
}

DEVICE Slot slot_at(const u64 *at) {
    Slot slot;
    for (int i = 0; i < SLOT; i++) slot.word[i] = at[i];
    return slot;
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

#if IS_QUOTIENT
#define FIRST 0xD6E8FEB86659FD93ull
#define SECOND 0xA0761D6478BD642Full
#define BESIDE 0x9FB21C651E98DF25ull
// Places are read from their highest bit on: they are numbers of 64 bits whose lowest ones are zero.
#define BELOW_PLACE (64 - PLACE_BITS)
#define OF_PLACE (~0ull << BELOW_PLACE)
#define HALF ((PLACE_BITS + 1) / 2)
#define MOST_TRIED (1ull << DISTANCE_BITS)

DEVICE u64 place_of(const State &state) {
    u64 place = state.word[PLACED] << BELOW_PLACE;
    place ^= (state.word[1 - PLACED] * BESIDE) & OF_PLACE;
    place *= FIRST;
    place ^= (place >> HALF) & OF_PLACE;
    return place * SECOND;
}

// The number of the first bucket that a state may be in: those of a part of all states are in a part of the set.
DEVICE u64 home(const Arguments &a, const State &state) {
    return place_of(state) >> (64 - a.bucket_bits);
}

// What a slot holds of a state, `distance` buckets behind its home.
DEVICE Slot slotted(const Arguments &a, const State &state, u64 distance) {
    const u64 rest = place_of(state) << a.bucket_bits >> (BELOW_PLACE + a.bucket_bits);
    return Slot{{rest << BESIDE_BITS | state.word[1 - PLACED] | distance << STORED_BITS}};
}

// The state of which a slot of a bucket holds that, in a set with so many bits for the number of a bucket.
DEVICE State unslotted(const Slot &slot, u64 bucket, u64 bucket_bits) {
    const u64 stored = slot.word[0] & ((1ull << STORED_BITS) - 1);
    const u64 distance = slot.word[0] >> STORED_BITS & (MOST_TRIED - 1);
    const u64 from = (bucket - distance) & ((1ull << bucket_bits) - 1);
    const u64 beside = stored & ((1ull << BESIDE_BITS) - 1);
    u64 place = from << (64 - bucket_bits) | stored >> BESIDE_BITS << BELOW_PLACE;
    place *= UNDO_SECOND;
    // Its upper half is as it was, so what was added to the lower half is known.
    place ^= (place >> HALF) & OF_PLACE;
    place *= UNDO_FIRST;
    place ^= (beside * BESIDE) & OF_PLACE;
    State state;
    state.word[PLACED] = place >> BELOW_PLACE;
    state.word[1 - PLACED] = beside;
    return state;
}
#else
// A set in which every slot that is tried is taken is as good as full.
#define MOST_TRIED (1ull << 14)

DEVICE u64 mixed(const State &state) {
    u64 hash = 0x9E3779B97F4A7C15ull;
    for (int i = 0; i < WORDS; i++) {
        hash = (hash ^ state.word[i]) * 0xD6E8FEB86659FD93ull;
        hash ^= hash >> 32;
    }
    return hash * 0xA0761D6478BD642Full;
}

// The number of the first bucket that a state may be in: those of a part of all states are in a part of the set.
DEVICE u64 home(const Arguments &a, const State &state) {
    return multiply_high(mixed(state), a.slots / BUCKET);
}

DEVICE Slot slotted(const Arguments &, const State &state, u64) {
    Slot slot;
    for (int i = 0; i < WORDS; i++) slot.word[i] = state.word[i];
    return slot;
}

DEVICE State unslotted(const Slot &slot, u64, u64) {
    State state;
    for (int i = 0; i < WORDS; i++) state.word[i] = slot.word[i];
    state.word[0] &= MASK0;
    return state;
}
#endif

#if SLOT == 2 && !defined(HAS_PAIRS)
// Where two words cannot be exchanged in one step, a slot is claimed before it is written, and a thread that
// meets it meanwhile waits.
DEVICE void load_pair(const u64 *slot, u64 *seen) {
    do seen[0] = load(slot);
    while (seen[0] == PENDING);
    fence();
    seen[1] = load(slot + 1);
}

DEVICE void claim_pair(u64 *slot, const u64 *wanted, u64 *seen) {
    seen[0] = atomic_compare_exchange(slot, EMPTY, PENDING);
    if (seen[0] != EMPTY) return load_pair(slot, seen);
    store(slot + 1, wanted[1]);
    fence();
    store(slot, wanted[0]);
}
#endif

// What is in the slots of a bucket. Each is read in one step, but not all of them together.
DEVICE void slots_of(const u64 *bucket, Slot *seen) {
#if SLOT == 1
    UNROLLED
    for (int one = 0; one < BUCKET; one += 2) {
        u64 words[2];
        load_two(bucket + one, words);
        seen[one].word[0] = words[0];
        seen[one + 1].word[0] = words[1];
    }
#else
    UNROLLED
    for (int one = 0; one < BUCKET; one++) load_pair(bucket + one * SLOT, seen[one].word);
#endif
}

// Fills a slot if it is empty; what was there before.
DEVICE Slot claimed(u64 *slot, const Slot &wanted) {
    Slot seen;
#if SLOT == 1
    seen.word[0] = atomic_compare_exchange(slot, EMPTY, wanted.word[0]);
#else
    claim_pair(slot, wanted.word, seen.word);
#endif
    return seen;
}

// Whether the state was not in the set; it is then. Slots are filled in the order in which they are looked at here, so
// a state is in none behind an empty one.
DEVICE bool is_new(const Arguments &a, const State &state) {
    const u64 buckets = a.slots / BUCKET;
    const u64 most = buckets < MOST_TRIED ? buckets : MOST_TRIED;
    u64 at = home(a, state);
    for (u64 tried = 0; tried < most; tried++) {
        const Slot wanted = slotted(a, state, tried);
        Slot tagged = wanted;
        tagged.word[0] |= a.new_tag;
        u64 *bucket = a.set + at * (BUCKET * SLOT);
        // All slots are asked for before the first is looked at.
        Slot seen[BUCKET];
        slots_of(bucket, seen);
        UNROLLED
        for (int one = 0; one < BUCKET; one++) {
            if (seen[one].word[0] == EMPTY) {
                seen[one] = claimed(bucket + one * SLOT, tagged);
                if (seen[one].word[0] == EMPTY) return true;
            }
            bool is_there = (seen[one].word[0] & MASK0) == wanted.word[0];
            for (int i = 1; i < SLOT; i++) is_there = is_there && seen[one].word[i] == wanted.word[i];
            if (is_there) return false;
        }
        if (++at == buckets) at = 0;
    }
    stop(a, BECAUSE_FULL, state);
    return false;
}

// Counts a new state and puts it into the queue; it has this number among the new ones.
DEVICE void queued(const Arguments &a, const State &state, u64 number) {
    if (number >= a.most) stop(a, BECAUSE_MOST, state);
    if (number < a.capacity)
        for (int i = 0; i < WORDS; i++) a.queue[number * WORDS + i] = state.word[i];
}

DEVICE void found(const Arguments &a, const State &state) {
    if (is_new(a, state)) queued(a, state, add_one(&a.counters[NEW_STATES]));
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
        next.word[i] = (state.word[i] & operation.keep[i]) | FIXED(a.entries + (u64)entry * WORDS + i);
    return next;
}

// What all local states of a state are marked with, and what any of them is.
struct Marks {
    u32 all, any;
};

DEVICE Marks marks_of(const Arguments &a, const State &state) {
    Marks marks = {~0u, 0};
#define LOOK(word_, shift_, mask_, first_) \
    { const u32 m = FIXED(a.marks + first_ + (u32)(state.word[word_] >> shift_ & mask_)); \
      marks.all &= m; marks.any |= m; }
    COMPONENTS(LOOK)
#undef LOOK
    return marks;
}

// Whether a step leads from calm local states to calm ones and changes nothing else.
DEVICE bool is_calm_step(const Arguments &a, const State &state, const State &next) {
    u64 changed = (state.word[0] ^ next.word[0]) & OTHERS0;
#if WORDS == 2
    changed |= (state.word[1] ^ next.word[1]) & OTHERS1;
#endif
    return !changed && (marks_of(a, next).all & LOOK_IF_CALM);
}

// Calls visit(next) for each successor by one component.
template <typename Visit>
DEVICE void step(const Arguments &a, const State &state, const u32 *begins, Visit visit) {
    const u32 end = FIXED(begins + 1);
    for (u32 number = FIXED(begins); number < end; number++) {
        const Operation operation = operation_number(a, number);
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
        const u64 first = FIXED(a.entries + (u64)entry * WORDS);
        if (!(first & NO_STATE)) {
            visit(applied(a, operation, state, entry));
        } else if (first == UNKNOWN) {
            stop(a, BECAUSE_UNKNOWN, state);
        } else if (first != BLOCKED) {
            for (u32 one = (u32)((first & ~NO_STATE) >> 2); FIXED(a.entries + (u64)one * WORDS) != BLOCKED; one++)
                visit(applied(a, operation, state, one));
        }
    }
}

// Calls visit(next) for each successor.
template <typename Visit>
DEVICE void successors(const Arguments &a, const State &state, Visit visit) {
#if HAS_MARKS
    const Marks marks = marks_of(a, state);
    if (!(marks.all & EXPAND_IF_ALL) && !(marks.any & EXPAND_IF_ANY)) return;
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
    const u64 at = a.first + number;
    const Slot slot = slot_at(a.set + at * SLOT);
    // A tag is never all ones, so this is not said of a slot that is empty.
    if (!IS_TAGGED || (slot.word[0] & ~MASK0) != a.tag) return false;
    *state = unslotted(slot, at / BUCKET, a.bucket_bits);
    return true;
}

// What the threads of a block have found and not yet said: all blocks would wait for each other at one counter if
// each of them counted every state there.
struct Gathered {
    u32 *count;
    // Where its states go in the queue, and whether a thread stopped the search.
    u64 *said;
    u64 *states;
};

// Gathers a state, or queues it if there is no room.
DEVICE void gather(const Arguments &a, const Gathered &gathered, const State &state) {
    const u32 at = add_in_block(gathered.count);
    if (at >= GATHERED) return queued(a, state, add_one(&a.counters[NEW_STATES]));
    for (int i = 0; i < WORDS; i++) gathered.states[at * WORDS + i] = state.word[i];
}

// Queues what was gathered, if it is at least so much; whether the search goes on. All threads of a block call it.
DEVICE bool say(const Arguments &a, const Gathered &gathered, u32 least) {
    BARRIER
    const u32 count = *gathered.count < GATHERED ? *gathered.count : GATHERED;
    BARRIER
    if (count < least) return true;
    if (IN_BLOCK == 0) {
        const u64 first = fetch_add(&a.counters[NEW_STATES], count);
        if (first + count > a.most) stop(a, BECAUSE_MOST, stated(gathered.states));
        *gathered.count = 0;
        gathered.said[0] = first;
        gathered.said[1] = load(&a.counters[STOPPED]);
    }
    BARRIER
    const u64 first = gathered.said[0] * WORDS;
    for (u32 word = IN_BLOCK; word < count * WORDS; word += BLOCK)
        if (first + word < a.capacity * WORDS) a.queue[first + word] = gathered.states[word];
    const bool goes_on = gathered.said[1] == 0;
    BARRIER
    return goes_on;
}

// While successors are made, the threads of a warp diverge, and one that waits for memory there makes the others
// wait. So a thread keeps its successors, and the threads look them up together.
#define KEPT (WORDS == 1 ? 8 : 4)

#if HAS_EXPAND
KERNEL(expand) {
    OF_BLOCK(u64, kept, KEPT * WORDS * BLOCK)
    OF_BLOCK(u64, states, GATHERED * WORDS)
    OF_BLOCK(u64, said, 2)
    OF_BLOCK(u64, transitions, 1)
    OF_BLOCK(u64, expanded, 1)
    OF_BLOCK(u32, found_by_block, 1)
    const Gathered gathered = {found_by_block, said, states};
    const bool is_part = a.buckets < a.slots / BUCKET;
    if (IN_BLOCK == 0) *found_by_block = 0, *transitions = 0, *expanded = 0;
    BARRIER
    u64 steps = 0, met = 0;
    for (u64 number = THREAD; number - IN_BLOCK < a.count; number += THREADS) {
        State state;
        u32 count = 0;
        if (number < a.count && given(a, number, &state)) {
            met++;
            successors(a, state, [&](const State &next) {
                if (is_part && home(a, next) - a.first_bucket >= a.buckets) return;
                steps++;
                if (count == KEPT) {
                    if (is_new(a, next)) gather(a, gathered, next);
                    return;
                }
                for (int i = 0; i < WORDS; i++) kept[(count * WORDS + i) * BLOCK + IN_BLOCK] = next.word[i];
                count++;
            });
        }
        TOGETHER
        for (u32 one = 0; one < count; one++) {
            State next;
            for (int i = 0; i < WORDS; i++) next.word[i] = kept[(one * WORDS + i) * BLOCK + IN_BLOCK];
            if (is_new(a, next)) gather(a, gathered, next);
        }
        if (!say(a, gathered, GATHERED / 2)) break;
    }
    say(a, gathered, 0);
    add_in_block(transitions, steps);
    // All passes meet the same states.
    if (a.first_bucket == 0) add_in_block(expanded, met);
    BARRIER
    if (IN_BLOCK == 0) {
        add(&a.counters[TRANSITIONS], *transitions);
        add(&a.counters[EXPANDED], *expanded);
    }
}
#endif

#if HAS_COLLECT
// Puts the states of a level, which are found by their tags, into the queue: threads that expand states find them
// side by side, and do not wait for others that have none.
KERNEL(collect) {
    OF_BLOCK(u64, states, GATHERED * WORDS)
    OF_BLOCK(u64, said, 2)
    OF_BLOCK(u32, found_by_block, 1)
    const Gathered gathered = {found_by_block, said, states};
    if (IN_BLOCK == 0) *found_by_block = 0;
    BARRIER
    for (u64 number = THREAD; number - IN_BLOCK < a.count; number += THREADS) {
        State state;
        if (number < a.count && given(a, number, &state)) gather(a, gathered, state);
        if (!say(a, gathered, GATHERED / 2)) break;
    }
    say(a, gathered, 0);
}
#endif

#if HAS_LOOK
// Puts the states that the client has to look at into the queue.
KERNEL(look) {
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        State state;
        if (!given(a, number, &state)) continue;
        const Marks marks = marks_of(a, state);
        bool is_looked_at = LOOKS_AT_ALL || (marks.any & LOOK_IF_ANY) || (marks.all & LOOK_IF_ALL);
        if (!is_looked_at && (marks.all & LOOK_IF_CALM)) {
            is_looked_at = true;
            successors(a, state, [&](const State &next) {
                is_looked_at = is_looked_at && is_calm_step(a, state, next);
            });
        }
        if (!is_looked_at) continue;
        const u64 at = add_one(&a.counters[LOOKED_AT]);
        for (int i = 0; i < WORDS; i++) a.queue[at * WORDS + i] = state.word[i];
    }
}

#endif

#if HAS_PRECEDE
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

#endif

#if HAS_MOVE
// Puts the states of the source, which are those of a smaller set, into the set, each with its tag.
KERNEL(move) {
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        const Slot slot = slot_at(a.source + number * SLOT);
        if (slot.word[0] == EMPTY) continue;
        Arguments tagged = a;
        tagged.new_tag = slot.word[0] & ~MASK0;
        is_new(tagged, unslotted(slot, number / BUCKET, a.source_bits));
    }
}

#endif

#if HAS_BEGIN
// Puts the states of the source into the set.
KERNEL(begin) {
    for (u64 number = THREAD; number < a.count; number += THREADS) {
        State state;
        if (given(a, number, &state)) found(a, state);
    }
}
#endif
