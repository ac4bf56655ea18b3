// Coarse-grained fields: what each sphere and contact has is spread by a kernel over the cells of a grid.
//
// A cell gets the exact integral of the kernel over it. A Gauss kernel is a product of one integral per axis, differences of erf; a ball of constant density gives each
// cell the part of the ball in it, by the closed forms of cut.c at its corners. The grid continues beyond the box, cell by cell, and each cell outside represents one inside:
//
//     wall          2 1 0 | 0 1 2 3 | 3 2 1      mirrored
//     periodic      1 2 3 | 0 1 2 3 | 0 1 2      repeated
//
// so nothing is lost, and sums over the box equal sums over spheres and contacts. An axis of one cell needs no integral: all of it is in that cell.
//
// In a tilted box the grid is that of a box with right angles and the same sides, which holds the same matter once images are counted. What leaves it through a face whose edge
// is tilted comes in elsewhere on the opposite one, by no whole number of cells. So along such axes the cells beyond the box are left out, and the kernel is spread image by image.
//
// Three passes: mass, volume and momentum; the stress of velocities relative to the mean velocity of the cell, which must be known before (sums of v v^T less the
// product of means would lose all digits in a fast drift); contacts, each by quadrature along its branch vector.
//
// Threads: each chunk owns some planes of the grid and goes over all spheres, taking what falls onto its planes. So every cell is added up in the order of the
// spheres, however many threads there are. Each chunk looks at all spheres, and finds the weights of those whose kernels leave its planes too: one thread has one chunk.
//
// Cost: O((spheres + contacts) times cells in the kernel). Spheres are points here: for the exact share of their volumes in a box there is density.c.
#include "measure/measured.h"
#include "measure/snapshot.h"

#include "base/argument.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { most_cells = 10000, most_chunks = 32, chunks_per_thread = 4, most_pieces = 100000 };  // pieces: of a contact, so that a kernel next to nothing does not take forever

static const double gauss_reach = 4.0;  // widths

const char* scree_kernel_name(int32_t kernel)
{
    static const char* const names[SCREE_KERNEL_COUNT] = {"gauss", "heaviside"};
    return kernel >= 0 && kernel < SCREE_KERNEL_COUNT ? names[kernel] : NULL;
}

SCREE_DEFAULTS_OF(scree_fields_def, scree_default_fields_def)
{
    return (scree_fields_def){.struct_size = sizeof(scree_fields_def), .cells = {10, 10, 10}, .width = NAN};
}

typedef enum pass { PASS_MASS, PASS_KINETIC, PASS_CONTACTS } pass;

typedef struct spreading {
    const looked_at* look;
    scree_fields* fields;
    pass pass;
    int32_t kernel;
    double width, reach;
    int64_t room;         // cells that a kernel can reach along an axis, also beyond the box
    int64_t corners;      // of a ball: corners of a plane of such cells (2D: of a row)
    int64_t desk;         // of each chunk in `weights`
    double* weights;
    int32_t planes;       // of each chunk
    bool cut[3];          // axes along which images are spread one by one, because the edge of the box is tilted against an axis with cells
    bool whole[3];        // axes of one cell that need no integral
} spreading;

// The cells that a kernel reaches along an axis, also beyond the box: first .. first + count - 1.
typedef struct stretch {
    int64_t first, count;
} stretch;

static int32_t fold(int64_t cell, int32_t cells, bool periodic)
{
    if (cell >= 0 && cell < cells)
        return (int32_t)cell;
    int64_t period = periodic ? cells : 2 * (int64_t)cells, at = cell % period;
    if (at < 0)
        at += period;
    return (int32_t)(at < cells ? at : period - 1 - at);
}

// A place along y matters where what leaves through the face y comes in elsewhere; so a tilt of the edge z along y does then, too.
static void find_cuts(const looked_at* look, const int32_t cells[3], bool cut[3])
{
    cut[0] = false;
    cut[1] = look->tilt[0] != 0.0 && cells[0] > 1;
    cut[2] = look->dim == 3 && ((look->tilt[1] != 0.0 && cells[0] > 1) || (look->tilt[2] != 0.0 && (cells[1] > 1 || cut[1])));
}

static stretch reached(const spreading* s, int k, double x)
{
    const scree_fields* f = s->fields;
    if (s->whole[k])
        return (stretch){0, 1};
    int64_t first = (int64_t)floor((x - s->reach - f->lower[k]) / f->size[k]), last = (int64_t)floor((x + s->reach - f->lower[k]) / f->size[k]);
    return (stretch){first, last - first + 1};
}

