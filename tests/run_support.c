#include "run_support.h"

#include <signal.h>
#include <sys/wait.h>

scree_scene scene_of(const char* text)
{
    scree_scene scene;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
    return scene;
}

scree_sphere_set frame_of(const char* run, int frame)
{
    char name[128];
    scree_sphere_set set;
    snprintf(name, sizeof name, "%s/frames/frame_%06d.csv", run, frame);
    CHECK_OK(scree_read_spheres(in_folder(name), NULL, &set));
    return set;
}

void check_same_file(const char* name, const char* run, const char* other)
{
    char path[256];
    size_t sizes[2];
    snprintf(path, sizeof path, "%s/%s", run, name);
    char* one = get_file(in_folder(path), &sizes[0]);
    snprintf(path, sizeof path, "%s/%s", other, name);
    char* two = get_file(in_folder(path), &sizes[1]);
    if (sizes[0] != sizes[1] || memcmp(one, two, sizes[0]) != 0)
        fail_msg("%s of %s and of %s differ", name, run, other);
    free(one);
    free(two);
}

static bool die_on_the_way(void* context, const scree_run_progress* progress)
{
    if (progress->step >= *(const int64_t*)context)
        raise(SIGKILL);
    return true;
}

void run_until_killed(const scree_scene* scene, const char* run, int64_t step)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        scree_run_def def = scree_default_run_def();
        scree_run* own;
        def.tell = die_on_the_way;
        def.context = &step;
        def.threads = 1;
        if (scree_run_create(&def, scene, in_folder(run), &own) == SCREE_OK)
            (void)scree_run_go(own);
        _exit(1);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
}
