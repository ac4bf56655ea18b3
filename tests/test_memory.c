// memory of contacts: each contact counts its steps and sums its overlaps, also across a small gap (law "record"), and a plain program that knows nothing of lists, orders and slots
// does the same from the centres alone, bit for bit: through new lists, new orders, wrapped centres, several images of a pair, a sphere and its own
// image, fixed spheres, giants and walls, taken up again from a state in the middle, for every method, skin, number of threads and backend.
#include "par_support.h"

#include "base/wide.h"
#include "sim/sim_inner.h"

// ---- Systems -----------------------------------------------------------------------------------------------------------

typedef struct system_of {
    scree_sphere_set set;
    double* v;
    uint8_t* fixed;
    scree_sim_each each;
    scree_sim_law law;
    scree_index_def search;
    scree_sim_def def;
} system_of;

static void finish_system(system_of* s, int fixed_every)
{
    int32_t n = s->set.count;
    s->fixed = calloc((size_t)n + 1, 1);
    s->each = scree_default_sim_each();
    s->law = scree_default_sim_law();
    s->law.name = "record";
    s->search = scree_default_index_def();
    for (int32_t i = 0; i < n && fixed_every > 0; ++i) {
        s->fixed[i] = i % fixed_every == 1;
        for (int k = 0; k < s->set.dim && s->fixed[i]; ++k)
            s->v[(int64_t)i * s->set.dim + k] = 0.0;
    }
    s->each.fixed = s->fixed;
    s->def.threads = 1;
}

// A hot, dense system. Axes of `periodic` are; the others have walls.
static system_of make_gas(int dim, int32_t count, double ratio, unsigned periodic, int loss, int fixed_every, uint64_t seed)
{
    system_of s = {.def = scree_default_sim_def()};
    s.set = sim_gas(dim, count, ratio, dim == 2 ? 0.45 : 0.28, false, seed);
    for (int k = 0; k < dim; ++k)
        s.set.box.periodic[k] = (periodic >> k & 1) != 0;
    for (int32_t i = 0; i < count; ++i)
        s.set.r[i] *= 1.2;  // so that there are contacts from the start
    s.def.box = s.set.box;
    s.def.stiffness = 20.0;
    s.def.restitution = loss == 1 ? 0.7 : 0.0;
    s.def.damping = loss == 2 ? 0.3 : 0.0;
    s.def.order_every = 13;
    s.v = sim_thermal(scree_sphere_set_view(&s.set), 0.1, seed);
    finish_system(&s, fixed_every);
    return s;
}

// A box barely larger than a sphere: several images of a pair touch at once, and spheres touch their own.
static system_of make_tiny(int dim, uint64_t seed)
{
    system_of s = {.def = scree_default_sim_def()};
    double size[3] = {2.05, 2.6, 2.2};
    CHECK_OK(scree_sphere_set_make(dim, 6, &s.set));
    s.def.box = scree_box_sized(dim, size);
    s.v = malloc(18 * sizeof *s.v);
    scree_rng rng = scree_rng_make(seed, (uint64_t)dim);
    for (int k = 0; k < dim; ++k)
        s.def.box.periodic[k] = true;
    for (int i = 0; i < 6; ++i) {
        s.set.r[i] = i == 0 ? 1.02 : 0.3 + 0.1 * i;
        for (int k = 0; k < dim; ++k) {
            s.set.x[i * dim + k] = scree_rng_uniform(&rng) * size[k];
            s.v[i * dim + k] = 3.0 * (scree_rng_uniform(&rng) - 0.5);
        }
    }
    s.def.stiffness = 5.0;
    s.def.order_every = 7;
    finish_system(&s, 5);
    return s;
}

static void free_system(system_of* s)
{
    scree_sphere_set_free(&s->set);
    free(s->v);
    free(s->fixed);
}

static scree_sim* start(system_of* s)
{
    scree_sim* sim;
    s->def.each = &s->each;
    s->def.law = &s->law;
    s->def.search = &s->search;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    return sim;
}

// ---- The plain program -------------------------------------------------------------------------------------------------

typedef struct known {
    int64_t i, j;
    int image[3];      // of j's centre as it would be if nothing were ever wrapped
    int step;          // of its last overlap
    double words[3];
} known;

typedef struct plain {
    int n, dim;
    double *x, *before;    // now and one step ago, as the simulation has them
    int (*turns)[3];       // by which each centre was wrapped so far
    known* list;
    int64_t count, capacity;
} plain;

