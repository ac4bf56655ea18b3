// The folder of a run: made once, rejected if it holds something, cleaned of an earlier run only when that was asked for
// and only of files that such a run writes.
//
// An earlier run is not removed before the new one has its first checkpoint. Until then it is set aside, inside the
// folder:
//
//     .scree-earlier-part    its files are on their way there, or back; nothing of the new run is there yet
//     .scree-earlier         all of them are there; the new run is writing its first files
//     .scree-earlier-gone    the new run stands; they are being removed
//
// so that a beginning that fails or is killed, at any moment, loses neither: run_folder_recover sees by the name what
// to do. One run at a time works in a folder: it holds a lock on it, which ends with the process.
//
// A run's folder may have come from somebody else, so no link inside of it is followed, neither for writing nor for reading: run_path
// gives no path that leads over one, and what is opened is opened without following.
#include "run/run_inner.h"

#include "files/system.h"
#include "scene/place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char part[] = ".scree-earlier-part", aside[] = ".scree-earlier", leaving[] = ".scree-earlier-gone";

// Whether every part of the path behind its first `length` bytes is a folder, and the last a folder or a regular file, as far as they are
// there.
static scree_status check_parts(char* path, size_t length)
{
    for (char* end = path + length; *end != '\0';) {
        struct stat what;
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char cut = *end;
        *end = '\0';
        bool there = lstat(path, &what) == 0, right = there && (S_ISDIR(what.st_mode) || (cut == '\0' && S_ISREG(what.st_mode)));
        if (there && !right)
            return scree_fail(SCREE_ERR_IO, "%s: this is %s; expected regular files and folders only in the folder of a run", path,
                              S_ISLNK(what.st_mode) ? "a link" : "not a regular file");
        *end = cut;
        if (!there)
            break;
    }
    return SCREE_OK;
}

scree_status run_path(const scree_run* run, char* path, size_t room, const char* format, ...)
{
    if (run->folder == NULL)  // a trial leaves nothing
        return snprintf(path, room, "/dev/null") > 0 ? SCREE_OK : SCREE_ERR_ARGUMENT;
    int length = snprintf(path, room, "%s/", run->folder);
    if (length > 0 && (size_t)length < room) {
        va_list arguments;
        va_start(arguments, format);
        int more = vsnprintf(path + length, room - (size_t)length, format, arguments);
        va_end(arguments);
        if (more >= 0 && (size_t)more < room - (size_t)length)
            return check_parts(path, (size_t)length);
    }
    return scree_fail(SCREE_ERR_ARGUMENT, "%.200s...: the name of this folder is too long; expected a shorter one", run->folder);
}

// DIR/inside/sub/name; any of the three may be "".
static scree_status join(const scree_run* run, char path[4096], const char* inside, const char* sub, const char* name)
{
    return run_path(run, path, 4096, "%s%s%s%s%s", inside,
                    inside[0] != '\0' && (sub[0] != '\0' || name[0] != '\0') ? "/" : "", sub,
                    sub[0] != '\0' && name[0] != '\0' ? "/" : "", name);
}

// ---- What is whose ------------------------------------------------------------------------------------------------

static const char* const subs[] = {"frames", "contacts", "bonds", "surfaces", "pictures"};
enum { sub_count = sizeof subs / sizeof *subs };

// `name` is `before`, at least so many digits, '.', and one of the endings (with blanks between them).
static bool is_numbered(const char* name, size_t length, const char* before, size_t least, const char* endings)
{
    size_t at = strlen(before), digits = 0;
    if (length < at || memcmp(name, before, at) != 0)
        return false;
    while (at + digits < length && isdigit((unsigned char)name[at + digits]))
        ++digits;
    at += digits;
    if (digits < least || at >= length || name[at++] != '.')
        return false;
    for (const char* e = endings; *e != '\0'; e += strspn(e, " ")) {
        size_t n = strcspn(e, " ");
        if (length - at == n && memcmp(name + at, e, n) == 0)
            return true;
        e += n;
    }
    return false;
}

