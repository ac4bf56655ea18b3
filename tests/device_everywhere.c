// With SCREE_TEST_EVERYWHERE=emulate, which ctest sets, every case that makes simulations of spheres runs twice. The first run is the usual one; after each call of scree_sim_run its status and hashes of the
// state and the accounts are noted. In the second run the simulations are created on the emulated device, with small blocks, short rows and shuffled lanes (device_set_tiny). They must have the same status and
// hashes at the same steps, and the case must pass again.
//
//     first run     simulation 1: step 10 OK 5a1f..    step 90 OK 77c0..    simulation 2: step 50 OK 03bd..
//     second run    simulation 1: step 10 OK 5a1f..    step 90 OK 77c1..    <- fails here
//
// Pairs need no second run: when a case asks an index of any method for pairs, the same spheres are searched by an index on the device, and must have the same pairs.
//
// The linker replaces the calls (--wrap), in the tests and in the libraries alike, so that runs of scenes, packings and measurements take part without knowing. What stays on the processor:
//     - what a device does not support, by its own message; `refusals` has the features, and another one is a failure
//     - what would take too long: see `work_most`
//     - the cases of `exemptions`, each for its reason
//     - simulations of several ranks, threads and processes that a case starts, and cases with failing allocations: a device allocates more, and test_device.c tests that
// `least` has the least numbers of simulations and searches on the device, so that a change that leaves them all on the processor is noticed.
#include "device_everywhere.h"

#include "device_support.h"

#include "device/emulate.h"
#include "index/device.h"
#include "index/index_inner.h"
#include "scree/index.h"
#include "scree/run.h"
#include "sim/device.h"
#include "sim/sim_inner.h"

#include <pthread.h>
#include <unistd.h>

pid_t __real_fork(void);
scree_status __real_scree_run_go(scree_run* run);
scree_status __real_scree_run_estimate_sized(size_t size, scree_run* run, scree_run_costs* out);
scree_status __real_scree_sim_create(const scree_sim_def* def, scree_spheres spheres, const double* v, scree_sim** out);
scree_status __real_scree_sim_run(scree_sim* sim, int64_t steps);
scree_status __real_scree_sim_find_costs_sized(size_t size, scree_sim* sim, int64_t most, scree_sim_costs* out);
scree_status __real_scree_index_pairs(scree_index* index, scree_pairs* out);
scree_status __real_part_check(const scree_sim* sim);
scree_status __real_device_go(sim_device* device, device_run* run);
scree_status __real_index_device_pairs(index_device* device, const index_device_search* search);

pid_t __wrap_fork(void);
scree_status __wrap_scree_run_go(scree_run* run);
scree_status __wrap_scree_run_estimate_sized(size_t size, scree_run* run, scree_run_costs* out);
scree_status __wrap_scree_sim_create(const scree_sim_def* def, scree_spheres spheres, const double* v, scree_sim** out);
scree_status __wrap_scree_sim_run(scree_sim* sim, int64_t steps);
scree_status __wrap_scree_sim_find_costs_sized(size_t size, scree_sim* sim, int64_t most, scree_sim_costs* out);
scree_status __wrap_scree_index_pairs(scree_index* index, scree_pairs* out);
scree_status __wrap_part_check(const scree_sim* sim);
scree_status __wrap_device_go(sim_device* device, device_run* run);
scree_status __wrap_index_device_pairs(index_device* device, const index_device_search* search);

// What a case does on the device at most. Work is the number of steps times (spheres + 30), since a step has a cost of its own; the emulated device does 3 million of it in a second, and searches for 100 000
// spheres. A simulation with more work stays on the processor. If those of a case have more together, some are chosen, by their numbers; if what is chosen is less than a twentieth of all that the case
// simulates, it is not repeated. The first 16 searches of a case and then each 16th are compared. Builds at a part of the effort, as those with sanitizers, do a twentieth of this.
enum { work_most = 150000, spheres_searched_most = 5000 };