static known* find(plain* p, int64_t i, int64_t j, const int image[3])
{
    for (int64_t c = 0; c < p->count; ++c)
        if (p->list[c].i == i && p->list[c].j == j && memcmp(p->list[c].image, image, sizeof p->list[c].image) == 0)
            return &p->list[c];
    if (p->count == p->capacity) {
        p->capacity = 2 * p->capacity + 64;
        p->list = realloc(p->list, (size_t)p->capacity * sizeof *p->list);
    }
    p->list[p->count] = (known){.i = i, .j = j, .step = -1};
    memcpy(p->list[p->count].image, image, sizeof p->list->image);
    return &p->list[p->count++];
}

static void count_overlap(plain* p, int64_t i, int64_t j, const int image[3], int step, double overlap, double direction)
{
    known* k = find(p, i, j, image);
    if (k->step != step - 1 && !(overlap > 0.0))  // it begins when they touch, and ends when they are farther apart than the reach
        return;
    if (k->step != step - 1)
        memset(k->words, 0, sizeof k->words);
    k->step = step;
    k->words[0] += 1.0;
    k->words[1] += overlap;
    k->words[2] += overlap * direction;
}

// All pairs and images at the centres of this step.
static void look(plain* p, const system_of* s, int step)
{
    const scree_box* box = &s->def.box;
    double length[3] = {0.0, 0.0, 0.0}, widest = 0.0;
    for (int i = 0; i < p->n; ++i)
        widest = fmax(widest, s->set.r[i]);
    widest *= 0.05;
    int most[3] = {0, 0, 0};
    for (int k = 0; k < p->dim; ++k)
        if (box->periodic[k]) {
            length[k] = box->upper[k] - box->lower[k];
            most[k] = 3;
        }
    for (int i = 0; i < p->n; ++i)
        for (int k = 0; k < p->dim; ++k) {
            double jump = p->before[i * p->dim + k] - p->x[i * p->dim + k];
            if (length[k] > 0.0)
                p->turns[i][k] += (int)rint(jump / length[k]);
        }
    for (int i = 0; i < p->n; ++i)
        for (int j = i; j < p->n; ++j) {
            if (s->fixed[i] && s->fixed[j])
                continue;
            for (int a = -most[0]; a <= most[0]; ++a)
                for (int b = -most[1]; b <= most[1]; ++b)
                    for (int c = -most[2]; c <= most[2]; ++c) {
                        int shift[3] = {a, b, c}, image[3];
                        int sign = a != 0 ? a : b != 0 ? b : c;
                        double d[3] = {0.0, 0.0, 0.0}, reach = s->set.r[i] + s->set.r[j];
                        if (i == j && sign <= 0)
                            continue;
                        for (int k = 0; k < 3; ++k) {
                            if (k < p->dim)
                                d[k] = (p->x[i * p->dim + k] - p->x[j * p->dim + k]) - shift[k] * length[k];
                            image[k] = shift[k] + p->turns[i][k] - p->turns[j][k];
                        }
                        double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2], distance = sqrt(square);
                        if (square < (reach + widest) * (reach + widest))
                            count_overlap(p, i, j, image, step, reach - distance, d[0] / distance);
                    }
        }
    for (int i = 0; i < p->n; ++i)
        for (int face = 0; face < 2 * p->dim && !s->fixed[i]; ++face) {
            if (box->periodic[face / 2])
                continue;
            double at = face & 1 ? box->upper[face / 2] : box->lower[face / 2], side = face & 1 ? -1.0 : 1.0;
            double overlap = s->set.r[i] - side * (p->x[i * p->dim + face / 2] - at);
            if (overlap > -widest)
                count_overlap(p, i, -1 - face, (int[3]){0, 0, 0}, step, overlap, face < 2 ? side : 0.0);
        }
}