// frame_000001.p0002.vtp: one of the pieces of a frame.
static bool is_piece(const char* name, size_t length)
{
    const char* dot = memchr(name, '.', length);
    size_t head = dot != NULL ? (size_t)(dot - name) : length;
    char whole[64];
    if (head + 5 > sizeof whole || head >= length || dot[1] != 'p' || !is_numbered(dot + 1, length - head - 1, "p", 4, "vtp"))
        return false;
    snprintf(whole, sizeof whole, "%.*s.vtp", (int)head, name);
    return is_numbered(whole, head + 4, "frame_", 6, "vtp");
}

static bool is_text(const char* name, size_t length, const char* text)
{
    return length == strlen(text) && memcmp(name, text, length) == 0;
}

#define CHECKPOINT_ENDINGS "npz h5"  // h5: of scree 0.1; a resume says what to do with these, and --force replaces them too

// Files that a run writes, by where they are; sub "" is the folder itself.
static bool is_whole(const char* sub, const char* name, size_t length)
{
    if (sub[0] == '\0')
        return is_text(name, length, "scene.yaml") || is_text(name, length, "log.csv") ||
               is_text(name, length, "frames.pvd") || is_text(name, length, "contacts.pvd") || is_text(name, length, "bonds.pvd") || is_text(name, length, "surfaces.pvd") || is_text(name, length, "broken.csv") ||
               is_text(name, length, "animation.mp4") || is_text(name, length, "report.html") ||
               is_numbered(name, length, "checkpoint_", 12, CHECKPOINT_ENDINGS);
    return (strcmp(sub, "frames") == 0 && (is_numbered(name, length, "frame_", 6, "vtp pvtp xyz csv lmp npy npy.box") || is_piece(name, length))) ||
           (strcmp(sub, "contacts") == 0 && is_numbered(name, length, "contacts_", 6, "csv vtp")) ||
           (strcmp(sub, "bonds") == 0 && is_numbered(name, length, "bonds_", 6, "csv vtp")) ||
           (strcmp(sub, "surfaces") == 0 && is_numbered(name, length, "surfaces_", 6, "vtp")) ||
           (strcmp(sub, "pictures") == 0 && is_numbered(name, length, "picture_", 6, "png"));
}

// What a writing that was killed has left behind: .NAME.PID.N.tmp, with the name of one of ours.
static bool is_left(const char* sub, const char* name)
{
    size_t length = strlen(name);
    if (name[0] != '.' || length < 6 || strcmp(name + length - 4, ".tmp") != 0)
        return false;
    length -= 4;
    for (int numbers = 0; numbers < 2; ++numbers) {
        size_t digits = 0;
        while (length > 1 && isdigit((unsigned char)name[length - 1]))
            --length, ++digits;
        if (digits == 0 || length < 3 || name[--length] != '.')
            return false;
    }
    return is_whole(sub, name + 1, length - 1);
}

static bool is_ours(const char* sub, const char* name)
{
    return is_whole(sub, name, strlen(name)) || is_left(sub, name);
}

// ---- Going through it ---------------------------------------------------------------------------------------------

// Calls `with` for all entries of DIR/inside/sub (either may be "") that it wants, until it says false. A folder that
// cannot be read has none.
typedef bool each_file(const scree_run* run, void* context, const char* sub, const char* name);

static void each(const scree_run* run, const char* inside, const char* sub, each_file* with, void* context)
{
    char path[4096];
    DIR* folder = join(run, path, inside, sub, "") == SCREE_OK ? scree_open_folder(path, O_NOFOLLOW) : NULL;
    if (folder == NULL)
        return;
    bool on = true;
    for (struct dirent* entry = readdir(folder); entry != NULL && on; entry = readdir(folder))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            on = with(run, context, sub, entry->d_name);
    closedir(folder);
}

typedef struct removal {
    const char* inside;
    int64_t removed;
} removal;

static bool remove_ours(const scree_run* run, void* context, const char* sub, const char* name)
{
    removal* r = context;
    char path[4096];
    if (is_ours(sub, name) && join(run, path, r->inside, sub, name) == SCREE_OK)
        r->removed += unlink(path) == 0;
    return true;
}

// As move_each.
static void remove_each(const scree_run* run, const char* inside, const char* sub)
{
    removal r = {.inside = inside, .removed = 1};
    while (r.removed > 0) {
        r.removed = 0;
        each(run, inside, sub, remove_ours, &r);
    }
}

