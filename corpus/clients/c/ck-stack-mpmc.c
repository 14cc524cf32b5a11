// Concurrency Kit's stack with a counter against ABA (cmpxchg16b): two threads push and pop one entry each.
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[2];

static void *push_and_pop(void *entry)
{
    ck_stack_push_mpmc(&stack, entry);
    assert(ck_stack_pop_mpmc(&stack));
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, push_and_pop, &entries[0]);
    push_and_pop(&entries[1]);
    pthread_join(other, NULL);
    assert(!ck_stack_pop_mpmc(&stack));
    return 0;
}