// What the simulation says, contact by contact.
static int64_t compare(plain* p, scree_sim* sim, int step, const char* where)
{
    scree_sim_memory memory;
    scree_sim_contacts contacts;
    int64_t now = 0;
    CHECK_OK(scree_sim_get_memory(sim, &memory));
    for (int64_t c = 0; c < p->count; ++c)
        now += p->list[c].step == step;
    if (memory.count != now)
        fail_msg("%s: step %d: %lld contacts remember, plainly %lld", where, step, (long long)memory.count, (long long)now);
    for (int64_t c = 0; c < memory.count; ++c) {
        int64_t i = memory.ij[c][0], j = memory.ij[c][1];
        int image[3] = {0, 0, 0};
        for (int k = 0; k < 3 && j >= 0 && memory.shift != NULL; ++k)
            image[k] = memory.shift[c][k] + p->turns[i][k] - p->turns[j][k];
        const known* k = find(p, i, j, image);
        if (k->step != step || memcmp(k->words, memory.values + 3 * c, sizeof k->words) != 0)
            fail_msg("%s: step %d: contact %lld %lld (image %d %d %d) remembers %.17g %.17g %.17g, plainly %.17g %.17g %.17g of step %d", where, step, (long long)i,
                     (long long)j, image[0], image[1], image[2], memory.values[3 * c], memory.values[3 * c + 1], memory.values[3 * c + 2], k->words[0],
                     k->words[1], k->words[2], k->step);
    }
    uint64_t hash = scree_sim_hash(sim);
    size_t bytes = 3 * (size_t)memory.count * sizeof *memory.values;
    double* values = malloc(bytes + 1);
    memcpy(values, memory.values, bytes);
    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
    assert_true(contacts.count == now && contacts.words == 3);
    assert_memory_equal(contacts.memory, values, bytes);
    assert_true(scree_sim_hash(sim) == hash);  // looking changes nothing
    free(values);
    return now;
}

static void follow(system_of* s, int steps, const char* where)
{
    scree_sim* sim = start(s);
    size_t numbers = (size_t)s->set.count * (size_t)s->set.dim;
    plain p = {.n = s->set.count, .dim = s->set.dim};
    p.x = malloc(numbers * sizeof *p.x);
    p.before = malloc(numbers * sizeof *p.before);
    p.turns = calloc((size_t)p.n, sizeof *p.turns);
    int64_t contacts = 0;
    double oldest = 0.0;
    CHECK_OK(scree_sim_get_column(sim, "x", p.before));
    for (int step = 1; step <= steps; ++step) {
        CHECK_OK(scree_sim_run(sim, 1));
        CHECK_OK(scree_sim_get_column(sim, "x", p.x));
        look(&p, s, step);
        contacts += compare(&p, sim, step, where);
        memcpy(p.before, p.x, numbers * sizeof *p.x);
    }
    CHECK_OK(scree_sim_validate(sim));
    for (int64_t c = 0; c < p.count; ++c)
        oldest = fmax(oldest, p.list[c].words[0]);
    assert_true(s->law.name[0] == 'r' && sim->law.reach > 0.0);
    assert_true(contacts > steps && oldest > s->def.order_every);  // some live through a new order
    free(p.x);
    free(p.before);
    free(p.turns);
    free(p.list);
    scree_sim_destroy(sim);
}

static void contacts_remember_what_a_plain_program_does(void** state)
{
    (void)state;
    int steps = (int)fmax(40.0, 120.0 * fmin(test_effort(), 5.0));
    for (int dim = 2; dim <= 3; ++dim)
        for (int round = 0; round < 4; ++round) {
            static const unsigned periodic[] = {0, 1, 6, 7};
            char where[80];
            snprintf(where, sizeof where, "%d dimensions, round %d", dim, round);
            system_of s = make_gas(dim, 40, 4.0, periodic[round], round % 3, round % 2 == 0 ? 6 : 0, 3 + (uint64_t)round);
            s.search.skin = round == 1 ? 0.05 : round == 2 ? -1.0 : 0.0;
            s.def.integrator = round % 2;
            s.def.giants = round == 3 ? 1.2 : 0.0;
            s.def.backend = dim == 2 && round == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
            follow(&s, steps, where);
            free_system(&s);
        }
}

static void contacts_remember_in_tiny_periodic_boxes(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            system_of s = make_tiny(dim, seed);
            follow(&s, 150, "tiny box");
            free_system(&s);
        }
}

// ---- Same bits whatever the way ------------------------------------------------------------------------------------------

static uint64_t run_and_hash(system_of* s, int64_t steps)
{
    scree_sim* sim = start(s);
    CHECK_OK(scree_sim_run(sim, steps));
    CHECK_OK(scree_sim_validate(sim));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_destroy(sim);
    return hash;
}