static bool remove_left(const scree_run* run, void* context, const char* sub, const char* name)
{
    char path[4096];
    (void)context;
    if (is_left(sub, name) && join(run, path, "", sub, name) == SCREE_OK)
        unlink(path);
    return true;
}

// Removes what a run wrote; what else is there stays. Best effort: a file that is left is found later, when it is in
// the way.
static void clean(const scree_run* run, const char* inside)
{
    char path[4096];
    for (int s = 0; s < sub_count; ++s) {
        remove_each(run, inside, subs[s]);
        if (join(run, path, inside, subs[s], "") == SCREE_OK)
            rmdir(path);
    }
    remove_each(run, inside, "");
    if (inside[0] != '\0' && run_path(run, path, sizeof path, "%s", inside) == SCREE_OK)
        rmdir(path);
}

void run_folder_tidy(const scree_run* run)
{
    for (int s = 0; s < sub_count; ++s)
        each(run, "", subs[s], remove_left, NULL);
    each(run, "", "", remove_left, NULL);
}

// Files of frames that come later.
static bool remove_later(const scree_run* run, void* context, const char* sub, const char* name)
{
    char path[4096];
    (void)context;
    bool later = is_whole(sub, name, strlen(name)) && strtoll(strchr(name, '_') + 1, NULL, 10) >= run->frames;
    if (later && join(run, path, "", sub, name) == SCREE_OK)
        unlink(path);
    return true;
}

void run_folder_cut(const scree_run* run)
{
    for (int s = 0; s < sub_count; ++s)
        each(run, "", subs[s], remove_later, NULL);
}

// ---- An earlier run -----------------------------------------------------------------------------------------------

typedef struct moving {
    const char *from, *to;
    scree_status status;
    int64_t moved;
} moving;

static bool move_ours(const scree_run* run, void* context, const char* sub, const char* name)
{
    moving* m = context;
    char from[4096], to[4096];
    if (!is_ours(sub, name))
        return true;
    m->status = join(run, from, m->from, sub, name);
    if (m->status == SCREE_OK)
        m->status = join(run, to, m->to, sub, name);
    if (m->status == SCREE_OK && rename(from, to) != 0)
        m->status = scree_system_fail(from, "cannot move", errno);
    m->moved += m->status == SCREE_OK;
    return m->status == SCREE_OK;
}

// A folder that changes while it is read may hide some of its entries: until there are none left.
static void move_each(const scree_run* run, const char* sub, moving* m)
{
    do {
        m->moved = 0;
        each(run, m->from, sub, move_ours, m);
    } while (m->moved > 0 && m->status == SCREE_OK);
}

static scree_status make_folder(const scree_run* run, const char* inside, const char* sub)
{
    char path[4096];
    scree_status status = join(run, path, inside, sub, "");
    if (status == SCREE_OK && mkdir(path, 0777) != 0 && errno != EEXIST)
        status = scree_system_fail(path, "cannot create the folder", errno);
    return status;
}

// Everything of a run from one folder inside to another.
static scree_status move(const scree_run* run, const char* from, const char* to)
{
    moving m = {.from = from, .to = to, .status = make_folder(run, to, "")};
    for (int s = 0; s < sub_count && m.status == SCREE_OK; ++s) {
        char path[4096];
        struct stat what;
        m.status = join(run, path, from, subs[s], "");
        if (m.status != SCREE_OK || stat(path, &what) != 0 || !S_ISDIR(what.st_mode))
            continue;
        m.status = make_folder(run, to, subs[s]);
        if (m.status == SCREE_OK)
            move_each(run, subs[s], &m);
        rmdir(path);
    }
    if (m.status == SCREE_OK)
        move_each(run, "", &m);
    return m.status;
}

static scree_status rename_inside(const scree_run* run, const char* from, const char* to)
{
    char a[4096], b[4096];
    scree_status status = run_path(run, a, sizeof a, "%s", from);
    if (status == SCREE_OK)
        status = run_path(run, b, sizeof b, "%s", to);
    if (status == SCREE_OK && rename(a, b) != 0)
        status = scree_system_fail(a, "cannot rename", errno);
    return status;
}