static const struct {
    const char *group, *name, *reason;  // name NULL: all cases
} exemptions[] = {
    {"par", NULL, "several ranks, and single processes only to compare them with"},
    {"par_changes", NULL, "the same"},
    {"par_plan", NULL, "the same"},
    {"run_trials", "test_estimate", "makes as many steps as there is time for"},
    {"run_trials", "test_one_camera", "draws pictures most of the time"},
    {"sim_limits", "a_fixed_rebuild_is_kept_or_refused", "counts the lists of the processor"},
    {"sim_invalid", "rebuild_every_is_refused_only_when_it_must", "counts the lists of the processor"},
    {"sim_invalid", "a_sphere_alone_needs_few_lists", "counts the lists of the processor"},
};

// What messages of devices name (sim/on_device.c), and why the tests themselves leave a simulation on the processor.
static const char* const refusals[] = {
    "contacts with the lever arms of other programs",
    "sums of dissipated energy with liquid bridges",
    "backends other than fused",
    "a check of contacts against all pairs",
    "a cell whose stress is controlled",
    "a cell of constant volume",
    "more than 32 servos",
    "more than 32 walls",
    "more than 255 boundaries",
    "measured costs of steps",
    "a simulation that several processes share",
    "several ranks",
    "a stop on request",        // at a step that depends on the time
    "what has been left by it",  // or by a process that was killed
};

// About half of what there were when this was written; cases that depend on the time are left out.
static const struct {
    const char *group, *label;
    int64_t sims, searches;
} least[] = {
    {"watch", "unit", 0, 8}, {"index", "property", 0, 72}, {"index", "unit", 0, 127}, {"linear_list", "property", 0, 40}, {"linear_list", "unit", 0, 52}, {"box_pairs", "property", 0, 13},
    {"box_pairs", "unit", 0, 33}, {"cells", "property", 0, 53}, {"cells_pack", "property", 0, 4}, {"cells_pack", "same-bits", 0, 41}, {"list", "property", 0, 24}, {"list", "unit", 0, 297},
    {"candidates", "property", 0, 9}, {"candidates", "unit", 0, 19}, {"masks", "property", 0, 170}, {"neighbours", "property", 0, 4}, {"grid", "property", 0, 43}, {"grid", "unit", 0, 6}, {"moves", "property", 0, 50},
    {"moves", "unit", 0, 12}, {"verlet", "unit", 0, 98}, {"octree", "property", 0, 47}, {"octree", "unit", 0, 61}, {"query", "property", 0, 5}, {"sim", "same-bits", 35, 9},
    {"sim_state", "same-bits", 4, 9}, {"sim_state", "unit", 4, 0}, {"sim_limits", "unit", 3, 0}, {"par", "same-bits", 0, 149}, {"par", "unit", 0, 8}, {"par_changes", "same-bits", 0, 109},
    {"par_pairs", "property", 0, 15}, {"par_pairs", "unit", 0, 8}, {"par_plan", "same-bits", 0, 26}, {"sim_cell", "same-bits", 3, 8}, {"sim_cell", "unit", 12, 0}, {"memory", "same-bits", 0, 8},
    {"memory", "unit", 0, 16}, {"insert", "same-bits", 0, 16}, {"insert", "unit", 0, 12}, {"boundary", "same-bits", 0, 9}, {"boundary", "unit", 3, 0}, {"sim_surface", "same-bits", 0, 12},
    {"sim_surface", "unit", 4, 0}, {"crossing", "same-bits", 4, 5}, {"crossing", "unit", 4, 0}, {"loads", "same-bits", 0, 11}, {"loads", "unit", 8, 6}, {"bonds", "unit", 3, 12},
    {"grains", "same-bits", 24, 8}, {"grains", "unit", 11, 0}, {"grain_library", "unit", 5, 26}, {"stress", "unit", 3, 0}, {"physics", "property", 50, 0}, {"physics", "unit", 60, 0},
    {"sim_invalid", "unit", 5, 0}, {"sim_contacts", "property", 0, 10}, {"pack", "property", 0, 30}, {"pack", "unit", 0, 8}, {"saturation", "property", 0, 10}, {"rearrange", "property", 0, 16},
    {"rearrange", "same-bits", 0, 16}, {"rearrange", "unit", 0, 246}, {"stable", "same-bits", 0, 20}, {"stable", "unit", 0, 58}, {"hierarchy", "same-bits", 0, 28}, {"hierarchy", "unit", 0, 30},
    {"visits", "property", 0, 36}, {"visits", "same-bits", 0, 8}, {"visits", "unit", 0, 47}, {"event", "property", 0, 7}, {"event", "same-bits", 0, 8}, {"event", "unit", 0, 86},
    {"grow", "same-bits", 0, 111}, {"grow", "unit", 0, 95}, {"compress", "unit", 0, 32}, {"measure", "unit", 0, 9}, {"analysis", "unit", 0, 23}, {"fields", "unit", 2, 0},
    {"checkpoint", "same-bits", 2, 15}, {"view", "unit", 0, 11}, {"run", "same-bits", 0, 28}, {"run", "unit", 16, 9}, {"run_ends", "same-bits", 0, 9}, {"run_ends", "unit", 3, 7},
    {"run_grown", "unit", 0, 8}, {"run_changes", "unit", 6, 15}, {"run_flow", "unit", 4, 32}, {"run_groups", "unit", 2, 12}, {"run_loads", "unit", 2, 0}, {"run_pace", "unit", 4, 5},
    {"run_start", "same-bits", 0, 5}, {"surface_images", "same-bits", 3, 8}, {"bounds", "unit", 7, 0}, {"scene_physics", "unit", 2, 0},
};