static void same_memory_for_every_way(void** state)
{
    (void)state;
    static const double skins[] = {-1.0, 0.02, 0.4};
    for (int dim = 2; dim <= 3; ++dim) {
        system_of s = make_gas(dim, 300, 6.0, dim == 2 ? 1 : 5, 1, 7, 11);
        s.def.giants = 2.5;
        const int64_t steps = 90;
        uint64_t wanted = run_and_hash(&s, steps);
        for (int method = 1; method < SCREE_METHOD_COUNT; ++method) {
            s.search.method = method;
            assert_true(run_and_hash(&s, steps) == wanted);
        }
        s.search.method = SCREE_METHOD_AUTO;
        for (int k = 0; k < 3; ++k) {
            s.search.skin = skins[k];
            assert_true(run_and_hash(&s, steps) == wanted);
        }
        s.search.skin = 0.0;
        s.def.backend = SCREE_BACKEND_REFERENCE;
        assert_true(run_and_hash(&s, steps) == wanted);
        s.def.backend = SCREE_BACKEND_FUSED;
        scree_plain_only = true;
        assert_true(run_and_hash(&s, steps) == wanted);
        scree_plain_only = false;
        s.def.check = true;
        assert_true(run_and_hash(&s, steps) == wanted);
        free_system(&s);
    }
}

// More spheres than a block has: a contact across blocks is worked out on both sides, and remembers on one.
static void same_memory_across_blocks(void** state)
{
    (void)state;
    system_of s = make_gas(3, sim_block + 300, 5.0, 3, 1, 9, 5);
    s.def.order_every = 8;
    s.def.giants = 2.2;
    const int64_t steps = test_is_small() ? 9 : 20;
    uint64_t wanted = run_and_hash(&s, steps);
    for (int32_t threads = 2; threads <= 5; threads += 3) {
        s.def.threads = threads;
        assert_true(run_and_hash(&s, steps) == wanted);
    }
    s.def.threads = 1;
    s.def.backend = SCREE_BACKEND_REFERENCE;
    assert_true(run_and_hash(&s, steps) == wanted);
    free_system(&s);
}

// Taken up again from a state, in another simulation, at every few steps; the order of memory is another then.
static void memory_goes_on_from_a_state(void** state)
{
    (void)state;
    for (int round = 0; round < 3; ++round) {
        system_of s = round == 0 ? make_tiny(3, 2) : make_gas(2 + round % 2, 60, 3.0, round == 1 ? 2 : 1, 0, 6, 8);
        const int64_t steps = 100;
        uint64_t wanted = run_and_hash(&s, steps);
        scree_sim* sim = start(&s);
        for (int64_t at = 0; at < steps;) {
            int64_t some = at % 17 + 3 < steps - at ? at % 17 + 3 : steps - at;
            CHECK_OK(scree_sim_run(sim, some));
            at += some;
            sim_copy copy = sim_copy_make(s.set.count, s.set.dim);
            scree_sim_memory memory;
            CHECK_OK(sim_copy_get(sim, &copy));
            CHECK_OK(scree_sim_get_memory(sim, &memory));
            scree_sim* next = start(&s);
            CHECK_OK(scree_sim_run(next, 5));  // it has contacts of its own, which are forgotten
            scree_sim_values columns[] = {{"x", copy.x}, {"v", copy.v}, {"a", copy.a}, {"key", copy.key}};
            scree_sim_state taken = {.step = copy.step, .walls = copy.walls, .column_count = 4, .columns = columns, .memory = &memory};
            assert_true(scree_sim_state_hash(&taken, s.set.count, s.set.dim) == scree_sim_hash(sim));
            CHECK_OK(scree_sim_set_state(next, &taken));
            assert_true(scree_sim_hash(next) == scree_sim_hash(sim));
            sim_copy_free(&copy);
            scree_sim_destroy(sim);
            sim = next;
        }
        assert_true(scree_sim_hash(sim) == wanted);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

// A memory that does not belong to the state is refused, with its contact, and changes nothing.
static void a_memory_that_does_not_fit_is_refused(void** state)
{
    (void)state;
    system_of s = make_gas(3, 60, 3.0, 1, 0, 6, 8);
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 30));
    sim_copy copy = sim_copy_make(s.set.count, 3);
    scree_sim_memory memory;
    CHECK_OK(sim_copy_get(sim, &copy));
    CHECK_OK(scree_sim_get_memory(sim, &memory));
    assert_true(memory.count > 3);
    size_t count = (size_t)memory.count;
    uint64_t hash = scree_sim_hash(sim);
    for (int wrong = 0; wrong < 9; ++wrong) {
        int64_t (*ij)[2] = malloc(count * sizeof *ij);
        int8_t (*shift)[3] = malloc(count * sizeof *shift);
        double* values = malloc(3 * count * sizeof *values);
        memcpy(ij, memory.ij, count * sizeof *ij);
        memcpy(shift, memory.shift, count * sizeof *shift);
        memcpy(values, memory.values, 3 * count * sizeof *values);
        scree_sim_memory given = {.count = memory.count, .words = 3, .ij = (const int64_t(*)[2])ij, .shift = (const int8_t(*)[3])shift, .values = values};
        if (wrong == 0)
            given.words = 2;
        else if (wrong == 1)
            ij[1][0] = -1;
        else if (wrong == 2)
            ij[1][1] = s.set.count;
        else if (wrong == 3)
            memcpy(ij[1], ij[0], sizeof *ij), memcpy(shift[1], shift[0], sizeof *shift);
        else if (wrong == 4)
            shift[2][0] = 5;
        else if (wrong == 5)
            values[7] = NAN;
        else if (wrong == 6)
            ij[count - 1][1] = -40;
        else if (wrong == 7)
            given.ij = NULL;
        else
            given.shift = NULL;
        scree_sim_values columns[] = {{"x", copy.x}, {"v", copy.v}, {"a", copy.a}, {"key", copy.key}};
        scree_sim_state taken = {.step = copy.step, .walls = copy.walls, .column_count = 4, .columns = columns, .memory = &given};
        CHECK_FAILS(scree_sim_set_state(sim, &taken), SCREE_ERR_ARGUMENT, wrong == 0 ? "2" : wrong >= 7 ? "NULL" : wrong == 6 ? "-40" : "contact");
        assert_true(scree_sim_hash(sim) == hash);
        free(ij);
        free(shift);
        free(values);
    }
    sim_copy_free(&copy);
    scree_sim_destroy(sim);
    free_system(&s);
}

