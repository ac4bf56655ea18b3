// A wide skin lasts for many updates but offers many candidates; a narrow one the other way round. Per update:
//
//     cost(s) = [ search + list + k (copy + candidates(s)) ] / (k + 1),    k(s) = (s / step)^(1 / power) updates per list
//
// What the pieces are is counted: the work of the search, the candidates of the list before, the displacements. `step` is what
// the two fastest spheres move in one update. Spheres that fly move k steps in k updates (power 1); spheres that wander
// move sqrt(k) steps (power 1/2), so that a list lasts much longer than its first update suggests. The power is measured over
// the life of each list. Candidates grow with the shell that the skin adds around a mean sphere, from the number that the last
// list had.
//
// The weights are nanoseconds on one machine (AMD EPYC, 2026), but nothing depends on their unit, and little on their values:
// near its least the cost is flat. The wrong choice costs time, never a pair.
//
// Lists of single spheres have no common life that could be counted: they end one by one. Their skin goes towards the least of the same sum step by step
// (scree_skin_factor): there the work that a wider skin saves is as much as what it adds.
#include "index/skin.h"

#include "scree/neighbours.h"

#include <math.h>

static const double per_sphere_searched = 45.0, per_test = 0.8, per_cell = 1.0, per_found = 2.0;
static const double per_sphere_copied = 9.0, per_candidate = 1.6, per_candidate_made = 18.0;

// What the shell of width s holds, up to a factor: (l + s)^d - l^d, as a sum so that nothing is lost for small s.
static double shell(double l, double s, int dim)
{
    return dim == 2 ? s * (2.0 * l + s) : s * (3.0 * l * (l + s) + s * s);
}

static double candidates(const skin_model* model, const items* it, double l, double s)
{
    double pairs = model->pairs > 0.0 ? model->pairs : 0.0, room = 1.0;
    for (int k = 0; k < it->dim; ++k)
        room *= fmax(it->length[k], l);
    double anywhere = (it->dim == 2 ? 1.6 : 2.1) * it->n * (it->n / room) * shell(l, s, it->dim);
    // Not less than if spheres stood anywhere: of a lattice a narrow skin finds none beside those that touch, and that says nothing about a wide one.
    if (model->candidates > 0.0 && model->skin > 0.0)
        return pairs + fmax(fmax(model->candidates - pairs, 0.0) * shell(l, s, it->dim) / shell(l, model->skin, it->dim), anywhere);
    return pairs + 3.0 * anywhere;  // they stand beside each other, not inside each other
}

double skin_choose(const skin_model* model, const items* it, double mean_r)
{
    double l = 2.0 * mean_r + it->gap;
    l = l > 0.0 ? l : 2.0 * it->r_max;
    if (!(l > 0.0) || it->n < 2)
        return 0.0;
    double step = fmax(model->step, 1e-6 * l), power = model->power > 0.0 ? model->power : 1.0;
    double search = model->work > 0.0 ? model->work : 2.0 * per_sphere_searched * it->n;
    double least = 0.8 * search, best = 0.0;
    for (double s = step; s < 4.0 * l; s *= 1.0905) {  // eight to the octave
        double lasts = fmin(floor(pow(s / step, 1.0 / power)), 1e4);
        double c = candidates(model, it, l, s);
        double cost = (search + c * per_candidate_made + lasts * (it->n * per_sphere_copied + c * per_candidate)) / (lasts + 1.0);
        if (cost < least) {
            least = cost;
            best = s;
        }
    }
    return best;
}

void skin_searched(skin_model* model, const items* it, int64_t tests, int64_t cells, int64_t found)
{
    model->work = it->n * per_sphere_searched + (double)tests * per_test + (double)cells * per_cell + (double)found * per_found;
}

void skin_lasted(skin_model* model, double moved)
{
    ++model->steps;
    if (model->steps == 1)
        model->first = moved;
    model->last = moved;
}

void skin_broke(skin_model* model)
{
    if (model->steps == 0) {
        model->fails = model->fails < 10 ? model->fails + 1 : 10;
        model->wait = INT64_C(1) << model->fails;
    } else {
        model->fails = 0;
    }
    if (model->steps >= 4 && model->first > 0.0) {
        double power = log(model->last / model->first) / log((double)model->steps);
        model->power = fmin(fmax(power, 0.5), 1.0);
    } else {
        model->power = 1.0;
    }
    model->steps = 0;
}

double skin_choose_single(const near_motion* motion, const items* it, double mean_r)
{
    // Making all lists costs as much as a query for each sphere; so wait until as many moves have been seen.
    if (motion->moves < it->n || motion->moves < 16 || !(mean_r > 0.0))
        return 0.0;
    double step = motion->path / (double)motion->moves, d = 2.0 * mean_r;
    // A test costs 1, a refresh some 500; some 30 spheres stand in a shell of one diameter. Moves that all go in one direction reach
    // skin/2 after skin / (2 step) of them, and the sum 30 s/d + 500 (2 step)/s would be least at s^2 = 33 step d. Most wander, and
    // then a list lasts much longer: half that skin was better on all sets of `scree bench methods`.
    double skin = sqrt(8.0 * step * d);
    return fmin(skin, 0.5 * d) > 4.0 * step ? fmin(skin, 0.5 * d) : 0.0;
}

double scree_skin_factor(double saved, double added)
{
    return fmin(fmax(sqrt(saved / added), 0.5), 2.0);
}
