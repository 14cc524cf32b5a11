// liburcu's wait-free stack: two threads push, and nothing is lost.
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <urcu/wfstack.h>

static struct cds_wfs_stack stack;
static struct cds_wfs_node nodes[2];

static void *push(void *node)
{
    cds_wfs_push(&stack, node);
    return NULL;
}

int main(void)
{
    pthread_t other;
    cds_wfs_init(&stack);
    cds_wfs_node_init(&nodes[0]);
    cds_wfs_node_init(&nodes[1]);
    pthread_create(&other, NULL, push, &nodes[0]);
    push(&nodes[1]);
    pthread_join(other, NULL);
    assert(__cds_wfs_pop_blocking(&stack) && __cds_wfs_pop_blocking(&stack));
    assert(cds_wfs_empty(&stack));
    return 0;
}
