// See par.h: the part that is the same for every transport of messages.
#include "par/par.h"

#include "base/array.h"

#include <string.h>

void par_post_clear(par_post* post)
{
    post->count = 0;
}

scree_status par_post_add(par_post* post, int32_t peer, int64_t bytes)
{
    if (SCREE_RESERVE(post->mail, post->mail_capacity, (int64_t)post->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    post->mail[post->count++] = (par_mail){.peer = peer, .bytes = bytes};
    return SCREE_OK;
}

static int64_t round_up(int64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

scree_status par_post_lay(par_post* post)
{
    int64_t sum = 0;
    for (int32_t m = 0; m < post->count; ++m)
        sum += round_up(post->mail[m].bytes);
    if (SCREE_RESERVE(post->memory, post->capacity, sum + 8) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    sum = 0;
    for (int32_t m = 0; m < post->count; ++m) {
        post->mail[m].data = post->memory + sum;
        sum += round_up(post->mail[m].bytes);
    }
    return SCREE_OK;
}

void par_post_free(par_post* post)
{
    scree_free(post->mail);
    scree_free(post->memory);
    *post = (par_post){.count = 0};
}

void par_close(scree_par* par)
{
    if (par == NULL)
        return;
    par->way->close(par);
    scree_free(par);
}

scree_status par_send(scree_par* par, const par_post* out, par_post* in)
{
    return par->way->send(par, out, in);
}

scree_status par_swap(scree_par* par, const par_post* out, par_post* in)
{
    return par->way->swap(par, out, in);
}

scree_status par_swap_begin(scree_par* par, const par_post* out, par_post* in)
{
    return par->way->swap_begin(par, out, in);
}

scree_status par_swap_end(scree_par* par, const par_post* out, par_post* in)
{
    return par->way->swap_end(par, out, in);
}

scree_status par_max(scree_par* par, double* values, int64_t count)
{
    for (int32_t l = 1; l < par->local; ++l)
        for (int64_t k = 0; k < count; ++k)
            values[k] = values[l * count + k] > values[k] ? values[l * count + k] : values[k];
    scree_status status = par->way->max(par, values, count);
    for (int32_t l = 1; l < par->local; ++l)
        memcpy(values + l * count, values, (size_t)count * sizeof *values);
    return status;
}

scree_status par_sum(scree_par* par, int64_t* values, int64_t count)
{
    for (int32_t l = 1; l < par->local; ++l)
        for (int64_t k = 0; k < count; ++k)
            values[k] = (int64_t)((uint64_t)values[k] + (uint64_t)values[l * count + k]);
    scree_status status = par->way->sum(par, values, count);
    for (int32_t l = 1; l < par->local; ++l)
        memcpy(values + l * count, values, (size_t)count * sizeof *values);
    return status;
}

scree_status par_sum_processes(scree_par* par, int64_t* values, int64_t count)
{
    return par->way->sum(par, values, count);
}

scree_status par_spread(scree_par* par, void* bytes, int64_t count)
{
    return par->way->spread(par, bytes, count);
}

scree_status par_agree(scree_par* par, scree_status status)
{
    return par->way->agree(par, status);
}

void par_rest(scree_par* par)
{
    par->way->rest(par);
}
