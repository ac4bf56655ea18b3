// Short scenes, and what the folder of a run holds.
#ifndef SCREE_TESTS_RUN_FOLDER_SUPPORT_H
#define SCREE_TESTS_RUN_FOLDER_SUPPORT_H

#include "file_support.h"

#include "files/checkpoint_layout.h"
#include "run/run_inner.h"
#include "scree/checkpoint.h"
#include "scree/report.h"

#include <sys/stat.h>
#include <unistd.h>

// ---- Scenes and folders ----------------------------------------------------------------------------------------------------

static inline scree_scene scene_of(const char* text)
{
    scree_scene scene;
    CHECK_OK(scene_parse("test.yaml", text, strlen(text), &scene));
    return scene;
}

// All names below a folder, and the bytes of all files but checkpoints, folded into one number. Of the log, all but the work: rebuilds and seconds.
static inline uint64_t fold(uint64_t h, const void* bytes, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        h = (h ^ ((const unsigned char*)bytes)[k]) * 1099511628211u;
    return h;
}

static inline uint64_t fold_log(const char* text)
{
    uint64_t h = 1469598103934665603u;
    bool work[128] = {false};
    int row = 0, field = 0;
    for (const char* at = text; *at != '\0';) {
        size_t length = strcspn(at, ",\n");
        assert_true(field < 128);
        if (row == 0)
            work[field] = strncmp(at, "rebuilds", 8) == 0 || strncmp(at, "seconds", 7) == 0;
        if (!work[field])
            h = fold(h, at, length + 1);
        ++field;
        if (at[length] == '\n') {
            ++row;
            field = 0;
        }
        at += length + (at[length] != '\0');
    }
    return h;
}

static inline uint64_t content_of(const char* path)
{
    uint64_t sum = 0;  // a sum, because the order of entries is the system's
    DIR* directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        char inner[1024];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || strncmp(entry->d_name, "checkpoint_", 11) == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        assert_int_equal(stat(inner, &about), 0);
        uint64_t h = fold(1469598103934665603u, entry->d_name, strlen(entry->d_name));
        if (S_ISDIR(about.st_mode)) {
            h ^= content_of(inner);
        } else {
            size_t size;
            char* bytes = get_file(inner, &size);
            h = strcmp(entry->d_name, "log.csv") == 0 ? h ^ fold_log(bytes) : fold(h, bytes, size);
            free(bytes);
        }
        sum += h * 0x9e3779b97f4a7c15u;
    }
    closedir(directory);
    return sum;
}

static inline int count_in(const char* path, const char* begin)
{
    int count = 0;
    DIR* directory = opendir(path);
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        count += strncmp(entry->d_name, begin, strlen(begin)) == 0;
    if (directory != NULL)
        closedir(directory);
    return count;
}

static inline bool is_there(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

// The whole run in one go; its hash.
static inline uint64_t run_through(const scree_run_def* def, const scree_scene* scene, const char* path)
{
    scree_run* run;
    CHECK_OK(scree_run_create(def, scene, path, &run));
    CHECK_OK(scree_run_go(run));
    assert_int_equal(scree_sim_get_step(scree_run_get_sim(run)), scree_run_get_steps(run));
    uint64_t hash = scree_sim_hash(scree_run_get_sim(run));
    scree_run_destroy(run);
    return hash;
}

static inline uint64_t resume_through(const scree_run_def* def, const char* path)
{
    scree_run* run;
    CHECK_OK(scree_run_resume(def, path, &run));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_sim_hash(scree_run_get_sim(run));
    scree_run_destroy(run);
    return hash;
}

// ---- Going on --------------------------------------------------------------------------------------------------------------------

// Stops a run at exactly this step, if it has a row of the log at each step.
typedef struct stopper {
    scree_run* run;
    int64_t at;
} stopper;

static inline bool stop_when(void* context, const scree_run_progress* progress)
{
    stopper* s = context;
    assert_non_null(progress->doing);
    assert_true(progress->step <= progress->steps);
    if (s->run == NULL)
        return true;
    return progress->step < s->at;
}

static inline void go_until(scree_run* run, stopper* s, int64_t step)
{
    *s = (stopper){.run = run, .at = step};
    if (step < scree_run_get_steps(run))
        CHECK_FAILS(scree_run_go(run), SCREE_ERR_CANCELLED);
    else
        CHECK_OK(scree_run_go(run));
    assert_int_equal(scree_sim_get_step(scree_run_get_sim(run)), step);
}

#endif