// The part of a Gauss kernel at x in each cell of the stretch.
static void weigh(const spreading* s, int k, double x, stretch to, double* weight)
{
    const scree_fields* f = s->fields;
    if (s->whole[k]) {
        weight[0] = 1.0;
        return;
    }
    double scale = 1.0 / (sqrt(2.0) * s->width), end = erf(gauss_reach / sqrt(2.0)), before = -end;
    for (int64_t c = 0; c < to.count; ++c) {
        double edge = f->lower[k] + (double)(to.first + c + 1) * f->size[k];
        double here = c + 1 == to.count ? end : erf((edge - x) * scale);
        here = here < -end ? -end : here > end ? end : here;
        weight[c] = 0.5 * (here - before) / end;
        before = here;
    }
}

// ---- Balls: the share of a ball in a cell is a difference of shares at its corners, each of which serves all cells around it.

// Edge number e of the stretch along an axis, seen from x in units of the radius.
static double edge_of(const spreading* s, int k, double x, stretch to, int64_t e)
{
    const scree_fields* f = s->fields;
    if (s->whole[k])
        return e == 0 ? -1.0 : 1.0;
    return fmin(fmax((f->lower[k] + (double)(to.first + e) * f->size[k] - x) / s->width, -1.0), 1.0);
}

// What of the ball is below edge e of the last axis (3D: and above its centre; what is below it is the same in all planes), for all corners (a, b) across; b = 0
// alone in 2D.
static void weigh_corners(const spreading* s, const double x[3], const stretch to[3], int64_t e, double* corner)
{
    int dim = s->fields->dim;
    double height = edge_of(s, dim - 1, x[dim - 1], to[dim - 1], e);
    for (int64_t b = 0; b <= (dim == 3 ? to[1].count : 0); ++b)
        for (int64_t a = 0; a <= to[0].count; ++a, ++corner) {
            double across = edge_of(s, 0, x[0], to[0], a), along = dim == 3 ? edge_of(s, 1, x[1], to[1], b) : height;
            *corner = across <= -1.0 || along <= -1.0 ? 0.0 : cut_corner(dim, across, along, height);
        }
}

// The part of a ball in each cell of a row along x, from the corners below and above its plane; b: number of the row in the plane.
static void weigh_row(const spreading* s, const stretch to[3], int64_t b, const double* low, const double* high, double* weight)
{
    int64_t edges = to[0].count + 1;
    for (int64_t a = 0; a < to[0].count; ++a) {
        if (s->fields->dim == 2) {
            weight[a] = (high[a + 1] - high[a]) - (low[a + 1] - low[a]);
            continue;
        }
        int64_t near = b * edges + a, far = near + edges;
        weight[a] = ((high[far + 1] - high[far]) - (high[near + 1] - high[near])) - ((low[far + 1] - low[far]) - (low[near + 1] - low[near]));
    }
}

// ---- Spreading ---------------------------------------------------------------------------------------------------

// What is spread: m, volume and v of a sphere, or f d^T of a contact.
typedef struct load {
    double mass, volume, v[3], tensor[3][3];
} load;

static void add_to_cell(const spreading* s, int64_t cell, double weight, const load* what)
{
    scree_fields* f = s->fields;
    if (s->pass == PASS_MASS) {
        double mass = weight * what->mass;
        f->density[cell] += mass;
        f->fraction[cell] += weight * what->volume;
        for (int k = 0; k < 3; ++k)
            f->momentum[cell][k] += mass * what->v[k];
    } else if (s->pass == PASS_KINETIC) {
        double mass = weight * what->mass, v[3];
        for (int k = 0; k < 3; ++k)
            v[k] = what->v[k] - f->velocity[cell][k];
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                f->kinetic_stress[cell][k][l] += mass * (v[k] * v[l]);
    } else {
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                f->contact_stress[cell][k][l] += weight * what->tensor[k][l];
    }
}

// The cell inside the box that a cell of the kernel represents; below 0: none, an image has it.
static int32_t cell_of(const spreading* s, int k, int64_t cell)
{
    if (!s->cut[k])
        return fold(cell, s->fields->cells[k], s->look->s->box.periodic[k]);
    return cell >= 0 && cell < s->fields->cells[k] ? (int32_t)cell : -1;
}