enum { refusal_count = sizeof refusals / sizeof *refusals };

// ---- What a case did -----------------------------------------------------------------------------------------------------

typedef struct noted_run {
    size_t sim;             // whose; from 1 on
    int64_t step;           // at its end
    scree_status status;
    uint64_t hash, accounts;
} noted_run;

typedef struct noted_sim {
    const scree_sim* at;    // of this run; NULL: it was not created, or something else is there now
    scree_status created;
    bool open;              // asks for no device
    bool goes;              // to the device, in the second run
    int64_t work;           // of all its runs
    int32_t refused;        // by which of `refusals`; -1: by none
    size_t next;            // in the second run: the first of its runs that was not met yet,
    bool otherwise;         // and it halted at another step since
} noted_sim;

static enum { IDLE, NOTE, COMPARE } state;
static int32_t tested;  // the device
static noted_run* runs;
static noted_sim* sims;
static size_t run_count, run_capacity, sim_count, sim_next, sim_capacity;
static bool interrupted, interrupted_first;  // a run was stopped, or timed, or a process was started to be killed: where simulations end, and what is resumed, depends on the time
static bool within;  // a simulation is working: its own searches are those of its list, and not compared
static int64_t search_count, searched;  // searches of the case, and spheres of those on the device
static pthread_t tester;
static pid_t process;

static struct {
    int64_t cases, sims, runs, searches, large, passed_over, exempt, refused[refusal_count];
} done;

static void* grown(void* rows, size_t count, size_t* capacity, size_t size)
{
    if (count < *capacity)
        return rows;
    *capacity = 2 * count + 64;
    return realloc(rows, *capacity * size);
}

static bool takes_part(void)
{
    return state != IDLE && pthread_equal(pthread_self(), tester) && getpid() == process;
}

static noted_sim* find(const scree_sim* at)
{
    for (size_t k = state == NOTE ? sim_count : sim_next; k > 0; --k)
        if (sims[k - 1].at == at)
            return &sims[k - 1];
    return NULL;
}

static void refuse(const scree_sim* sim, const char* reason)
{
    noted_sim* noted = find(sim);
    if (noted == NULL || noted->refused >= 0)
        return;
    for (int32_t r = 0; r < refusal_count; ++r)
        if (strncmp(reason, refusals[r], strlen(refusals[r])) == 0)
            noted->refused = r;
    if (noted->refused < 0)
        fail_msg("%s %s: devices refuse '%s', which device_everywhere.c does not expect", test_group_name, test_case_name, reason);
}

static void note_run(const noted_run* run)
{
    runs = grown(runs, run_count, &run_capacity, sizeof *runs);
    runs[run_count++] = *run;
}

// The first of the runs from `first` on that is one of this simulation; run_count: there is none.
static size_t find_run(size_t sim, size_t first)
{
    while (first < run_count && runs[first].sim != sim)
        ++first;
    return first;
}

