// liburcu's lock-free stack: one thread pushes while the other pushes and pops, and nothing is lost.
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <urcu/lfstack.h>

static struct cds_lfs_stack stack;
static struct cds_lfs_node nodes[2];

static void *push(void *node)
{
    cds_lfs_push(&stack, node);
    return NULL;
}

int main(void)
{
    pthread_t other;
    cds_lfs_init(&stack);
    pthread_create(&other, NULL, push, &nodes[0]);
    push(&nodes[1]);
    assert(cds_lfs_pop_blocking(&stack));
    pthread_join(other, NULL);
    assert(cds_lfs_pop_blocking(&stack));
    assert(cds_lfs_empty(&stack));
    return 0;
}
