// A recursive function in a thread: it adds up a tree of three nodes while another thread grows the
// tree by one leaf, published with a release store. The depth is two at most.
// Fine on x86, which keeps stores in order and loads in order.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct tree {
    int value;
    _Atomic(struct tree *) left, right;
};

static struct tree leaf = {1, NULL, NULL};
static struct tree new_leaf;
static struct tree root = {2, &leaf, NULL};

static int sum(struct tree *tree)
{
    if (tree == NULL)
        return 0;
    return tree->value + sum(atomic_load_explicit(&tree->left, memory_order_acquire)) +
           sum(atomic_load_explicit(&tree->right, memory_order_acquire));
}

static void *grow(void *unused)
{
    (void)unused;
    new_leaf.value = 4;
    atomic_store_explicit(&root.right, &new_leaf, memory_order_release);
    return NULL;
}

static void *add_up(void *unused)
{
    int total = sum(&root);

    (void)unused;
    assert(total == 3 || total == 7);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, grow, NULL);
    pthread_create(&threads[1], NULL, add_up, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(sum(&root) == 7);
    return 0;
}
