// Sends columns of spheres from the parts to the process of rank 0, in slices (overview.h). Each part sends by ascending id, so that rank 0 fills its columns from the beginning to the end, and a slice of ids is a
// contiguous range of each part.
#include "par/ranks.h"

#include "base/memory.h"

#include <string.h>

enum { rows_most = 1 << 15 };  // that rank 0 has in messages at once

void rows_changed(par_team* team)
{
    for (int32_t l = 0; team->rank != NULL && par_turn(team->par, l); ++l) {
        par_rank* me = &team->rank[l];
        scree_free(me->contacts);
        scree_free(me->by_id);
        scree_free(me->bonds);
        me->contacts = me->by_id = NULL;
        me->bonds = NULL;
    }
}

static scree_status find_contacts(par_rank* me)
{
    if (me->contacts != NULL)
        return SCREE_OK;
    me->contacts = scree_malloc((size_t)part_count(me->sim) + 1, sizeof *me->contacts);
    if (me->contacts == NULL)
        return SCREE_ERR_MEMORY;
    rows_find_contacts(me->sim, me->contacts);
    return SCREE_OK;
}

static scree_status find_order(par_rank* me)
{
    if (me->by_id != NULL)
        return SCREE_OK;
    int32_t* ranks = scree_malloc((size_t)part_count(me->sim) + 1, sizeof *ranks);
    if (ranks == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = rows_sort(me->sim, true, ranks, &me->by_id_count);
    if (status == SCREE_OK)
        me->by_id = ranks;
    else
        scree_free(ranks);
    return status;
}

typedef struct sender {
    int32_t at, last;         // in by_id
} sender;

static scree_status pack(par_team* team, int32_t l, const rows_wish* wish, int64_t share, sender* from)
{
    par_rank* me = &team->rank[l];
    par_post* out = &team->posts[POST_OUT][l];
    int64_t count = from->last - from->at < share ? from->last - from->at : share, bytes = (int64_t)rows_bytes(me->sim, wish);
    par_post_clear(out);
    if (count > 0 && par_post_add(out, 0, count * bytes) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (par_post_lay(out) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (count > 0)
        rows_pack(me->sim, wish, (wish->columns & rows_contacts) != 0 ? me->contacts : NULL, me->by_id + from->at, count, out->mail[0].data);
    from->at += (int32_t)count;
    return SCREE_OK;
}

scree_status hand_rows(par_team* team, const rows_wish* wish, rows_take* take, void* context)
{
    scree_par* par = team->par;
    const bool touching = (wish->columns & rows_contacts) != 0;
    int64_t slice = par->slice > 0 ? par->slice : rows_most, share = slice > par->ranks ? slice / par->ranks : 1;
    sender* from = scree_calloc((size_t)par->local, sizeof *from);
    double* most = scree_calloc((size_t)par->local, sizeof *most);
    scree_status status = from == NULL || most == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        par_rank* me = &team->rank[l];
        status = find_order(me);
        if (status == SCREE_OK && touching)
            status = find_contacts(me);
        if (status == SCREE_OK)
            rows_find(me->sim, wish, me->by_id, me->by_id_count, &from[l].at, &from[l].last);
        most[l] = (double)(from[l].last - from[l].at);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_max(par, most, 1);
    int64_t turns = status == SCREE_OK ? ((int64_t)most[0] + share - 1) / share : 0;
    for (int64_t turn = 0; turn < turns && status == SCREE_OK; ++turn) {
        for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
            status = pack(team, l, wish, share, &from[l]);
        status = par_agree(par, status);
        if (status == SCREE_OK)
            status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
        const par_post* in = &team->posts[POST_IN][0];
        for (int32_t m = 0; par->first == 0 && m < in->count && status == SCREE_OK; ++m)
            rows_unpack(team->rank[0].sim, wish, in->mail[m].data, in->mail[m].bytes / (int64_t)rows_bytes(team->rank[0].sim, wish), take, context);
    }
    scree_free(from);
    scree_free(most);
    return status;
}

// Own spheres of a rank by rising id, of which some are in the slices so far.
typedef struct receiver {
    int32_t* ranks;
    int32_t count, at;        // and where this slice begins
    int32_t here;             // that many
} receiver;

// Which spheres of a slice each rank has, to rank 0, which then sends their values in the same order.
static scree_status hand_slice(par_team* team, const rows_wish* wish, receiver* to, rows_give* give, void* context)
{
    scree_par* par = team->par;
    par_post *out = team->posts[POST_OUT], *in = team->posts[POST_IN], *back = &team->posts[POST_BACK][0], *reported = team->posts[POST_REPORTED];
    const int64_t bytes = (int64_t)rows_bytes(team->rank[0].sim, wish);
    scree_status status = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        const int64_t* id = part_id_array(team->rank[l].sim);
        for (to[l].here = 0; to[l].at + to[l].here < to[l].count && id[to[l].ranks[to[l].at + to[l].here]] < wish->last_id;)
            ++to[l].here;
        par_post_clear(&out[l]);
        if (to[l].here > 0)
            status = par_post_add(&out[l], 0, to[l].here * (int64_t)sizeof(int64_t));
        if (status == SCREE_OK)
            status = par_post_lay(&out[l]);
        for (int32_t e = 0; e < to[l].here && status == SCREE_OK; ++e)
            memcpy(out[l].mail[0].data + (size_t)e * sizeof *id, &id[to[l].ranks[to[l].at + e]], sizeof *id);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, out, in);
    for (int32_t l = 0; par_turn(par, l); ++l)
        par_post_clear(&team->posts[POST_BACK][l]);
    for (int32_t m = 0; par->first == 0 && m < in[0].count && status == SCREE_OK; ++m)
        status = par_post_add(back, in[0].mail[m].peer, in[0].mail[m].bytes / (int64_t)sizeof(int64_t) * bytes);
    if (status == SCREE_OK)
        status = par_post_lay(back);
    for (int32_t m = 0; par->first == 0 && m < in[0].count && status == SCREE_OK; ++m) {
        const int64_t* ids = (const int64_t*)(const void*)in[0].mail[m].data;
        for (int64_t e = 0; e < in[0].mail[m].bytes / (int64_t)sizeof(int64_t); ++e)
            give(context, wish->columns, ids[e], back->mail[m].data + e * bytes + (int64_t)sizeof(int64_t));
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, team->posts[POST_BACK], reported);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        if (reported[l].count > 0)
            rows_put(team->rank[l].sim, wish, to[l].ranks + to[l].at, to[l].here, reported[l].mail[0].data);
        to[l].at += to[l].here;
    }
    return status;
}

scree_status hand_columns(par_team* team, int64_t columns, int64_t count, rows_give* give, void* context)
{
    scree_par* par = team->par;
    int64_t slice = par->slice > 0 ? par->slice : rows_most;
    if (columns == 0)
        return SCREE_OK;
    receiver* to = scree_calloc((size_t)par->local, sizeof *to);
    scree_status status = to == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        to[l].ranks = scree_malloc((size_t)part_count(team->rank[l].sim) + 1, sizeof *to[l].ranks);
        status = to[l].ranks == NULL ? SCREE_ERR_MEMORY : rows_sort(team->rank[l].sim, false, to[l].ranks, &to[l].count);
    }
    status = par_agree(par, status);
    for (int64_t first = 0; first < count && status == SCREE_OK; first += slice)
        status = hand_slice(team, &(rows_wish){.columns = columns, .first_id = first, .last_id = first + slice}, to, give, context);
    for (int32_t l = 0; to != NULL && par_turn(par, l); ++l)
        scree_free(to[l].ranks);
    scree_free(to);
    return status;
}