// A run of the second run of the case. Where a scene halts for a checkpoint depends on the time; so the next halt of the first run at the same step is looked for.
static void compare_run(const noted_run* run)
{
    noted_sim* sim = &sims[run->sim - 1];
    size_t at = find_run(run->sim, sim->next);
    while (at < run_count && run->status == SCREE_OK && (runs[at].status != SCREE_OK || runs[at].step != run->step))
        at = find_run(run->sim, at + 1);
    if (run->status == SCREE_ERR_CANCELLED || (run->status == SCREE_OK && at == run_count)) {
        sim->otherwise = true;
        return;
    }
    const noted_run none = {.status = SCREE_OK}, *first = at < run_count ? &runs[at] : &none;
    if (first->status != run->status)
        fail_msg("%s %s on the device: simulation %zu has status %d at step %lld (%s); %d at step %lld of the processor was expected", test_group_name, test_case_name, run->sim,
                 (int)run->status, (long long)run->step, scree_error_message(), (int)first->status, (long long)first->step);
    if (first->hash != run->hash)
        fail_msg("%s %s on the device: simulation %zu has hash %016llx at step %lld; %016llx of the processor was expected", test_group_name, test_case_name, run->sim,
                 (unsigned long long)run->hash, (long long)run->step, (unsigned long long)first->hash);
    sim->otherwise = sim->otherwise || at != find_run(run->sim, sim->next);
    if (first->accounts != run->accounts && !sim->otherwise)  // sums of energies are rounded at each halt
        fail_msg("%s %s on the device: simulation %zu has other accounts than on the processor at step %lld", test_group_name, test_case_name, run->sim, (long long)run->step);
    sim->next = at + 1;
}

// A simulation was created, or refused.
static void note_sim(const scree_sim* at, scree_status status, bool open)
{
    noted_sim* former = at != NULL ? find(at) : NULL;
    if (former != NULL)
        former->at = NULL;
    if (state == NOTE) {
        sims = grown(sims, sim_count, &sim_capacity, sizeof *sims);
        sims[sim_count++] = (noted_sim){.at = at, .created = status, .open = open, .refused = -1};
        return;
    }
    if (interrupted)  // it may be another one
        at = NULL;
    else if (sim_next >= sim_count || sims[sim_next].created != status)
        fail_msg("%s %s on the device: simulation %zu is created with status %d (%s); %d of the processor was expected", test_group_name, test_case_name, sim_next + 1, (int)status,
                 status != SCREE_OK ? scree_error_message() : "", sim_next < sim_count ? (int)sims[sim_next].created : -999);
    if (sim_next < sim_count)
        sims[sim_next++].at = at;
}

static bool is_possible(const noted_sim* sim)
{
    return sim->open && sim->work > 0 && sim->refused < 0;
}

static int64_t scaled(int64_t most)
{
    return test_is_small() ? most / 20 : most;
}

// Whether any simulation of the case goes to the device.
static bool choose(void)
{
    const int64_t most = scaled(work_most);
    int64_t whole = 0, possible = 0, chosen = 0;
    for (size_t k = 0; k < sim_count; ++k) {
        whole += sims[k].work;
        possible += is_possible(&sims[k]) && sims[k].work <= most ? sims[k].work : 0;
    }
    for (size_t k = 0; k < sim_count; ++k) {
        const double at = (double)k * 0.6180339887498949;
        sims[k].at = NULL;
        sims[k].goes = is_possible(&sims[k]) && sims[k].work <= most && (at - floor(at)) * (double)possible < (double)most;
        chosen += sims[k].goes ? sims[k].work : 0;
    }
    const bool any = 20 * chosen >= whole && chosen > 0;
    for (size_t k = 0; k < sim_count; ++k) {
        // A change of a scene makes a simulation only to take over what is in it: it goes with the one before.
        sims[k].goes = any && (sims[k].work > 0 ? sims[k].goes : k > 0 && sims[k - 1].goes && sims[k].open && sims[k].refused < 0);
        done.large += is_possible(&sims[k]) && !sims[k].goes;
        if (sims[k].refused >= 0)
            ++done.refused[sims[k].refused];
    }
    return any;
}

// ---- Simulations -----------------------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_all(uint64_t hash, const double* values, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        hash = mix(hash, bits);
    }
    return hash;
}

static uint64_t hash_of_accounts(const scree_sim* sim)
{
    uint64_t hash = mix_all(0, sim->account, sizeof sim->account / sizeof *sim->account);
    hash = mix_all(hash, sim->loads.dissipated, sizeof sim->loads.dissipated / sizeof *sim->loads.dissipated);
    return mix_all(hash, sim->loads.next, sizeof sim->loads.next / sizeof *sim->loads.next);
}