// A run that finds no memory for a new order or list goes on from where it stopped, and has forgotten nothing.
static void memory_that_runs_out_is_not_forgotten(void** state)
{
    (void)state;
    system_of s = make_gas(2, 80, 3.0, 1, 1, 6, 4);
    s.def.order_every = 10;
    s.search.skin = 0.1;
    uint64_t wanted = run_and_hash(&s, 60);
    int64_t failures = 0;
    for (int64_t n = 1; n <= 12; ++n) {
        scree_sim* sim = start(&s);
        while (scree_sim_get_step(sim) < 60) {
            scree_memory_fail_at(n);
            scree_status status = scree_sim_run(sim, 60 - scree_sim_get_step(sim));
            scree_memory_fail_at(0);
            assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
            failures += status == SCREE_ERR_MEMORY;
            if (status == SCREE_ERR_MEMORY)  // the step that it was in is completed
                CHECK_OK(scree_sim_run(sim, 0));
        }
        assert_true(scree_sim_hash(sim) == wanted);
        scree_sim_destroy(sim);
    }
    assert_true(failures > 10);
    free_system(&s);
}

// The linear law remembers nothing and has no arrays for it.
static void the_linear_law_remembers_nothing(void** state)
{
    (void)state;
    system_of s = make_gas(3, 60, 3.0, 1, 0, 0, 8);
    scree_sim_memory memory;
    scree_sim_contacts contacts;
    scree_sim* recorded = start(&s);
    s.law.name = "linear";
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 20));
    CHECK_OK(scree_sim_run(recorded, 20));
    CHECK_OK(scree_sim_get_memory(sim, &memory));
    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
    assert_true(memory.count == 0 && memory.words == 0 && contacts.words == 0 && contacts.memory == NULL);
    sim_copy a = sim_copy_make(60, 3), b = sim_copy_make(60, 3);
    CHECK_OK(sim_copy_get(sim, &a));
    CHECK_OK(sim_copy_get(recorded, &b));
    assert_memory_equal(a.x, b.x, 180 * sizeof *a.x);  // both push alike
    s.law.name = "sticky";
    scree_sim* none;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "sticky");
    assert_string_equal(scree_sim_law_name(0), "linear");
    assert_string_equal(scree_sim_law_name(1), "record");
    assert_string_equal(scree_sim_law_name(2), "hertz");
    assert_string_equal(scree_sim_law_name(5), "plastic");
    assert_null(scree_sim_law_name(6));
    sim_copy_free(&a);
    sim_copy_free(&b);
    scree_sim_destroy(sim);
    scree_sim_destroy(recorded);
    free_system(&s);
}

