// Where things are and what they are called: see debug.rs, which names lines of this file.
typedef struct list { struct list *next; int key; } list;
typedef const volatile list *reader;
struct inner { char tag; union { long number; struct { short low, high; } halves; }; };
struct outer {
    list lists[2][3];
    struct inner deep;
    unsigned first : 3, second : 7;
    unsigned : 0;
    unsigned third : 9;
    _Atomic int *volatile shared;
    struct { int anonymous; };
    struct outer *self;
    int rest[];
};
struct outer everything;
static list only = {0, 7};
reader current = &only;
int matrix[4][5];
struct single { int only; } single;

static inline int twice(int x) { return x + everything.deep.tag; }

int places(int argument) {
    int local = argument;
    {
        int nested = local;
        local = twice(nested);
    }
#line 100 "elsewhere.h"
    everything.third = local;
#line 30 "places.c"
    return local + current->key + single.only + matrix[0][0];
}