// The feature is named in the message, behind "support".
static void check_support(const scree_sim* sim)
{
    if (state != NOTE || sim->device != NULL || sim_device_check(sim) == SCREE_OK)
        return;
    const char *message = scree_error_message(), *what = strstr(message, "support ");
    refuse(sim, what != NULL ? what + strlen("support ") : message);
}

scree_status __wrap_scree_sim_create(const scree_sim_def* def, scree_spheres spheres, const double* v, scree_sim** out)
{
    if (!takes_part() || out == NULL)
        return __real_scree_sim_create(def, spheres, v, out);
    const bool open = def != NULL && def->struct_size == sizeof *def && def->device == SCREE_DEVICE_NONE;
    scree_sim_def there = open ? *def : scree_default_sim_def();
    there.device = tested;
    const bool goes = state == COMPARE && open && sim_next < sim_count && sims[sim_next].goes && !interrupted;
    if (state == COMPARE && sim_next < sim_count)
        sims[sim_next].goes = goes;
    within = true;
    scree_status status = __real_scree_sim_create(goes ? &there : def, spheres, v, out);
    within = false;
    note_sim(status == SCREE_OK ? *out : NULL, status, open);
    if (status != SCREE_OK)
        return status;
    check_support(*out);
    if (state == NOTE && interrupted)
        refuse(*out, "what has been left by it");
    if (goes)
        assert_int_equal(scree_sim_get_device(*out), tested);
    done.sims += goes && sims[sim_next - 1].work > 0;
    return status;
}

scree_status __wrap_scree_sim_run(scree_sim* sim, int64_t steps)
{
    if (!takes_part() || sim == NULL || sim->runner != NULL)
        return __real_scree_sim_run(sim, steps);
    check_support(sim);
    const int64_t before = sim->step, count = sim->n;
    within = true;
    scree_status status = __real_scree_sim_run(sim, steps);
    within = false;
    noted_sim* noted = find(sim);
    interrupted = interrupted || status == SCREE_ERR_CANCELLED;
    if (noted == NULL)
        return status;
    noted_run run = {.sim = (size_t)(noted - sims) + 1, .step = sim->step, .status = status};
    if (status == SCREE_OK) {
        run.hash = scree_sim_hash(sim);
        run.accounts = hash_of_accounts(sim);
    }
    if (state == NOTE) {
        note_run(&run);
        noted->work += count > 0 ? (count + 30) * (sim->step - before) : 0;
        if (status == SCREE_ERR_CANCELLED)
            refuse(sim, "a stop on request");
    } else if (noted->goes) {
        compare_run(&run);
    }
    return status;
}

pid_t __wrap_fork(void)
{
    interrupted = true;
    return __real_fork();
}

scree_status __wrap_scree_run_go(scree_run* run)
{
    scree_status status = __real_scree_run_go(run);
    interrupted = interrupted || status == SCREE_ERR_CANCELLED;
    return status;
}

// The steps of these two are as many as there is time for.
scree_status __wrap_scree_run_estimate_sized(size_t size, scree_run* run, scree_run_costs* out)
{
    interrupted = true;
    return __real_scree_run_estimate_sized(size, run, out);
}

scree_status __wrap_scree_sim_find_costs_sized(size_t size, scree_sim* sim, int64_t most, scree_sim_costs* out)
{
    if (!takes_part())
        return __real_scree_sim_find_costs_sized(size, sim, most, out);
    if (state == NOTE)
        refuse(sim, "measured costs of steps");
    const int was = (int)state;
    state = IDLE;
    scree_status status = __real_scree_sim_find_costs_sized(size, sim, most, out);
    state = was == NOTE ? NOTE : COMPARE;
    return status;
}

scree_status __wrap_part_check(const scree_sim* sim)
{
    if (takes_part() && state == NOTE)
        refuse(sim, "several ranks");
    return __real_part_check(sim);
}

scree_status __wrap_device_go(sim_device* device, device_run* run)
{
    done.runs += state == COMPARE;
    return __real_device_go(device, run);
}

// ---- Pairs -----------------------------------------------------------------------------------------------------------------

