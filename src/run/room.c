// Random sequential addition around existing spheres: the spheres near a region are stored in a grid whose cells are as large as the largest of them, so that a position is
// tested with a few distances. Wrong choice for very wide size distributions: cells then contain many small spheres. An index (scree_index_query) gives the same positions in
// three times the time: it collects all neighbours of a position, and here the first overlap decides.
#include "run/flow.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

enum { cells_most = 64 };  // along an axis

void run_room_open(run_room* room, const scene_space* space, const scree_box* box, double most)
{
    *room = (run_room){.space = space, .box = *box, .most = most};
}

void run_room_close(run_room* room)
{
    scree_free(room->xr);
    scree_free(room->next);
    scree_free(room->first);
    *room = (run_room){0};
}

static int64_t cell_along(const run_room* room, int k, double x)
{
    double at = (x - room->lower[k]) / room->side[k];
    return at > 0.0 ? (int64_t)fmin(at, room->cells[k] - 1.0) : 0;
}

static void put(run_room* room, int64_t i)
{
    int64_t cell = 0;
    for (int k = 0; k < room->space->dim; ++k)
        cell = cell * room->cells[k] + cell_along(room, k, room->xr[i][k]);
    room->next[i] = room->first[cell];
    room->first[cell] = i;
}

// A larger sphere than all before makes larger cells.
static scree_status make_cells(run_room* room, double biggest)
{
    int64_t cells = 1;
    room->biggest = biggest;
    for (int k = 0; k < 3; ++k) {
        double length = k < room->space->dim ? room->space->upper[k] - room->space->lower[k] : 0.0, side = 2.0 * fmax(biggest, room->most);
        room->cells[k] = length > side ? (int32_t)fmin(cells_most, length / side) : 1;
        room->lower[k] = k < room->space->dim ? room->space->lower[k] : 0.0;
        room->side[k] = length > 0.0 ? length / room->cells[k] : 1.0;
        cells *= room->cells[k];
    }
    scree_free(room->first);
    room->first = scree_malloc((size_t)cells, sizeof *room->first);
    if (room->first == NULL)
        return SCREE_ERR_MEMORY;
    memset(room->first, 0xff, (size_t)cells * sizeof *room->first);
    for (int64_t i = 0; i < room->count; ++i)
        put(room, i);
    return SCREE_OK;
}

// Whether it is in the way of anything that lies in the region, or of a flat one reaches out of it.
static bool is_near(const run_room* room, const double x[3], double r)
{
    for (int k = 0; k < room->space->dim; ++k)
        if (x[k] + r < room->space->lower[k] - room->most || x[k] - r > room->space->upper[k] + room->most)
            return false;
    return true;
}

static scree_status add_image(run_room* room, const double x[3], double r)
{
    if (SCREE_RESERVE(room->xr, room->capacity, room->count + 1) != SCREE_OK || SCREE_RESERVE(room->next, room->next_capacity, room->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(room->xr[room->count], x, 3 * sizeof *x);
    room->xr[room->count++][3] = r;
    if (room->first == NULL || r > room->biggest)
        return make_cells(room, fmax(r, room->biggest));
    put(room, room->count - 1);
    return SCREE_OK;
}

// *any: whether it or one of its images is near. `adds`: those that are, are added.
static scree_status visit_images(run_room* room, const double* x, double r, bool adds, bool* any)
{
    int dim = room->space->dim, images[3] = {0, 0, 0};
    const scree_box* box = &room->box;
    double length[3] = {0.0, 0.0, 0.0}, tilt[3] = {box->tilt[0], box->tilt[1], box->tilt[2]}, whole[3] = {0.0, 0.0, 0.0};
    bool tilted = scree_box_is_tilted(box);
    for (int k = 0; k < dim; ++k) {
        images[k] = box->periodic[k] ? 1 : 0;
        length[k] = box->upper[k] - box->lower[k];
    }
    if (tilted) {  // tilts of at most half a box are the same lattice: two boxes along x, and one more along y, then reach all that is next to it
        double turns = dim == 3 ? rint(tilt[2] / length[1]) : 0.0;
        tilt[2] -= turns * length[1];
        tilt[1] -= turns * tilt[0];
        tilt[0] -= rint(tilt[0] / length[0]) * length[0];
        tilt[1] -= rint(tilt[1] / length[0]) * length[0];
        images[0] = images[0] > 0 ? 3 : 0;
        images[1] = images[1] > 0 ? 2 : 0;
    }
    memcpy(whole, x, (size_t)dim * sizeof *x);
    scree_box_wrap_centre(box, whole, NULL);
    scree_status status = SCREE_OK;
    for (int a = -images[0]; a <= images[0]; ++a)
        for (int b = -images[1]; b <= images[1]; ++b)
            for (int c = -images[2]; c <= images[2] && status == SCREE_OK; ++c) {
                const int shift[3] = {a, b, c};
                double at[3] = {0.0, 0.0, 0.0};
                for (int k = 0; k < dim; ++k)
                    at[k] = whole[k] + (shift[k] != 0 ? shift[k] * length[k] : 0.0);
                if (tilted) {
                    at[0] += b * tilt[0] + c * tilt[1];
                    at[1] += c * tilt[2];
                }
                if (!is_near(room, at, r))
                    continue;
                *any = true;
                if (adds)
                    status = add_image(room, at, r);
            }
    return status;
}

scree_status run_room_add(run_room* room, const double* x, double r)
{
    return visit_images(room, x, r, true, &(bool){false});
}

bool run_room_meets(run_room* room, const double* x, double r)
{
    bool any = false;
    (void)visit_images(room, x, r, false, &any);
    return any;
}

bool run_room_is_free(const run_room* room, const double* x, double r)
{
    int dim = room->space->dim;
    int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    if (room->first == NULL)
        return true;
    for (int k = 0; k < dim; ++k) {
        low[k] = cell_along(room, k, x[k] - r - room->biggest);
        high[k] = cell_along(room, k, x[k] + r + room->biggest);
    }
    for (int64_t a = low[0]; a <= high[0]; ++a)
        for (int64_t b = low[1]; b <= high[1]; ++b)
            for (int64_t c = low[2]; c <= high[2]; ++c) {
                int64_t cell = dim == 3 ? (a * room->cells[1] + b) * room->cells[2] + c : a * room->cells[1] + b;
                for (int64_t i = room->first[cell]; i >= 0; i = room->next[i]) {
                    double square = 0.0, sum = room->xr[i][3] + r;
                    for (int k = 0; k < dim; ++k)
                        square += (room->xr[i][k] - x[k]) * (room->xr[i][k] - x[k]);
                    if (square < sum * sum)
                        return false;
                }
            }
    return true;
}
