// How long a run would take. Some steps, one frame, one picture, one row of the log and one checkpoint are computed and timed; each time is multiplied by how often it occurs in the run.
// Files are written to /dev/null, so nothing remains. The disk and the generation of the spheres are not included.
//
// Where spheres are inserted, the steps are timed again with spheres that lie at rest (run_flow_fill). A sphere falls freely from its region to the mean height of those at rest, and lies from
// then on. While it falls, it costs what a sphere at rest costs without its contact forces. Without gravity it falls all the time. One that falls into an outlet before it meets anything leaves there. When
// others leave cannot be known: the estimate is that they stay, and the least is that they leave as soon as they lie. Each event at which spheres come or go copies all of them: two such events are timed.
//
// Takes less than a second for any scene: steps are timed for at most 0.1 s, and of many spheres only some are written and drawn. A single step is
// not interrupted, so with more than some ten million spheres it takes longer. There may be fewer contacts at the start than later; steps are then faster.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/clock.h"
#include "scene/place.h"
#include "scree/par.h"

#include <math.h>

enum { steps_tried = 1000, steps_filled = 64, spheres_tried = 20000 };
static const double seconds_of_steps = 0.1;

static scree_status time_steps(scree_run* run, int64_t most, double* each)
{
    int64_t tried = 0;
    double begin = scree_clock(), took = 0.0;
    scree_status status = SCREE_OK;
    for (int64_t some = 1; status == SCREE_OK && took < seconds_of_steps && tried < most && tried < run->steps; some *= 2) {
        some = tried + some > run->steps ? run->steps - tried : some;
        status = run_sim_go(run, some);
        tried += some;
        took = scree_clock() - begin;
    }
    *each = tried > 0 ? took / (double)tried : 0.0;
    return status;
}

static double seconds_of(const scree_sim_report* r)
{
    return r->seconds_search + r->seconds_force + r->seconds_integrate + r->seconds_other;
}

// What spheres that come make of the estimate.
typedef struct inserted {
    double share;  // their mean number over the run, with those of the start, over the one that is there now
    double least;  // seconds of a step if outlets let go of all that lie; 0: they do not
    double flow;   // seconds of all events at which spheres come or go
} inserted;

// The time of a step for the mean number of spheres over the run.
static scree_status time_inserted(scree_run* run, double* each, inserted* out)
{
    const double before = run->set.count;
    double filled = 0.0;
    run_filling come;
    scree_sim_report report[2];
    *out = (inserted){.share = 1.0};
    if (run_has_flow(run) && scree_par_get_shared() != NULL) {  // a trial does not insert on ranks
        run_add_note(run, "the estimate does not count the spheres that are inserted: check without ranks for these");
        return SCREE_OK;
    }
    scree_status status = run_flow_fill(run, &come);
    if (status == SCREE_OK && come.made > 0) {
        status = run_sim_go(run, 2);  // with new lists, and in the cache from here on
        if (status == SCREE_OK)
            status = scree_run_measure(run, &report[0]);
        if (status == SCREE_OK)
            status = time_steps(run, steps_filled, &filled);  // little more than a contact lasts: they stay where they are
        if (status == SCREE_OK)
            status = scree_run_measure(run, &report[1]);
        out->share = (before + come.mean) / (before + (double)come.made);
    } else if (before > 0.0) {
        out->share = (before + come.mean) / before;
    }
    if (status == SCREE_OK && come.made > 0) {
        double all = seconds_of(&report[1]) - seconds_of(&report[0]), forces = report[1].seconds_force - report[0].seconds_force;
        double lie = fmax(filled - *each, 0.0) / (double)come.made, fly = all > 0.0 ? lie * fmin(fmax(1.0 - forces / all, 0.0), 1.0) : lie;
        out->least = come.least < come.mean ? *each + fly * come.least : 0.0;
        *each += lie * come.lie + fly * (come.mean - come.lie);
    } else {
        *each *= before > 0.0 ? (before + come.mean) / before : 1.0;
    }
    if (status == SCREE_OK)
        out->flow = out->share * (come.changes * come.change + fmax(come.events - come.changes, 0.0) * come.look);
    return status;
}

// Frames rise with their number: the first that is not there is found by halving.
static int64_t count_frames(const scree_run* run)
{
    int64_t has = 0, none = 1;
    while (run_frame_step(run, none) >= 0 && none < INT64_MAX / 4) {
        has = none;
        none *= 2;
    }
    while (none - has > 1) {
        int64_t middle = has + (none - has) / 2;
        if (run_frame_step(run, middle) >= 0)
            has = middle;
        else
            none = middle;
    }
    return has + 1;
}