// Of the pairs in any order. Shifts are those between the centres that the index has.
static uint64_t hash_of_pairs(const scree_index* index, const scree_pairs* pairs)
{
    uint64_t sum = (uint64_t)pairs->count;
    for (int64_t p = 0; p < pairs->count; ++p) {
        const int32_t i = pairs->ij[p][0], j = pairs->ij[p][1];
        uint64_t hash = mix(mix(0, (uint32_t)i), (uint32_t)j);
        for (int k = 0; k < 3 && pairs->shift != NULL; ++k)
            hash = mix(hash, (uint64_t)(pairs->shift[p][k] - (index != NULL ? index_turns(index, i, k) - index_turns(index, j, k) : 0)));
        sum += hash;
    }
    return sum;
}

static bool is_sorted(const scree_pairs* pairs)
{
    for (int64_t p = 1; p < pairs->count; ++p) {
        const int32_t *a = pairs->ij[p - 1], *b = pairs->ij[p];
        if (a[0] > b[0] || (a[0] == b[0] && a[1] > b[1]))
            return false;
    }
    return true;
}

// Once more from arrays in its memory, which is that of the processor.
static void search_in_place(scree_index* there, int32_t n, int32_t dim, const double* x, const double* r, uint64_t wanted)
{
    scree_pairs pairs;
    CHECK_OK(scree_index_update_on_device(there, &(scree_device_spheres){.count = n, .dim = dim, .x = x, .r = r}));
    CHECK_OK(scree_index_pairs_on_device(there, false, NULL, &pairs));
    const uint64_t hash = hash_of_pairs(NULL, &pairs);
    if (hash != wanted)
        fail_msg("%s %s: search %lld of %d spheres in the memory of the device has %lld pairs with hash %016llx; %016llx was expected", test_group_name, test_case_name, (long long)done.searches, (int)n,
                 (long long)pairs.count, (unsigned long long)hash, (unsigned long long)wanted);
}

// The same spheres in an index of their own, on the device.
static void search_there(const scree_index* index, const scree_pairs* found)
{
    const int32_t n = index->it.n, dim = index->def.box.dim;
    double *x = malloc((size_t)n * (size_t)dim * sizeof *x), *r = malloc((size_t)n * sizeof *r);
    for (int32_t i = 0; i < n; ++i) {
        memcpy(x + (size_t)i * (size_t)dim, index->xr[i], (size_t)dim * sizeof *x);
        r[i] = index->xr[i][3];
    }
    scree_index_def def = scree_default_index_def();
    def.box = index->def.box;
    def.gap = index->def.gap;
    def.device = tested;
    scree_index* there = NULL;
    scree_pairs pairs;
    device_set_tiny(1 + 3 * (uint64_t)done.searches);
    CHECK_OK(scree_index_create(&def, &there));
    CHECK_OK(scree_index_update(there, (scree_spheres){.count = n, .dim = dim, .x = x, .r = r}));
    if (index->mask.group != NULL)
        CHECK_OK(scree_index_set_mask(there, &index->mask));
    CHECK_OK(__real_scree_index_pairs(there, &pairs));
    const uint64_t hash = hash_of_pairs(NULL, &pairs), wanted = hash_of_pairs(index, found);
    if (tested == SCREE_DEVICE_EMULATE)
        search_in_place(there, n, dim, x, r, wanted);
    emulate_set(NULL);
    if (hash != wanted || !is_sorted(&pairs))
        fail_msg("%s %s: search %lld of %d spheres on the device has %lld pairs with hash %016llx%s; %lld with %016llx of the processor were expected", test_group_name, test_case_name,
                 (long long)done.searches, (int)n, (long long)pairs.count, (unsigned long long)hash, is_sorted(&pairs) ? "" : " that are not sorted", (long long)found->count,
                 (unsigned long long)wanted);
    scree_index_destroy(there);
    free(x);
    free(r);
}

scree_status __wrap_scree_index_pairs(scree_index* index, scree_pairs* out)
{
    scree_status status = __real_scree_index_pairs(index, out);
    if (status != SCREE_OK || !takes_part() || state != NOTE || within || index->it.half != NULL || index->it.n == 0)
        return status;
    const int64_t number = search_count++;
    if ((number >= 16 && number % 16 != 0) || searched + index->it.n > scaled(spheres_searched_most)) {
        ++done.passed_over;
    } else {
        searched += index->it.n;
        search_there(index, out);
    }
    return status;
}

