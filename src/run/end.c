// Another end for a run. `until` of a resume, or a scene.yaml in the folder with another time.end or time.steps, continues a run beyond its end, or ends it
// earlier. The folder then has the same content as if the new end had been set from the start: everything that was written only because the run ended at its last
// step is removed. This is the last frame, if no frame is due at that step, its row of the log, report.html and animation.mp4.
//
// A kill at any moment leaves a folder that can be resumed, because of this order:
//
//     scene.yaml gets the new end       from here on every resume uses it; the checkpoint still has the earlier end, so all of this is repeated
//     report and animation are removed
//     the checkpoint is written again   with the numbers of remaining frames and rows; later ones are then handled as after any kill
//     log and frames are cut
//
// The camera of pictures stays: it was chosen for the first end, and differs only if walls move further (frames.c).
#include "run/run_inner.h"

#include "files/system.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

bool run_end_given(const scree_run* run)
{
    return run->def.until > 0.0 || run->def.until_steps > 0;
}

void run_end_set(scree_run* run)
{
    if (!run_end_given(run))
        return;
    run->scene.end = run->def.until;
    run->scene.steps = run->def.until_steps > 0 ? run->def.until_steps : -1;
    scree_scene_condition_free(&run->scene.until);  // the new end stands in its place
}

// At the end itself more is due than at the same step on the way: it must still be ahead, or be the one that was reached.
scree_status run_end_check(const scree_run* run)
{
    int64_t step = run_sim_step(run);
    if (run->steps > step || run->steps == run->kept_steps)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "%s: the run has reached step %" PRId64 ", time %g, and the new end is step %" PRId64 ", time %g; expected a later one", run->folder, step,
                      run_time_of(run, step), run->steps, run_time_of(run, run->steps));
}

// Where the last row of the log begins, which is the one of this step: the file is read from its end, as far as it
// takes.
static scree_status find_last_row(const scree_run* run, int64_t step, int64_t* out)
{
    enum { block = 4096 };
    char text[block + 1];
    int64_t begin = run->log.bytes;
    for (bool found = false; begin > 0 && !found;) {
        int64_t room = begin < block ? begin : block;
        if (pread(fileno(run->log.file), text, (size_t)room, (off_t)(begin - room)) != (ssize_t)room)
            return scree_system_fail(run->folder, "cannot read log.csv", errno);
        int64_t at = begin == run->log.bytes ? room - 1 : room;  // behind the line's own end
        while (at > 0 && text[at - 1] != '\n')
            --at;
        found = at > 0;
        begin -= room - at;
    }
    ssize_t got = pread(fileno(run->log.file), text, block, (off_t)begin);
    text[got > 0 ? got : 0] = '\0';
    if (begin <= 0 || strtoll(text, NULL, 10) != step)
        return scree_fail(SCREE_ERR_FORMAT, "%s/log.csv: its row before byte %" PRId64 " is of another step; expected %" PRId64 ". The file was changed", run->folder, run->log.bytes, step);
    *out = begin;
    return SCREE_OK;
}

// They tell of the earlier end.
static void remove_pages(const scree_run* run)
{
    static const char* const pages[] = {"report.html", "animation.mp4"};
    char path[4096];
    for (size_t k = 0; k < sizeof pages / sizeof *pages; ++k)
        if (run_path(run, path, sizeof path, "%s", pages[k]) == SCREE_OK)
            unlink(path);
}

scree_status run_end_change(scree_run* run)
{
    int64_t step = run_sim_step(run), every = scree_scene_from(&run->scene, run->change - 1)->log_every_steps;
    scree_status status = SCREE_OK;
    if (run->frames > 0 && run_frame_step(run, run->frames - 1) > step)
        --run->frames;
    bool row = (run->frames > 0 && run_frame_step(run, run->frames - 1) == step) || (every > 0 && step % every == 0);
    if (run->last_row == step && !row) {
        status = find_last_row(run, step, &run->log.bytes);
        if (status == SCREE_OK)
            status = run_log_sum(run, run->log.bytes, &run->log.sum);
        run->last_row = -1;
        run->deepest = run->deepest_before;
    }
    if (status != SCREE_OK)
        return status;
    remove_pages(run);
    status = run_keep(run);
    if (status != SCREE_OK)
        return status;
    run_log_close(&run->log);
    status = run_log_resume(run, run->log.bytes, run->log.sum);
    run_folder_cut(run);
    return status == SCREE_OK ? run_frames_list(run) : status;
}