static bool is_there(const scree_run* run, const char* name)
{
    char path[4096];
    struct stat what;
    return run_path(run, path, sizeof path, "%s", name) == SCREE_OK && stat(path, &what) == 0;
}

static bool is_checkpoint(const scree_run* run, void* context, const char* sub, const char* name)
{
    (void)run;
    (void)sub;
    *(bool*)context = is_numbered(name, strlen(name), "checkpoint_", 12, CHECKPOINT_ENDINGS);
    return !*(bool*)context;
}

static bool has_checkpoint(const scree_run* run)
{
    bool any = false;
    each(run, "", "", is_checkpoint, &any);
    return any;
}

static scree_status put_back(const scree_run* run)
{
    scree_status status = SCREE_OK;
    char path[4096];
    if (is_there(run, aside)) {
        clean(run, "");
        status = rename_inside(run, aside, part);
    }
    if (status == SCREE_OK && is_there(run, part))
        status = move(run, part, "");
    if (status == SCREE_OK && run_path(run, path, sizeof path, "%s", part) == SCREE_OK)
        rmdir(path);
    return status;
}

scree_status run_folder_recover(const scree_run* run)
{
    if (is_there(run, leaving))
        clean(run, leaving);
    if (is_there(run, aside) && has_checkpoint(run))
        return run_folder_settle(run);
    return is_there(run, aside) || is_there(run, part) ? put_back(run) : SCREE_OK;
}

scree_status run_folder_settle(const scree_run* run)
{
    if (!is_there(run, aside))
        return SCREE_OK;
    scree_status status = rename_inside(run, aside, leaving);
    if (status == SCREE_OK)
        clean(run, leaving);
    return status;
}

// ---- Making it ----------------------------------------------------------------------------------------------------

static bool first_name(const scree_run* run, void* context, const char* sub, const char* name)
{
    (void)run;
    (void)sub;
    snprintf(context, 256, "%s", name);
    return false;
}

static bool first_ours(const scree_run* run, void* context, const char* sub, const char* name)
{
    (void)run;
    if (is_ours(sub, name))
        snprintf(context, 256, "%s", name);
    return !is_ours(sub, name);
}

// Whether the log is one that a run has begun: it is the first file of a run, so it is there when a beginning was
// killed.
static bool has_log(const scree_run* run)
{
    char path[4096], begin[32] = "";
    FILE* file = run_path(run, path, sizeof path, "log.csv") == SCREE_OK ? scree_open_stream(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0) : NULL;
    if (file == NULL)
        return false;
    size_t length = fread(begin, 1, sizeof begin - 1, file);
    fclose(file);
    return strncmp(begin, "step,time,energy_kinetic", length < 24 ? length : 24) == 0;
}

typedef struct searched {
    struct stat what;
    bool found;
} searched;

// Stops at the first file of the run that is not a regular file. Checkpoints are left out: if the newest one is not regular, the one before it is used (checkpoints.c).
static bool look_at_kind(const scree_run* run, void* context, const char* sub, const char* name)
{
    char path[4096];
    scree_status* status = context;
    *status = is_ours(sub, name) && !is_numbered(name, strlen(name), "checkpoint_", 12, CHECKPOINT_ENDINGS) ? join(run, path, "", sub, name) : SCREE_OK;
    return *status == SCREE_OK;
}

scree_status run_folder_check_kinds(const scree_run* run)
{
    scree_status status = SCREE_OK;
    each(run, "", "", look_at_kind, &status);
    for (int s = 0; s < sub_count && status == SCREE_OK; ++s)
        each(run, "", subs[s], look_at_kind, &status);
    return status;
}

static bool is_it(const scree_run* run, void* context, const char* sub, const char* name)
{
    searched* s = context;
    char path[4096];
    struct stat this;
    s->found = is_ours(sub, name) && join(run, path, "", sub, name) == SCREE_OK && stat(path, &this) == 0 &&
               this.st_dev == s->what.st_dev && this.st_ino == s->what.st_ino;
    return !s->found;
}

