// unload LIBSCREE LIBSCREE_SHOW: loads the libraries, runs searches and a picture on several threads, unloads them while their threads wait for
// work, and goes on for a moment. A thread that outlived its library would end the process.
#include "scree/index.h"
#include "scree/picture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A function of the library, as the type of `to`.
static void* library;
#define FIND(to, name)                                                                                                 \
    do {                                                                                                               \
        void* found = dlsym(library, name);                                                                            \
        if (found == NULL) {                                                                                           \
            fprintf(stderr, "%s\n", dlerror());                                                                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
        memcpy(&(to), &found, sizeof(to));                                                                             \
    } while (0)

static void load(const char* path)
{
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
}

static void check(bool fine, const char* what)
{
    if (!fine) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

enum { count = 20000 };
static double x[3 * count], r[count];

static void search(void)
{
    size_t (*default_def)(scree_index_def*, size_t);
    scree_status (*create)(const scree_index_def*, scree_index**);
    scree_status (*update)(scree_index*, scree_spheres);
    scree_status (*find)(scree_index*, scree_pairs*);
    void (*destroy)(scree_index*);
    FIND(default_def, "scree_default_index_def_sized");
    FIND(create, "scree_index_create");
    FIND(update, "scree_index_update");
    FIND(find, "scree_index_pairs");
    FIND(destroy, "scree_index_destroy");
    scree_index_def def;
    check(default_def(&def, sizeof def) == sizeof def, "defaults");
    def.threads = 4;
    scree_index* index;
    scree_pairs pairs;
    check(create(&def, &index) == SCREE_OK, "create");
    check(update(index, (scree_spheres){.count = count, .dim = 3, .x = x, .r = r}) == SCREE_OK, "update");
    check(find(index, &pairs) == SCREE_OK && pairs.count == count - 1, "pairs");
    destroy(index);
}

static void draw(void)
{
    size_t (*default_def)(scree_picture_def*, size_t);
    scree_status (*render)(const scree_sphere_set*, const scree_picture_def*, uint8_t*);
    static uint8_t rgba[200 * 200 * 4];
    FIND(default_def, "scree_default_picture_def_sized");
    FIND(render, "scree_picture_render");
    scree_picture_def def;
    check(default_def(&def, sizeof def) == sizeof def, "defaults");
    def.width = def.height = 200;
    def.threads = 4;
    scree_sphere_set set = {.dim = 3, .count = 100, .x = x, .r = r};
    check(render(&set, &def, rgba) == SCREE_OK, "picture");
}

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    for (int i = 0; i < count; ++i) {
        x[3 * i] = i;
        r[i] = 0.6;
    }
    for (int again = 0; again < 3; ++again) {
        load(argv[1]);
        search();
        if (again == 1)
            pause_for(5);  // now the threads sleep
        check(dlclose(library) == 0, "dlclose");
        pause_for(5);
    }

    // Ended by hand: the next search makes new threads, and so does that of a child process.
    void (*shutdown)(void);
    load(argv[1]);
    FIND(shutdown, "scree_shutdown");
    shutdown();
    search();
    shutdown();
    shutdown();
    search();
    pid_t child = fork();
    if (child == 0) {
        search();
        shutdown();
        search();
        dlclose(library);
        _exit(0);
    }
    int status;
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child");
    search();
    check(dlclose(library) == 0, "dlclose");

    load(argv[2]);
    FIND(shutdown, "scree_show_shutdown");
    draw();
    shutdown();
    draw();
    check(dlclose(library) == 0, "dlclose of libscree_show");
    pause_for(20);
    printf("unloaded\n");
    return 0;
}
