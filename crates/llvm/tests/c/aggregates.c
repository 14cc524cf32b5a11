// Structures, unions, bit-fields, arrays, static locals, aliases and weak symbols.
#include <stddef.h>
#include <string.h>

struct point { int x, y; };
struct node { struct node *next; struct point at[3]; union { long whole; char bytes[8]; double real; } u; };
struct flags { unsigned ready : 1; unsigned count : 7; signed level : 5; unsigned long wide : 40; };
struct __attribute__((packed)) packed { char c; long l; short s; };
struct opaque;
typedef int (*operation)(struct node *, int);

extern struct opaque *elsewhere;
extern int weak_variable __attribute__((weak));
int common_variable;
static const char message[] = "a \"quoted\"\n\\ text\0with zero";
struct node ring[2] = {{&ring[1], {{1, 2}, {3, 4}}, {7}}, {ring, {{5}}, {.real = 1.5}}};
int *inner = &ring[1].at[2].y;
char *behind = (char *)&ring + 17;
ptrdiff_t difference = (char *)&ring[1] - (char *)&ring[0];

static int first(struct node *n, int i) { return n->at[i].x; }
static int second(struct node *n, int i) { return n->at[i].y; }
static operation const table[] = {first, second, 0};

__attribute__((weak)) int replaceable(void) { return 1; }
int named(void) { return 2; }
extern int other_name(void) __attribute__((alias("named")));
static int (*resolve(void))(void) { return named; }
int chosen(void) __attribute__((ifunc("resolve")));
__attribute__((visibility("hidden"), section(".special"), aligned(64))) int placed = 3;

int counter(void) { static int count; return ++count; }
struct point by_value(struct point p) { struct point q = {p.y, p.x}; return q; }
struct node large(struct node n) { n.u.whole++; return n; }
void copy(struct node *to, const struct node *from) { *to = *from; memset(to, 0, 8); }
int bits(struct flags *f) { f->ready = 1; f->count += 3; f->level = -2; f->wide ^= 5; return f->level; }
long read_packed(struct packed *p) { return p->l + p->s; }
int dispatch(int which, struct node *n) { return table[which] ? table[which](n, which) : message[which]; }
int weak(void) { return &weak_variable ? weak_variable : 0; }
void *raw(void) { return (void *)elsewhere; }
int use(void) { return chosen() + other_name() + replaceable() + common_variable + placed + *inner + *behind; }