// ---- A state without memory ----------------------------------------------------------------------------------------------

// How far a sphere that friction holds on a tilted floor slides, if its state is taken and set at each step. `way` 0: it is not; 1: positions and velocities alone; 2: with a zeroed memory.
static double slide(int way)
{
    const double x[3] = {5.0, 5.0, 0.499}, r = 0.5;
    scree_sim_def def = scree_default_sim_def();
    scree_sim_each each = scree_default_sim_each();
    scree_sim_law law = scree_default_sim_law();
    scree_sim_pair pair = scree_default_sim_pair();
    def.box = scree_box_sized(3, (const double[3]){10.0, 10.0, 10.0});
    def.gravity[0] = 1.0;
    def.gravity[2] = -5.0;
    def.stiffness = 1e3;
    def.restitution = 0.2;
    pair.friction = 0.8;
    law.material_count = 1;
    law.pairs = &pair;
    def.law = &law;
    each.inertia = &(const double){INFINITY};  // it does not roll
    def.each = &each;
    scree_sim* sim = sim_made(&def, 1, x, &r, NULL);
    CHECK_OK(scree_sim_run(sim, 3000));
    double begin[3], now[3], v[3];
    CHECK_OK(scree_sim_get_column(sim, "x", begin));
    for (int k = 0; k < 300; ++k) {
        const scree_sim_values values[2] = {{"x", now}, {"v", v}};
        scree_sim_state state = {.column_count = 2, .columns = values};
        CHECK_OK(scree_sim_run(sim, 1));
        CHECK_OK(scree_sim_get_state(sim, &state));
        state.memory = way == 2 ? &(const scree_sim_memory){0} : NULL;
        if (way > 0)
            CHECK_OK(scree_sim_set_state(sim, &state));
    }
    CHECK_OK(scree_sim_get_column(sim, "x", now));
    scree_sim_destroy(sim);
    return fabs(now[0] - begin[0]);
}

static void friction_holds_over_states(void** state)
{
    (void)state;
    CHECK_CLOSE(slide(0), 0.0, 1e-7);
    CHECK_CLOSE(slide(1), 0.0, 1e-7);
    assert_true(slide(2) > 1e-3);
}

// Positions in other images name other images of contacts; contacts that have ended are left out.
static void states_keep_contacts_in_other_images(void** state)
{
    (void)state;
    for (int tilted = 0; tilted < 2; ++tilted) {
        enum { n = 4 };
        const double x[3 * n] = {0.1, 5.0, 5.0, 9.2, 5.0, 5.0, 4.0, 0.3, 9.9, 4.0, 9.4, 0.1}, r[n] = {0.5, 0.5, 0.5, 0.5};
        scree_sim_def def = scree_default_sim_def();
        scree_sim_law law = scree_default_sim_law();
        scree_sim_pair pair = scree_default_sim_pair();
        def.box = scree_box_sized(3, (const double[3]){10.0, 10.0, 10.0});
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = true;
        def.box.tilt[0] = tilted ? 1.0 : 0.0;
        def.stiffness = 1e3;
        pair.friction = 0.5;
        law.material_count = 1;
        law.pairs = &pair;
        def.law = &law;
        const double push[3 * n] = {0.0, 0.3, 0.0, 0.0, -0.3, 0.0, 0.0, 0.0, 0.2, 0.2, 0.0, 0.0};
        scree_sim* sim = sim_made(&def, n, x, r, push);
        CHECK_OK(scree_sim_run(sim, 3));
        scree_sim_memory before, after;
        double now[3 * n], v[3 * n], kept[8];
        CHECK_OK(scree_sim_get_memory(sim, &before));
        assert_int_equal(before.count, tilted ? 1 : 2);
        memcpy(kept, before.values, (size_t)before.words * sizeof *kept);
        assert_true(kept[1] != 0.0 && (before.shift[0][0] == 1 || before.shift[0][0] == -1));
        const scree_sim_values values[2] = {{"x", now}, {"v", v}};
        scree_sim_state taken = {.column_count = 2, .columns = values};
        CHECK_OK(scree_sim_get_state(sim, &taken));
        now[0] += 10.0;  // sphere 0 by one period along x, and along y
        now[0] += tilted ? 1.0 : 0.0;
        now[1] += 10.0;
        now[8] -= 1.0;  // 2 leaves 3
        CHECK_OK(scree_sim_set_state(sim, &taken));
        CHECK_OK(scree_sim_get_memory(sim, &after));
        assert_int_equal(after.count, 1);
        assert_true(after.ij[0][0] == 0 && after.ij[0][1] == 1);
        assert_memory_equal(after.values, kept, (size_t)after.words * sizeof *kept);
        CHECK_OK(scree_sim_get_column(sim, "x", now));
        double offset = now[0] - now[3] - 10.0 * after.shift[0][0] - (tilted ? 1.0 * after.shift[0][1] : 0.0);
        CHECK_CLOSE(fabs(offset), 0.9, 0.02);
        scree_sim_destroy(sim);
    }
}

