// liburcu's wait-free concurrent queue: the first value in is the first one out.
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <urcu/wfcqueue.h>

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct cds_wfcq_node nodes[2];

static void *produce(void *unused)
{
    cds_wfcq_enqueue(&head, &tail, &nodes[0]);
    cds_wfcq_enqueue(&head, &tail, &nodes[1]);
    return unused;
}

int main(void)
{
    pthread_t producer;
    struct cds_wfcq_node *first;
    cds_wfcq_init(&head, &tail);
    cds_wfcq_node_init(&nodes[0]);
    cds_wfcq_node_init(&nodes[1]);
    pthread_create(&producer, NULL, produce, NULL);
    first = __cds_wfcq_dequeue_blocking(&head, &tail);
    assert(!first || first == &nodes[0]);
    pthread_join(producer, NULL);
    return 0;
}