// A Gauss kernel in a profile along the last axis, as reports have it: one weight for each plane.
static bool spread_profile(const spreading* s, double* weights, int32_t begin, int32_t end, stretch to, const double x[3], const load* what)
{
    const int last = s->fields->dim - 1;
    weigh(s, last, x[last], to, weights);
    for (int64_t c = 0; c < to.count; ++c) {
        const int32_t plane = cell_of(s, last, to.first + c);
        if (plane >= begin && plane < end)
            add_to_cell(s, plane, weights[c], what);
    }
    return scree_parallel_work(20 * to.count + 20);
}

// Spreads a load at x over the planes begin .. end - 1 of the last axis (2D: rows); of cut axes, what is inside the box. False: stop.
static bool spread_image(const spreading* s, double* weights, int32_t begin, int32_t end, const double x[3], const load* what)
{
    const scree_fields* f = s->fields;
    bool gauss = s->kernel == SCREE_KERNEL_GAUSS;
    int last = f->dim - 1;
    stretch to[3] = {{0, 1}, {0, 1}, {0, 1}};
    to[last] = reached(s, last, x[last]);
    bool inside = s->cut[last] || (to[last].first >= 0 && to[last].first + to[last].count <= f->cells[last]);
    if (inside && (to[last].first >= end || to[last].first + to[last].count <= begin))
        return true;
    if (gauss && s->whole[0] && (last == 1 || s->whole[1]))
        return spread_profile(s, weights, begin, end, to[last], x, what);
    for (int k = 0; k < last; ++k)
        to[k] = reached(s, k, x[k]);
    double *along[3] = {weights, weights + s->room, weights + 2 * s->room}, *low = along[1], *high = along[1] + s->corners;
    for (int k = 0; k < f->dim && gauss; ++k)
        weigh(s, k, x[k], to[k], along[k]);
    int64_t cells = 0, known = -1;  // known: the edge whose corners `high` has
    for (int64_t c = 0; c < to[last].count; ++c) {
        int32_t plane = cell_of(s, last, to[last].first + c);
        if (plane < begin || plane >= end)
            continue;
        if (!gauss) {
            double* swap = low;
            low = high;
            high = swap;
            if (known != c)
                weigh_corners(s, x, to, c, low);
            weigh_corners(s, x, to, c + 1, high);
            known = c + 1;
        }
        for (int64_t b = 0; b < (last == 2 ? to[1].count : 1); ++b) {
            int32_t across = last == 2 ? cell_of(s, 1, to[1].first + b) : 0;
            if (across < 0)
                continue;
            double factor = gauss ? (last == 2 ? along[1][b] : 1.0) * along[last][c] : 1.0;
            int64_t row = last == 2 ? (int64_t)plane * f->cells[1] + across : plane;
            if (!gauss)
                weigh_row(s, to, b, low, high, along[0]);
            for (int64_t a = 0; a < to[0].count; ++a)
                if (along[0][a] != 0.0)
                    add_to_cell(s, row * f->cells[0] + cell_of(s, 0, to[0].first + a), factor * along[0][a], what);
            cells += to[0].count;
        }
    }
    return scree_parallel_work((gauss ? 20 : 500) * cells + 20);
}

// How often the box is passed along an axis before a cell.
static int64_t turns_of(const spreading* s, int k, int64_t cell)
{
    int64_t cells = s->fields->cells[k];
    return cell >= 0 ? cell / cells : -((cells - 1 - cell) / cells);
}

// The same, through all faces. Along cut axes each image that reaches the box is spread by itself.
static bool spread(const spreading* s, double* weights, int32_t begin, int32_t end, const double x[3], const load* what)
{
    if (!s->cut[1] && !s->cut[2])
        return spread_image(s, weights, begin, end, x, what);
    const double *length = s->look->length, *tilt = s->look->tilt;
    stretch up = s->cut[2] ? reached(s, 2, x[2]) : (stretch){0, 1};
    for (int64_t c = turns_of(s, 2, up.first); c <= turns_of(s, 2, up.first + up.count - 1); ++c) {
        double at[3] = {x[0] - (double)c * tilt[1], x[1] - (double)c * tilt[2], x[2] - (double)c * length[2]};
        stretch along = s->cut[1] ? reached(s, 1, at[1]) : (stretch){0, 1};
        for (int64_t b = turns_of(s, 1, along.first); b <= turns_of(s, 1, along.first + along.count - 1); ++b) {
            const double image[3] = {at[0] - (double)b * tilt[0], at[1] - (double)b * length[1], at[2]};
            if (!spread_image(s, weights, begin, end, image, what))
                return false;
        }
    }
    return true;
}