scree_status __wrap_index_device_pairs(index_device* device, const index_device_search* search)
{
    done.searches += state == NOTE;
    return __real_index_device_pairs(device, search);
}

// ---- Cases -----------------------------------------------------------------------------------------------------------------

// The device that SCREE_TEST_EVERYWHERE names; NONE: it is not set.
static int32_t device_wanted(void)
{
    const char* name = getenv("SCREE_TEST_EVERYWHERE");
    int32_t number = SCREE_DEVICE_NONE;
    for (int32_t d = SCREE_DEVICE_CUDA; d < SCREE_DEVICE_COUNT && name != NULL; ++d)
        if (strcmp(name, scree_device_name(d)) == 0)
            number = d;
    return number;
}

void everywhere_begin(void)
{
    tested = device_wanted();
    if (tested == SCREE_DEVICE_NONE)
        return;
    run_count = sim_count = 0;
    search_count = searched = 0;
    within = interrupted = false;
    tester = pthread_self();
    process = getpid();
    state = NOTE;
}

bool everywhere_repeat(size_t number)
{
    if (state != NOTE)
        return false;
    const bool any = choose();
    state = IDLE;
    interrupted_first = interrupted;
    for (size_t e = 0; e < sizeof exemptions / sizeof *exemptions && any; ++e)
        if (strcmp(exemptions[e].group, test_group_name) == 0 && (exemptions[e].name == NULL || strcmp(exemptions[e].name, test_case_name) == 0)) {
            printf("%s %s is not repeated: %s\n", test_group_name, test_case_name, exemptions[e].reason);
            ++done.exempt;
            return false;
        }
    if (!any)
        return false;
    device_set_tiny(1 + 3 * (uint64_t)number);
    sim_next = 0;
    interrupted = false;
    ++done.cases;
    state = COMPARE;
    return true;
}

bool everywhere_is_second(void)
{
    return state == COMPARE;
}

// Each simulation has come to where it ended in the first run, unless it depends on the time when that was.
void everywhere_compare_end(void)
{
    if (interrupted || interrupted_first) {
        everywhere_end();
        return;
    }
    if (sim_next != sim_count)
        fail_msg("%s %s on the device: %zu simulations; %zu as on the processor were expected", test_group_name, test_case_name, sim_next, sim_count);
    for (size_t k = 0; k < sim_count; ++k)
        if (sims[k].goes && find_run(k + 1, sims[k].next) < run_count)
            fail_msg("%s %s on the device: simulation %zu does not come to step %lld, as on the processor", test_group_name, test_case_name, k + 1,
                     (long long)runs[find_run(k + 1, sims[k].next)].step);
    everywhere_end();
}

void everywhere_end(void)
{
    if (tested != SCREE_DEVICE_NONE)
        emulate_set(NULL);
    state = IDLE;
}

bool everywhere_report(const char* group, const char* label)
{
    bool enough = true;
    if (device_wanted() == SCREE_DEVICE_NONE)
        return true;
    printf("%s on the device: %lld cases with %lld simulations in %lld runs, %lld searches; on the processor: %lld simulations and %lld searches for their size, %lld cases exempt\n", group,
           (long long)done.cases, (long long)done.sims, (long long)done.runs, (long long)done.searches, (long long)done.large, (long long)done.passed_over, (long long)done.exempt);
    for (int r = 0; r < refusal_count; ++r)
        if (done.refused[r] > 0)
            printf("%s on the processor: %lld simulations with %s\n", group, (long long)done.refused[r], refusals[r]);
    if (done.runs < done.sims) {
        printf("%s: %lld simulations on the device were expected to run there\n", group, (long long)done.sims);
        enough = false;
    }
    for (size_t e = 0; e < sizeof least / sizeof *least && label != NULL && !test_is_small(); ++e)
        if (strcmp(least[e].group, group) == 0 && strcmp(least[e].label, label) == 0 && (done.sims < least[e].sims || done.searches < least[e].searches)) {
            printf("%s %s: at least %lld simulations and %lld searches on the device were expected\n", group, label, (long long)least[e].sims, (long long)least[e].searches);
            enough = false;
        }
    memset(&done, 0, sizeof done);
    return enough;
}