// One frame without its picture. The contacts of all spheres are found, but of many spheres only some written.
static scree_status time_frame(scree_run* run, int64_t frames, double* each)
{
    bool pictures = run->scene.pictures, animation = run->scene.animation;
    int32_t count = run->set.count;
    double begin = scree_clock(), found = begin;
    scree_status status = run_has_bodies(run) ? SCREE_OK : run_frame_fill(run);
    found = scree_clock() - begin;
    run->scene.pictures = run->scene.animation = false;
    run->set.count = count < spheres_tried ? count : spheres_tried;
    run->frames = frames / 2;  // frames.pvd lists all that there are: half of them on average
    begin = scree_clock();
    if (status == SCREE_OK)
        status = run_frame_write(run);
    double took = scree_clock() - begin, share = run->set.count > 0 ? (double)count / run->set.count : 1.0;
    *each = share > 1.0 ? found + fmax(took - found, 0.0) * share : took;
    run->set.count = count;
    run->frames = 0;
    run->scene.pictures = pictures;
    run->scene.animation = animation;
    return status;
}

// Of many spheres two numbers of them are drawn, for what each more takes.
static scree_status time_picture(scree_run* run, double* each)
{
    int32_t count = run->set.count, few = count < spheres_tried ? count : spheres_tried;
    double took[2] = {0.0, 0.0};
    scree_status status = SCREE_OK;
    for (int part = few < count ? 1 : 0; part >= 0 && status == SCREE_OK; --part) {
        run->set.count = part == 1 ? few / 2 : few;
        double begin = scree_clock();
        status = run_frame_draw(run);
        took[part] = scree_clock() - begin;
    }
    run->set.count = count;
    *each = took[0];
    if (few < count)
        *each += (double)(count - few) * fmax(took[0] - took[1], 0.0) / (0.5 * few);
    return status;
}

static scree_status time_checkpoint(scree_run* run, double* each)
{
    scree_checkpoint saved = {0};
    double begin = scree_clock();
    scree_status status = run_sim_take(run, &saved);
    if (status == SCREE_OK)
        status = scree_write_checkpoint("/dev/null", &saved);
    *each = scree_clock() - begin;
    scree_checkpoint_free(&saved);
    return status;
}

static scree_status estimate(scree_run* run, scree_run_costs* out)
{
    const scree_scene* scene = &run->scene;
    scree_sim_report report;
    inserted come = {.share = 1.0};
    double step = 0.0, frame = 0.0, picture = 0.0, row = 0.0, checkpoint = 0.0;
    scree_run_costs costs = {.frames = count_frames(run)};
    scree_status status = time_steps(run, steps_tried, &step);
    if (status == SCREE_OK && run->flow != NULL && scene->insert_count > 0)
        status = time_inserted(run, &step, &come);
    if (status == SCREE_OK)
        status = time_frame(run, costs.frames, &frame);
    if (status == SCREE_OK && (scene->pictures || scene->animation))
        status = time_picture(run, &picture);
    double begin = scree_clock();
    if (status == SCREE_OK)
        status = scree_run_measure(run, &report);
    row = scree_clock() - begin;
    if (status == SCREE_OK)
        status = time_checkpoint(run, &checkpoint);
    if (status != SCREE_OK)
        return status;
    double steps = (double)run->steps, frames = (double)costs.frames;
    double rows = frames + (scene->log_every_steps > 0 ? steps / (double)scene->log_every_steps : 0.0);
    costs.seconds_steps = step * steps;
    costs.seconds_frames = come.share * frame * frames;
    costs.seconds_pictures = come.share * picture * frames;
    checkpoint *= come.share;
    costs.seconds_other = come.share * row * rows + 2.0 * checkpoint + come.flow;
    double before = costs.seconds_steps + costs.seconds_frames + costs.seconds_pictures + costs.seconds_other;
    costs.seconds_other += checkpoint * (scene->checkpoint_steps > 0 ? steps / (double)scene->checkpoint_steps : before / scene->checkpoint_seconds);
    costs.seconds_estimated = costs.seconds_steps + costs.seconds_frames + costs.seconds_pictures + costs.seconds_other;
    costs.seconds_min = costs.seconds_estimated - (come.least > 0.0 ? (step - come.least) * steps : 0.0);
    *out = costs;
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_run_costs, scree_run_estimate, (scree_run* run, scree_run_costs* out), (run, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(run);
    if (run->folder != NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "run: this run has the folder %s; expected a trial, which has none, for an estimate of times", run->folder);
    scree_status status = run_check_drawing(run, &run->scene);
    return status == SCREE_OK ? estimate(run, out) : status;
}