// A file that the scene names must not be one of those that would be removed.
static scree_status check_source(const scree_run* run, const char* source)
{
    searched s = {.found = false};
    if (source == NULL || stat(source, &s.what) != 0)
        return SCREE_OK;
    each(run, "", "", is_it, &s);
    for (int k = 0; k < sub_count && !s.found; ++k)
        each(run, "", subs[k], is_it, &s);
    return s.found ? scree_fail(SCREE_ERR_ARGUMENT,
                                "%s: the scene names this file, which belongs to the earlier run that is to be replaced; expected another folder",
                                source)
                   : SCREE_OK;
}

// Of a size distribution: that of table:FILE.csv.
static scree_status check_sizes(const scree_run* run, const char* sizes)
{
    return sizes != NULL && strncmp(sizes, "table:", 6) == 0 ? check_source(run, sizes + 6) : SCREE_OK;
}

static scree_status check_tables(const scree_run* run, const scree_scene_load* loads, int32_t count)
{
    scree_status status = SCREE_OK;
    for (int32_t n = 0; n < count && status == SCREE_OK; ++n)
        status = check_source(run, loads[n].file_path);
    return status;
}

static scree_status check_sources(const scree_run* run, const scree_scene* scene)
{
    scree_status status = check_tables(run, scene->loads, scene->load_count);
    for (int64_t c = 0; c < scene->change_count && status == SCREE_OK; ++c)
        status = check_tables(run, scene->changes[c].loads, scene->changes[c].load_count);
    for (int64_t n = 0; n < scree_scene_group_count(scene) && status == SCREE_OK; ++n) {
        scree_scene_group group = scree_scene_get_entry(scene, n);
        status = check_source(run, group.file_path);
        if (status == SCREE_OK)
            status = check_source(run, group.region.mesh_path);
        if (status == SCREE_OK)
            status = check_sizes(run, group.sizes_text);
    }
    for (int64_t n = 0; n < scene->body_count && status == SCREE_OK; ++n) {
        status = check_source(run, scene->bodies[n].file_path);
        if (status == SCREE_OK)
            status = check_sizes(run, scene->bodies[n].sizes_text);
    }
    for (int64_t n = 0; n < scene->insert_count && status == SCREE_OK; ++n)
        status = check_source(run, scene->inserts[n].region.mesh_path);
    for (int64_t n = 0; n < scene->outlet_count && status == SCREE_OK; ++n)
        status = check_source(run, scene->outlets[n].region.mesh_path);
    for (int64_t n = 0; n < scene->bond_count && status == SCREE_OK; ++n)
        status = check_source(run, scene->bonds[n].file_path);
    for (int64_t n = 0; n < scene->surface_count && status == SCREE_OK; ++n)
        status = check_source(run, scene->surfaces[n].mesh_path);
    return status;
}

// Nor may the run from which this one begins be in the folder, or be it: from there upwards, to the root, no folder is the one of the new run.
static scree_status check_start(const scree_run* run, const scree_scene* scene)
{
    char path[4096];
    struct stat here, above, before = {0};
    size_t start = scene->start_path != NULL ? strlen(scene->start_path) : sizeof path, length = start;
    if (length + 1 > sizeof path || stat(run->folder, &here) != 0)
        return SCREE_OK;
    for (memcpy(path, scene->start_path, length + 1); stat(path, &above) == 0; before = above) {
        if (above.st_dev == here.st_dev && above.st_ino == here.st_ino)
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "start.run", -1, "%s %s the folder of the new run, %s; expected another folder for the new run",
                                       scene->start_path, length == start ? "is also" : "lies in", run->folder);
        if ((above.st_dev == before.st_dev && above.st_ino == before.st_ino) || length + 4 > sizeof path)
            break;
        memcpy(path + length, "/..", 4);
        length += 3;
    }
    return SCREE_OK;
}

static scree_status look_inside(const scree_run* run, const scree_scene* scene)
{
    char other[256] = "", ours[256] = "";
    each(run, "", "", first_name, other);
    if (other[0] == '\0')
        return SCREE_OK;
    if (!run->def.force)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: this folder is not empty (it holds %s); expected another folder, a resume of the run there, or a new run with force",
                          run->folder, other);
    if (has_checkpoint(run) || is_there(run, aside) || is_there(run, part) || has_log(run))
        return check_sources(run, scene);
    each(run, "", "", first_ours, ours);
    for (int s = 0; s < sub_count; ++s)
        each(run, "", subs[s], first_ours, ours);
    return ours[0] == '\0' ? SCREE_OK
                           : scree_fail(SCREE_ERR_ARGUMENT,
                                        "%s: this folder holds %s but no checkpoint, so it is not an earlier run and "
                                        "is not replaced; expected another folder",
                                        run->folder, ours);
}

