// The available devices. CUDA is a module, libscree_cuda.so, opened on demand: so libscree itself needs neither CUDA nor C++. The variable SCREE_CUDA_MODULE gives its path; without it the module is searched
// for beside the library or program, in the folder lib beside its own, and then where the system searches for libraries
// (base/module.c).
#include "device/emulate.h"
#include "device/flow.h"

#include "base/argument.h"
#include "base/module.h"
#include "scree/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char* scree_device_name(int32_t number)
{
    static const char* const names[SCREE_DEVICE_COUNT] = {"none", "auto", "cuda", "emulate"};
    return number >= 0 && number < (int32_t)SCREE_DEVICE_COUNT ? names[number] : NULL;
}

// It stays open: a device may be opened again.
static void* open_module(char* why, size_t room)
{
    static const char* const folders[] = {"", "../lib/"};
    void* module = scree_module_open("SCREE_CUDA_MODULE", "libscree_cuda.so", folders, 2, RTLD_NOW | RTLD_LOCAL);
    const char* said = module == NULL ? dlerror() : NULL;
    snprintf(why, room, "%s", said != NULL ? said : "");
    return module;
}

static scree_status cuda_ops(device_ops* out)
{
    char why[300];
    void* module = open_module(why, sizeof why);
    if (module == NULL)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "device cuda: cannot open the CUDA module (%s); expected a build with nvcc (cmake -DSCREE_CUDA=ON, docs/gpu.md)", why);
    void (*ops)(device_ops*) = NULL;
    void* symbol = dlsym(module, "scree_cuda_ops");
    memcpy(&ops, &symbol, sizeof ops);
    if (ops == NULL)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "device cuda: the module has no function scree_cuda_ops; expected the libscree_cuda.so of this version");
    *out = (device_ops){.version = 0};
    ops(out);
    if (out->version != device_ops_version || out->job_bytes != device_job_bytes())
        return scree_fail(SCREE_ERR_UNSUPPORTED, "device cuda: the module has version %d (%u bytes of jobs); expected version %d (%u). Build both from the same sources", (int)out->version,
                          (unsigned)out->job_bytes, (int)device_ops_version, (unsigned)device_job_bytes());
    return SCREE_OK;
}

scree_status device_open(int32_t kind, sim_device** out)
{
    device_ops ops;
    *out = NULL;
    if (kind == SCREE_DEVICE_EMULATE)
        emulate_ops(&ops);
    else if (cuda_ops(&ops) != SCREE_OK)
        return SCREE_ERR_UNSUPPORTED;
    return device_open_ops(&ops, out);
}

SCREE_RESULT_OF(scree_device_about, scree_device_describe, (int32_t device, scree_device_about* out), (device, out))
{
    SCREE_EMPTY(out);
    if (device != SCREE_DEVICE_CUDA && device != SCREE_DEVICE_EMULATE)
        return scree_fail(SCREE_ERR_ARGUMENT, "device number %d; expected %d (cuda) or %d (emulate)", (int)device, (int)SCREE_DEVICE_CUDA, (int)SCREE_DEVICE_EMULATE);
    sim_device* d;
    scree_status status = device_open(device, &d);
    if (status != SCREE_OK)
        return status;
    snprintf(out->name, sizeof out->name, "%s", device_name(d));
    device_memory(d, &out->free, &out->memory);
    device_close(d);
    return SCREE_OK;
}