static bool spread_contact(const spreading* s, double* weights, int32_t begin, int32_t end, int64_t c)
{
    static const double node[3] = {0.5 - 0.38729833462074168852, 0.5, 0.5 + 0.38729833462074168852}, share[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    const looked_at* look = s->look;
    const double* force = look->s->contacts->force[c];
    double from[3], d[3], square = 0.0;
    snapshot_centre(look, look->s->contacts->ij[c][0], from);
    snapshot_branch(look, c, d);
    for (int k = 0; k < 3; ++k)
        square += d[k] * d[k];
    double step = s->kernel == SCREE_KERNEL_GAUSS ? s->width : 0.25 * s->width;
    int64_t pieces = (int64_t)ceil(fmin(fmax(sqrt(square) / step, 1.0), most_pieces));
    for (int64_t p = 0; p < pieces; ++p)
        for (int q = 0; q < 3; ++q) {
            double at = ((double)p + node[q]) / (double)pieces, x[3];
            load what = {0};
            for (int k = 0; k < 3; ++k) {
                x[k] = from[k] - at * d[k];
                for (int l = 0; l < 3; ++l)
                    what.tensor[k][l] = k < look->dim && l < look->dim ? share[q] / (double)pieces * (force[k] * d[l]) : 0.0;
            }
            if (!spread(s, weights, begin, end, x, &what))
                return false;
        }
    return true;
}

static scree_status spread_chunk(void* context, int64_t chunk)
{
    const spreading* s = context;
    const looked_at* look = s->look;
    double* weights = s->weights + chunk * s->desk;
    int32_t planes = s->fields->cells[look->dim - 1], begin = (int32_t)chunk * s->planes, end = begin + s->planes < planes ? begin + s->planes : planes;
    if (s->pass == PASS_CONTACTS) {
        for (int64_t c = 0; c < look->contacts; ++c)
            if (!spread_contact(s, weights, begin, end, c))
                return SCREE_OK;  // the loop itself tells that it was stopped
        return SCREE_OK;
    }
    for (int64_t i = 0; i < look->n; ++i) {
        load what = {.mass = snapshot_mass(look, i), .volume = snapshot_sphere_volume(look, i)};
        double x[3];
        snapshot_centre(look, i, x);
        snapshot_velocity(look, i, what.v);
        if (!spread(s, weights, begin, end, x, &what))
            return SCREE_OK;
    }
    return SCREE_OK;
}

// ---- The call ----------------------------------------------------------------------------------------------------

static scree_status check_def(const looked_at* look, const scree_fields_def* def, double* width)
{
    scree_status status = scree_check_struct_size("fields", "scree_default_fields_def", def->struct_size, sizeof *def, sizeof *def);
    if (status == SCREE_OK && scree_kernel_name(def->kernel) == NULL)
        status = scree_fail(SCREE_ERR_ARGUMENT, "fields: kernel %" PRId32 "; expected 0 to %d", def->kernel, SCREE_KERNEL_COUNT - 1);
    *width = !isnan(def->width) ? def->width : look->diameter_mean > 0.0 ? (def->kernel == SCREE_KERNEL_GAUSS ? 0.5 : 1.0) * look->diameter_mean : INFINITY;
    bool cut[3];
    find_cuts(look, def->cells, cut);
    for (int k = 0; k < look->dim && status == SCREE_OK; ++k) {
        if (def->cells[k] < 1 || def->cells[k] > most_cells)
            status = scree_fail(SCREE_ERR_ARGUMENT, "fields: %" PRId32 " cells along %c; expected 1 to %d", def->cells[k], "xyz"[k], most_cells);
        else if (isnan(def->width))
            *width = fmin(*width, 0.25 * look->length[k]);
        else if (!(def->width >= SCREE_LENGTH_MIN) || ((def->cells[k] > 1 || cut[k]) && def->width > look->length[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "fields: width = %g; expected above 0 and at most %g, the length of the box along %c", def->width,
                                look->length[k], "xyz"[k]);
    }
    const scree_sim_contacts* contacts = look->s->contacts;
    if (status == SCREE_OK && look->contacts > 0 && contacts->force != NULL && (contacts->normal == NULL || contacts->overlap == NULL))
        status = scree_fail(SCREE_ERR_ARGUMENT, "fields: the contacts have forces, and %s is NULL; expected an array", contacts->normal == NULL ? "normal" : "overlap");
    return status;
}

// Zeroed arrays of f->count cells.
static scree_status take_room(scree_fields* f)
{
    size_t count = (size_t)f->count;
    f->density = scree_calloc(count, sizeof *f->density);
    f->fraction = scree_calloc(count, sizeof *f->fraction);
    f->momentum = scree_calloc(count, sizeof *f->momentum);
    f->velocity = scree_calloc(count, sizeof *f->velocity);
    f->temperature = scree_calloc(count, sizeof *f->temperature);
    f->kinetic_stress = scree_calloc(count, sizeof *f->kinetic_stress);
    f->contact_stress = scree_calloc(count, sizeof *f->contact_stress);
    return f->density != NULL && f->fraction != NULL && f->momentum != NULL && f->velocity != NULL && f->temperature != NULL && f->kinetic_stress != NULL &&
                   f->contact_stress != NULL
               ? SCREE_OK
               : SCREE_ERR_MEMORY;
}

static scree_status make_room(const looked_at* look, const scree_fields_def* def, scree_fields* f)
{
    f->dim = look->dim;
    f->count = 1;
    for (int k = 0; k < 3; ++k) {
        f->cells[k] = k < look->dim ? def->cells[k] : 1;
        f->lower[k] = k < look->dim ? look->s->box.lower[k] : 0.0;
        f->size[k] = k < look->dim ? look->length[k] / f->cells[k] : 0.0;
        f->count *= f->cells[k];
    }
    return take_room(f);
}

static void find_velocities(scree_fields* f)
{
    for (int64_t c = 0; c < f->count; ++c)
        for (int k = 0; k < 3 && f->density[c] > 0.0; ++k)
            f->velocity[c][k] = f->momentum[c][k] / f->density[c];
}

// Sums become densities.
static void divide(scree_fields* f)
{
    double volume = f->size[0] * f->size[1] * (f->dim == 3 ? f->size[2] : 1.0);
    for (int64_t c = 0; c < f->count; ++c) {
        double trace = 0.0;
        for (int k = 0; k < 3; ++k) {
            trace += f->kinetic_stress[c][k][k];
            f->momentum[c][k] /= volume;
            for (int l = 0; l < 3; ++l) {
                f->kinetic_stress[c][k][l] /= volume;
                f->contact_stress[c][k][l] /= volume;
            }
        }
        f->temperature[c] = f->density[c] > 0.0 ? trace / (f->dim * f->density[c]) : 0.0;
        f->density[c] /= volume;
        f->fraction[c] /= volume;
    }
}

static scree_status fill(spreading* s)
{
    const int32_t planes = s->fields->cells[s->fields->dim - 1], threads = scree_parallel_threads(s->look->s->threads);
    const int32_t parts = threads == 1 ? 1 : chunks_per_thread * threads < most_chunks ? chunks_per_thread * threads : most_chunks;
    s->planes = (planes + parts - 1) / parts;
    int64_t chunks = (planes + s->planes - 1) / s->planes;
    s->room = 1;
    for (int k = 0; k < s->fields->dim; ++k) {
        double most = !s->whole[k] ? 2.0 * s->reach / s->fields->size[k] + 3.0 : 1.0;
        s->room = (int64_t)most > s->room ? (int64_t)most : s->room;
    }
    s->corners = s->fields->dim == 3 ? (s->room + 1) * (s->room + 1) : s->room + 1;
    s->desk = s->kernel == SCREE_KERNEL_GAUSS ? 3 * s->room : s->room + 2 * s->corners;
    s->weights = scree_malloc((size_t)chunks, (size_t)s->desk * sizeof *s->weights);
    if (s->weights == NULL)
        return SCREE_ERR_MEMORY;
    const scree_snapshot* snapshot = s->look->s;
    scree_status status = scree_parallel_for(snapshot->threads, chunks, spread_chunk, s, &snapshot->watch);
    if (status == SCREE_OK) {
        find_velocities(s->fields);
        s->pass = PASS_KINETIC;
        status = scree_parallel_for(snapshot->threads, chunks, spread_chunk, s, &snapshot->watch);
    }
    s->pass = PASS_CONTACTS;
    if (status == SCREE_OK && s->look->contacts > 0 && snapshot->contacts->force != NULL)
        status = scree_parallel_for(snapshot->threads, chunks, spread_chunk, s, &snapshot->watch);
    scree_free(s->weights);
    return status;
}

scree_status scree_measure_fields(const scree_snapshot* snapshot, const scree_fields_def* def, scree_fields* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    SCREE_NEED(def);
    looked_at look;
    double width = 0.0;
    scree_status status = snapshot_check(snapshot, &look);
    if (status == SCREE_OK)
        status = check_def(&look, def, &width);
    if (status != SCREE_OK)
        return status;
    scree_fields found = {.width = width};
    spreading s = {.look = &look, .fields = &found, .kernel = def->kernel, .width = width, .reach = def->kernel == SCREE_KERNEL_GAUSS ? gauss_reach * width : width};
    status = make_room(&look, def, &found);
    find_cuts(&look, found.cells, s.cut);
    for (int k = 0; k < 3; ++k)
        s.whole[k] = found.cells[k] == 1 && !s.cut[k];
    if (status == SCREE_OK)
        status = fill(&s);
    if (status != SCREE_OK) {
        scree_fields_free(&found);
        return status;
    }
    divide(&found);
    *out = found;
    return SCREE_OK;
}

void scree_fields_free(scree_fields* fields)
{
    if (fields == NULL)
        return;
    scree_free(fields->density);
    scree_free(fields->fraction);
    scree_free(fields->momentum);
    scree_free(fields->velocity);
    scree_free(fields->temperature);
    scree_free(fields->kinetic_stress);
    scree_free(fields->contact_stress);
    *fields = (scree_fields){0};
}

// ---- Averages over time ------------------------------------------------------------------------------------------

static double join(double mean, double count, double next)
{
    return (mean * count + next) / (count + 1.0);
}

// The scatter of two parts about their common mean is that about their own means and what is between these: m m' / (m + m') (v - v')^2. No sums of squares that cancel in a fast drift.
static void average_cell(scree_fields* mean, double count, const scree_fields* next, int64_t c)
{
    const double before = mean->density[c] * count, now = next->density[c], weight = before + now > 0.0 ? before * now / (before + now) : 0.0;
    double trace = 0.0;
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
            double between = (mean->velocity[c][k] - next->velocity[c][k]) * (mean->velocity[c][l] - next->velocity[c][l]);
            mean->kinetic_stress[c][k][l] = join(mean->kinetic_stress[c][k][l], count, next->kinetic_stress[c][k][l]) + weight * between / (count + 1.0);
            mean->contact_stress[c][k][l] = join(mean->contact_stress[c][k][l], count, next->contact_stress[c][k][l]);
            trace += k == l ? mean->kinetic_stress[c][k][l] : 0.0;
        }
    mean->density[c] = join(mean->density[c], count, next->density[c]);
    mean->fraction[c] = join(mean->fraction[c], count, next->fraction[c]);
    for (int k = 0; k < 3; ++k) {
        mean->momentum[c][k] = join(mean->momentum[c][k], count, next->momentum[c][k]);
        if (now > 0.0)
            mean->velocity[c][k] = before > 0.0 ? mean->momentum[c][k] / mean->density[c] : next->velocity[c][k];
    }
    mean->temperature[c] = mean->density[c] > 0.0 ? trace / (mean->dim * mean->density[c]) : 0.0;
}

scree_status scree_fields_average(scree_fields* mean, int64_t count, const scree_fields* next)
{
    SCREE_NEED(mean);
    SCREE_NEED(next);
    if (count < 0 || next->density == NULL || next->contact_stress == NULL || next->count < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "average of fields: count = %" PRId64 ", and fields of %" PRId64 " cells; expected 0 or more, and the result of scree_measure_fields", count, next->count);
    if (count == 0) {
        scree_fields made = {.dim = next->dim, .count = next->count};
        memcpy(made.cells, next->cells, sizeof made.cells);
        scree_status status = take_room(&made);
        if (status != SCREE_OK) {
            scree_fields_free(&made);
            return status;
        }
        *mean = made;
    }
    if (mean->dim != next->dim || memcmp(mean->cells, next->cells, sizeof mean->cells) != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "average of fields: %dD with %" PRId32 " %" PRId32 " %" PRId32 " cells, and %dD with %" PRId32 " %" PRId32 " %" PRId32 "; expected the same", mean->dim, mean->cells[0],
                          mean->cells[1], mean->cells[2], next->dim, next->cells[0], next->cells[1], next->cells[2]);
    const double parts = (double)count;
    mean->width = join(mean->width, parts, next->width);
    for (int k = 0; k < 3; ++k) {
        mean->lower[k] = join(mean->lower[k], parts, next->lower[k]);
        mean->size[k] = join(mean->size[k], parts, next->size[k]);
    }
    for (int64_t c = 0; c < next->count; ++c)
        average_cell(mean, parts, next, c);
    return SCREE_OK;
}
