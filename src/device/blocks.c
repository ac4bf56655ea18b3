// Device memory, in blocks that grow when needed; opening and closing of a device.
#include "device/flow_inner.h"

scree_status flow_failed(sim_device* d)
{
    return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %s", d->ops.name, d->ops.trouble(d->context));
}

scree_status block_reserve(sim_device* d, int b, size_t bytes)
{
    block* at = &d->blocks[b];
    if (at->at != NULL && bytes <= at->bytes)
        return SCREE_OK;
    if (at->at != NULL)
        d->ops.release(d->context, at->at);
    d->held -= at->bytes;
    *at = (block){.at = NULL};
    size_t wanted = bytes > 0 ? bytes : 1;
    if (d->ops.reserve(d->context, wanted, &at->at) != 0) {
        size_t free = 0, all = 0;
        at->at = NULL;
        d->ops.memory(d->context, &free, &all);
        return scree_fail(SCREE_ERR_MEMORY, "device %s: out of memory: %zu bytes requested, %zu already allocated; %zu of %zu bytes are free", d->ops.name, wanted, d->held, free, all);
    }
    at->bytes = wanted;
    d->held += wanted;
    return SCREE_OK;
}

scree_status block_put(sim_device* d, int b, const void* from, size_t bytes)
{
    TRY(block_reserve(d, b, bytes));
    DEVICE(d->ops.put(d->context, block_at(d, b), from, bytes));
    return SCREE_OK;
}

scree_status block_get(sim_device* d, int b, void* to, size_t bytes)
{
    if (to != NULL)
        DEVICE(d->ops.get(d->context, to, block_at(d, b), bytes));
    return SCREE_OK;
}

void blocks_forget(sim_device* d, const int* which, int count)
{
    for (int b = 0; b < count && d->ops.forget != NULL; ++b)
        if (block_at(d, which[b]) != NULL)
            d->ops.forget(d->context, block_at(d, which[b]), d->blocks[which[b]].bytes);
}

void flow_spent(sim_device* d, int part, double* since)
{
    double now = scree_clock();
    d->seconds[part] += now - *since;
    *since = now;
}

// ---- Life ----------------------------------------------------------------------------------------------------------------

scree_status device_open_ops(const device_ops* ops, sim_device** out)
{
    sim_device* d = scree_calloc(1, sizeof *d);
    *out = NULL;
    if (d == NULL)
        return SCREE_ERR_MEMORY;
    d->ops = *ops;
    if (d->ops.open(&d->context) != 0) {
        scree_status status = d->context == NULL ? SCREE_ERR_MEMORY : scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %s", d->ops.name, d->ops.trouble(d->context));
        if (d->context != NULL)
            d->ops.close(d->context);
        scree_free(d);
        return status;
    }
    *out = d;
    return SCREE_OK;
}

const char* device_name(const sim_device* d)
{
    return d->ops.describe(d->context);
}

void device_memory(const sim_device* d, size_t* free, size_t* all)
{
    *free = *all = 0;
    d->ops.memory(d->context, free, all);
}

void device_close(sim_device* d)
{
    if (d == NULL)
        return;
    for (int b = 0; b < block_count; ++b)
        if (d->blocks[b].at != NULL)
            d->ops.release(d->context, d->blocks[b].at);
    d->ops.close(d->context);
    scree_free(d);
}
