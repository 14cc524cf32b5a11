// The mutex, the condition variable and `call_once` of C11: two threads, one of which makes the
// initial balance, pay in; a third one waits until there is enough to take out.

#include <assert.h>
#include <threads.h>

static once_flag opened = ONCE_FLAG_INIT;
static mtx_t mutex; // guards the balance
static cnd_t paid_in;
static int balance;

static void open_account(void)
{
    balance = 10;
}

static int payer(void *unused)
{
    (void)unused;
    call_once(&opened, open_account);
    mtx_lock(&mutex);
    balance += 5;
    cnd_signal(&paid_in);
    mtx_unlock(&mutex);
    return 0;
}

static int taker(void *unused)
{
    (void)unused;
    call_once(&opened, open_account);
    mtx_lock(&mutex);
    while (balance < 20)
        cnd_wait(&paid_in, &mutex);
    balance -= 20;
    mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t threads[3];

    mtx_init(&mutex, mtx_plain);
    cnd_init(&paid_in);
    thrd_create(&threads[0], payer, NULL);
    thrd_create(&threads[1], payer, NULL);
    thrd_create(&threads[2], taker, NULL);
    for (int i = 0; i < 3; i++)
        thrd_join(threads[i], NULL);
    assert(balance == 0);
    cnd_destroy(&paid_in);
    mtx_destroy(&mutex);
    return 0;
}
