/* Functions of the C library that read and write strings and arrays, byte by byte: what they do is what their
 * loops do, to memory that other threads may see, too. They count by their pointers alone: a counter that is known
 * when the program is read would have a loop over a string that is not known unrolled without end. */
typedef unsigned long size_t;
typedef unsigned char byte;
#define WEAK __attribute__((weak))
void *malloc(size_t);

WEAK size_t strlen(const char *s) {
    const char *p = s;
    while (*p) p++;
    return (size_t)(p - s);
}
WEAK size_t strnlen(const char *s, size_t most) {
    const char *p = s;
    while (most-- && *p) p++;
    return (size_t)(p - s);
}
WEAK char *stpcpy(char *to, const char *from) {
    while ((*to = *from)) to++, from++;
    return to;
}
WEAK char *strcpy(char *to, const char *from) {
    char *result = to;
    while ((*to = *from)) to++, from++;
    return result;
}
WEAK char *strncpy(char *to, const char *from, size_t n) {
    char *result = to;
    for (; n && *from; n--) *to++ = *from++;
    for (; n; n--) *to++ = 0;
    return result;
}
WEAK char *strcat(char *to, const char *from) {
    char *result = to;
    while (*to) to++;
    while ((*to = *from)) to++, from++;
    return result;
}
WEAK char *strncat(char *to, const char *from, size_t n) {
    char *result = to;
    while (*to) to++;
    for (; n && *from; n--) *to++ = *from++;
    *to = 0;
    return result;
}
WEAK int strcmp(const char *a, const char *b) {
    for (;; a++, b++) {
        int x = (byte)*a, y = (byte)*b;
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
}
WEAK int strncmp(const char *a, const char *b, size_t n) {
    for (; n; n--, a++, b++) {
        int x = (byte)*a, y = (byte)*b;
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
    return 0;
}
static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
WEAK int strcasecmp(const char *a, const char *b) {
    for (;; a++, b++) {
        int x = lower((byte)*a), y = lower((byte)*b);
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
}
WEAK int strncasecmp(const char *a, const char *b, size_t n) {
    for (; n; n--, a++, b++) {
        int x = lower((byte)*a), y = lower((byte)*b);
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
    return 0;
}
WEAK char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c) s++;
    return (char *)s;
}
WEAK char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return 0;
    }
}
WEAK char *index(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return 0;
    }
}
WEAK char *strrchr(const char *s, int c) {
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)c) found = s;
        if (!*s) return (char *)found;
    }
}
WEAK char *rindex(const char *s, int c) {
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)c) found = s;
        if (!*s) return (char *)found;
    }
}
WEAK char *strstr(const char *s, const char *wanted) {
    for (;; s++) {
        const char *p = s, *w = wanted;
        while (*w && *p == *w) p++, w++;
        if (!*w) return (char *)s;
        if (!*s) return 0;
    }
}
static int is_one_of(char c, const char *set) {
    for (; *set; set++)
        if (*set == c) return 1;
    return 0;
}
WEAK size_t strspn(const char *s, const char *set) {
    const char *p = s;
    while (*p && is_one_of(*p, set)) p++;
    return (size_t)(p - s);
}
WEAK size_t strcspn(const char *s, const char *set) {
    const char *p = s;
    while (*p && !is_one_of(*p, set)) p++;
    return (size_t)(p - s);
}
WEAK char *strpbrk(const char *s, const char *set) {
    for (; *s; s++)
        if (is_one_of(*s, set)) return (char *)s;
    return 0;
}
WEAK char *strdup(const char *s) {
    const char *end = s;
    while (*end) end++;
    char *copy = malloc((size_t)(end - s) + 1);
    if (!copy) return 0;
    char *to = copy;
    while ((*to = *s)) to++, s++;
    return copy;
}
WEAK char *strndup(const char *s, size_t most) {
    const char *end = s;
    while (most-- && *end) end++;
    char *copy = malloc((size_t)(end - s) + 1);
    if (!copy) return 0;
    char *to = copy;
    while (s != end) *to++ = *s++;
    *to = 0;
    return copy;
}
WEAK void *memchr(const void *memory, int c, size_t n) {
    const byte *p = memory;
    for (; n; n--, p++)
        if (*p == (byte)c) return (void *)p;
    return 0;
}
WEAK void *memrchr(const void *memory, int c, size_t n) {
    const byte *p = memory;
    for (p += n; n; n--)
        if (*--p == (byte)c) return (void *)p;
    return 0;
}
WEAK void *rawmemchr(const void *memory, int c) {
    const byte *p = memory;
    while (*p != (byte)c) p++;
    return (void *)p;
}
WEAK void *memccpy(void *to, const void *from, int c, size_t n) {
    byte *t = to;
    const byte *f = from;
    for (; n; n--, f++)
        if ((*t++ = *f) == (byte)c) return t;
    return 0;
}
WEAK void *bsearch(const void *key, const void *base, size_t count, size_t size,
                   int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const byte *at = (const byte *)base + middle * size;
        int order = compare(key, at);
        if (order == 0) return (void *)at;
        if (order < 0) high = middle; else low = middle + 1;
    }
    return 0;
}

/* An option of the table, or a short one: any, since nobody knows what the program is started with. */
struct option {
    const char *name;
    int has_argument;
    int *flag;
    int value;
};
int getopt(int, char *const *, const char *);
int fencewright_choose(int, int);
WEAK int getopt_long(int argc, char *const *argv, const char *options, const struct option *table, int *index) {
    for (int i = 0; table && table[i].name; i++)
        if (fencewright_choose(0, 1)) {
            if (index) *index = i;
            if (!table[i].flag) return table[i].value;
            *table[i].flag = table[i].value;
            return 0;
        }
    return getopt(argc, argv, options);
}
WEAK int getopt_long_only(int argc, char *const *argv, const char *options, const struct option *table, int *index) {
    return getopt_long(argc, argv, options, table, index);
}