static void find_parent(const scree_run* run, char parent[4096])
{
    const char* slash = strrchr(run->folder, '/');
    if (slash == NULL)
        snprintf(parent, 4096, ".");
    else
        snprintf(parent, 4096, "%.*s", slash > run->folder ? (int)(slash - run->folder) : 1, run->folder);
}

// The name of a new folder is on the disk when its parent is; a system that rejects this does it in its own time.
static void sync_parent(const scree_run* run)
{
    char parent[4096];
    find_parent(run, parent);
    int fd = scree_open(parent, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

scree_status run_folder_look(const scree_run* run, const scree_scene* scene)
{
    struct stat what;
    if (stat(run->folder, &what) == 0) {
        if (!S_ISDIR(what.st_mode))
            return scree_system_fail(run->folder, "cannot create the folder of the run", ENOTDIR);
        if (access(run->folder, R_OK | W_OK | X_OK) != 0)
            return scree_system_fail(run->folder, "cannot write the run into this folder", errno);
        scree_status status = check_start(run, scene);
        return status == SCREE_OK ? look_inside(run, scene) : status;
    }
    if (errno != ENOENT)
        return scree_system_fail(run->folder, "cannot create the folder of the run", errno);
    char parent[4096];
    find_parent(run, parent);
    if (access(parent, W_OK | X_OK) != 0)
        return scree_system_fail(run->folder, "cannot create the folder of the run", errno);
    return SCREE_OK;
}

scree_status run_folder_lock(scree_run* run)
{
    run->lock = scree_open(run->folder, O_RDONLY | O_DIRECTORY, 0);
    if (run->lock < 0)
        return scree_system_fail(run->folder, "cannot read the folder", errno);
    // File systems without locks do not stop a run.
    if (flock(run->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: another process is running in this folder; expected its end, or another folder", run->folder);
    return SCREE_OK;
}

scree_status run_folder_check(const scree_run* run)
{
    struct stat held, there;
    if (run->lock < 0 || fstat(run->lock, &held) != 0)
        return SCREE_OK;
    if (stat(run->folder, &there) == 0 && there.st_dev == held.st_dev && there.st_ino == held.st_ino)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_IO, "%s: the folder of the run was removed or renamed during the run, with all files in it; expected the same folder until the run ends", run->folder);
}

scree_status run_folder_make(scree_run* run, const scree_scene* scene, bool* made)
{
    *made = mkdir(run->folder, 0777) == 0;
    if (!*made && errno != EEXIST)
        return scree_system_fail(run->folder, "cannot create the folder of the run", errno);
    scree_status status = run_folder_lock(run);
    if (status != SCREE_OK && *made)
        rmdir(run->folder);
    else if (*made)
        sync_parent(run);
    if (status == SCREE_OK && !*made)
        status = run_folder_look(run, scene);
    if (status == SCREE_OK && !*made)
        status = run_folder_recover(run);
    char ours[256] = "";
    if (status == SCREE_OK && !*made) {
        each(run, "", "", first_ours, ours);
        for (int s = 0; s < sub_count; ++s)
            each(run, "", subs[s], first_ours, ours);
    }
    if (status != SCREE_OK || ours[0] == '\0')
        return status;
    status = move(run, "", part);
    if (status == SCREE_OK)
        status = rename_inside(run, part, aside);
    if (status != SCREE_OK) {
        char message[2048];
        snprintf(message, sizeof message, "%s", scree_error_message());
        put_back(run);
        status = scree_fail(status, "%s", message);
    }
    return status;
}

void run_folder_unmake(scree_run* run, bool made)
{
    clean(run, "");
    put_back(run);
    if (made)
        rmdir(run->folder);
}

scree_status run_folder_sub(const scree_run* run, const char* name)
{
    return make_folder(run, "", name);
}