// Parameters that only one law has, by name: on the processor, two ranks and the emulated device.
static void a_law_has_parameters_of_its_own(void** state)
{
    (void)state;
    scree_sim_parameter rows[2] = {{.name = NULL}};
    assert_int_equal(scree_sim_law_parameters("record", rows, 2), 1);
    assert_string_equal(rows[0].name, "reach");
    assert_true(rows[0].least == 0.0 && rows[0].standard == 0.05 && rows[0].most == 1.0 && rows[0].unit[0] != '\0' && rows[1].name == NULL);
    assert_int_equal(scree_sim_law_parameters("record", NULL, 0), 1);
    assert_int_equal(scree_sim_law_parameters(NULL, rows, 2), 0);
    assert_int_equal(scree_sim_law_parameters("hertz", rows, 2), 0);
    assert_int_equal(scree_sim_law_parameters("no law", rows, 2), -1);
    par_system s = par_record(7);
    scree_sim_law_value values[2] = {{.name = "reach", .material = {-1, -1}, .value = 0.05}, {.name = "reach", .material = {0, 0}, .value = 0.3}};
    uint64_t hash[5];
    for (int way = 0; way < 5; ++way) {  // without, the default, another value: alone, on two ranks, on the device
        scree_sim* sim;
        par_begin(&s);
        s.def.energies = false;
        s.law.values = way == 0 ? NULL : values;
        s.law.value_count = way == 0 ? 0 : way == 1 ? 1 : 2;
        s.def.device = way == 4 ? SCREE_DEVICE_EMULATE : SCREE_DEVICE_NONE;
        scree_par* par = par_begin_shared(way == 3 ? 2 : 0);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(scree_sim_run(sim, 80));
        hash[way] = par_shown(sim);
        scree_sim_destroy(sim);
        if (par != NULL)
            par_end_shared(par);
    }
    assert_true(hash[1] == hash[0] && hash[2] != hash[0] && hash[3] == hash[2] && hash[4] == hash[2]);
    scree_sim* sim;
    s.def.device = SCREE_DEVICE_NONE;
    values[1].value = 1.5;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "reach", "1.5", "0", "1");
    values[1].value = NAN;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "reach", "nan");
    values[1] = (scree_sim_law_value){.name = "reach", .material = {0, 1}, .value = 0.1};
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "reach", "0", "1");
    values[1] = (scree_sim_law_value){.name = "range", .material = {-1, -1}, .value = 0.1};
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "'record'", "'range'", "reach");
    s.law.values = NULL;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "value_count", "2");
    s.law.name = "linear";
    s.law.values = values;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "'linear'", "'reach'", "none");
    s.law.struct_size = offsetof(scree_sim_law, values);  // of a program that does not know them
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    scree_sim_destroy(sim);
    par_free(&s);
}

static const test_case cases[] = {
    UNIT(friction_holds_over_states),
    UNIT(states_keep_contacts_in_other_images),
    UNIT(contacts_remember_what_a_plain_program_does),
    UNIT(contacts_remember_in_tiny_periodic_boxes),
    SAME_BITS(same_memory_for_every_way),
    THREADS(same_memory_across_blocks),
    UNIT(memory_goes_on_from_a_state),
    UNIT(a_memory_that_does_not_fit_is_refused),
    ALLOCATION(memory_that_runs_out_is_not_forgotten),
    UNIT(the_linear_law_remembers_nothing),
    SAME_BITS(a_law_has_parameters_of_its_own),
};

const test_group group_memory = {.name = "memory", .cases = cases, .count = sizeof cases / sizeof *cases};
