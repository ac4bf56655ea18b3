// All ranks in one process: messages are copies. It tests the whole protocol without MPI, in one thread and so deterministically.
#include "par/par.h"

#include "base/parallel.h"

#include <string.h>

static scree_status receive(scree_par* par, const par_post* out, par_post* in, bool known)
{
    for (int32_t to = 0; to < par->ranks && !known; ++to)
        par_post_clear(&in[to]);
    for (int32_t from = 0; from < par->ranks && !known; ++from)  // so the peers of each `in` rise
        for (int32_t m = 0; m < out[from].count; ++m) {
            (void)par_turn(par, out[from].mail[m].peer);
            if (par_post_add(&in[out[from].mail[m].peer], from, out[from].mail[m].bytes) != SCREE_OK)
                return SCREE_ERR_MEMORY;
        }
    for (int32_t to = 0; par_turn(par, to); ++to) {
        if (!known && par_post_lay(&in[to]) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        for (int32_t e = 0; e < in[to].count; ++e) {
            const par_post* from = &out[in[to].mail[e].peer];
            int32_t m = 0;
            while (m < from->count && from->mail[m].peer != to)
                ++m;
            if (m == from->count || from->mail[m].bytes != in[to].mail[e].bytes)
                return scree_fail(SCREE_ERR_ARGUMENT, "par: rank %d expects %lld bytes from rank %d, which sends another number. This is a bug; please report it", (int)to, (long long)in[to].mail[e].bytes,
                                  (int)in[to].mail[e].peer);
            if (in[to].mail[e].bytes > 0)
                memcpy(in[to].mail[e].data, from->mail[m].data, (size_t)in[to].mail[e].bytes);
        }
    }
    return SCREE_OK;
}

static scree_status alone_send(scree_par* par, const par_post* out, par_post* in)
{
    return receive(par, out, in, false);
}

static scree_status alone_swap(scree_par* par, const par_post* out, par_post* in)
{
    return receive(par, out, in, true);
}

static scree_status alone_swap_begin(scree_par* par, const par_post* out, par_post* in)
{
    (void)par, (void)out, (void)in;
    return SCREE_OK;
}

static scree_status alone_max(scree_par* par, double* values, int64_t count)
{
    (void)par, (void)values, (void)count;
    return SCREE_OK;
}

static scree_status alone_sum(scree_par* par, int64_t* values, int64_t count)
{
    (void)par, (void)values, (void)count;
    return SCREE_OK;
}

static scree_status alone_spread(scree_par* par, void* bytes, int64_t count)
{
    (void)par, (void)bytes, (void)count;
    return SCREE_OK;
}

static scree_status alone_agree(scree_par* par, scree_status status)
{
    return status == SCREE_OK && par->meters != NULL ? scree_watch_own("plan", 0, 1) : status;  // the parts of a plan are thrown away in any case
}

static void alone_rest(scree_par* par)
{
    (void)par;
}

static void alone_close(scree_par* par)
{
    if (par->meters != NULL)
        (void)scree_memory_measure(NULL);
    scree_free(par->meters);
}

void par_measure(scree_par* par, int32_t l)
{
    (void)scree_memory_measure(l >= 0 ? &par->meters[l] : NULL);  // that of the process is the last
}

scree_status par_alone(int32_t ranks, scree_par** out)
{
    static const par_way way = {.send = alone_send, .swap = alone_swap, .max = alone_max, .sum = alone_sum, .spread = alone_spread, .agree = alone_agree, .close = alone_close,
                                .swap_begin = alone_swap_begin, .swap_end = alone_swap, .rest = alone_rest};
    *out = NULL;
    if (ranks < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: %d ranks; expected 1 or more", (int)ranks);
    scree_par* par = scree_calloc(1, sizeof *par);
    if (par == NULL)
        return SCREE_ERR_MEMORY;
    par->way = &way;
    par->ranks = par->local = ranks;
    par->threads = 1;
    *out = par;
    return SCREE_OK;
}

scree_status par_alone_measured(int32_t ranks, scree_par** out)
{
    scree_status status = par_alone(ranks, out);
    if (status != SCREE_OK)
        return status;
    scree_par* par = *out;
    par->meters = scree_calloc((size_t)ranks + 1, sizeof *par->meters);
    if (par->meters == NULL) {
        par_close(par);
        *out = NULL;
        return SCREE_ERR_MEMORY;
    }
    par->meters[0].within = &par->meters[ranks];
    par_measure(par, ranks);
    return SCREE_OK;
}
