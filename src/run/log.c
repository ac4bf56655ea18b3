// log.csv: a row of numbers now and then, appended. All but the columns of work depend on the scene alone: how often lists were built
// anew, which the method and each resume change, and seconds. A row is handed to the system as a whole;
// what a crash leaves of a last one is cut off at the resume, because checkpoints say how long the log was. A resume adds rows
// only to a log with the columns it would begin one with: rows of two kinds under one header could not be told apart.
#include "run/run_inner.h"

#include "base/number.h"
#include "files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static scree_status refused(const scree_run* run, const char* what)
{
    char path[4096];
    int error = errno;
    scree_status status = run_path(run, path, sizeof path, "log.csv");
    return status == SCREE_OK ? scree_system_fail(path, what, error) : status;
}

static scree_status open_log(scree_run* run, int flags)
{
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "log.csv");
    if (status != SCREE_OK)
        return status;
    run->log.file = scree_open_stream(path, O_RDWR | O_NOFOLLOW | flags, 0666);
    if (run->log.file == NULL)
        return scree_system_fail(path, "cannot be opened for writing", errno);
    struct stat what;
    if (fstat(fileno(run->log.file), &what) != 0 || !S_ISREG(what.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: this is not a regular file, and a log must be one", path);
    if ((flags & O_CREAT) != 0 && ftruncate(fileno(run->log.file), 0) != 0)
        return scree_system_fail(path, "cannot be emptied", errno);
    setvbuf(run->log.file, NULL, _IONBF, 0);  // a row is one write, and nothing of a failed one comes later
    return SCREE_OK;
}

static scree_status put_line(scree_run* run, const char* line)
{
    size_t length = strlen(line);
    if (fwrite(line, 1, length, run->log.file) != length || fflush(run->log.file) != 0) {
        scree_status status = refused(run, "cannot be written");
        // What there is of the row is taken back, as far as that goes; a resume does it too.
        if (ftruncate(fileno(run->log.file), (off_t)run->log.bytes) == 0)
            fseek(run->log.file, 0, SEEK_END);
        clearerr(run->log.file);
        return status;
    }
    run->log.bytes += (int64_t)length;
    return SCREE_OK;
}

#define FIRST_COLUMNS "step,time,energy_kinetic,energy_contact,energy_gravity,energy,momentum_x,momentum_y,"
#define WORK_COLUMNS "rebuilds,seconds_search,seconds_force,seconds_integrate,seconds"
#define SPHERE_COLUMNS FIRST_COLUMNS "momentum_z,pressure,contacts,wall_contacts,overlap_largest,overlap_relative,speed_largest," WORK_COLUMNS

const int run_stress_axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static const char* header_of(const scree_run* run)
{
    if (run_has_bodies(run))
        return FIRST_COLUMNS "energy_rotation,angular_momentum,contacts,wall_contacts,touching,crossings,overlap_largest,speed_largest," WORK_COLUMNS "\n";
    return run->set.dim == 2 ? SPHERE_COLUMNS ",stress_xx,stress_yy,stress_xy\n"
                             : SPHERE_COLUMNS ",stress_xx,stress_yy,stress_zz,stress_xy,stress_xz,stress_yz\n";
}

scree_status run_log_begin(scree_run* run)
{
    run->log.bytes = 0;
    scree_status status = open_log(run, O_CREAT);
    return status == SCREE_OK ? put_line(run, header_of(run)) : status;
}

static scree_status check_header(const scree_run* run)
{
    char there[512] = "";
    const char* wanted = header_of(run);
    if (fseek(run->log.file, 0, SEEK_SET) != 0 || (fgets(there, sizeof there, run->log.file) == NULL && ferror(run->log.file)))
        return refused(run, "cannot be read");
    if (strcmp(there, wanted) != 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s/log.csv:1: its columns are '%.*s'; '%.*s' were expected. Was it written by another version of scree? Begin a new run",
                          run->folder, (int)strcspn(there, "\n"), there, (int)strcspn(wanted, "\n"), wanted);
    return SCREE_OK;
}

scree_status run_log_resume(scree_run* run, int64_t bytes)
{
    scree_status status = open_log(run, 0);
    if (status != SCREE_OK)
        return status;
    if (fseek(run->log.file, 0, SEEK_END) != 0 || ftell(run->log.file) < bytes)
        return scree_fail(SCREE_ERR_FORMAT, "%s/log.csv is shorter than the checkpoint says (%" PRId64 " bytes); was it changed?", run->folder, bytes);
    status = check_header(run);
    if (status != SCREE_OK)
        return status;
    if (ftruncate(fileno(run->log.file), (off_t)bytes) != 0 || fseek(run->log.file, 0, SEEK_END) != 0)
        return refused(run, "cannot be cut to where the checkpoint was");
    run->log.bytes = bytes;
    return SCREE_OK;
}

scree_status run_log_row(scree_run* run)
{
    scree_status status = scree_run_measure(run, &run->last);
    if (status != SCREE_OK)
        return status;
    const scree_sim_report* r = &run->last;
    bool bodies = run_has_bodies(run);
    const double before[] = {r->time,        r->energy_kinetic, r->energy_contact, r->energy_gravity, r->energy_kinetic + r->energy_potential,
                             r->momentum[0], r->momentum[1],    bodies ? run->told.energy_rotation : r->momentum[2],
                             bodies ? run->told.angular_momentum : r->pressure};
    const double after[] = {r->overlap_largest, bodies ? r->speed_largest : r->overlap_relative, r->speed_largest};
    size_t after_count = bodies ? 2 : 3;
    const double seconds[] = {r->seconds_search, r->seconds_force, r->seconds_integrate, scree_run_seconds(run)};
    char line[1024], number[32];
    int at = snprintf(line, sizeof line, "%" PRId64, r->step);
    for (size_t k = 0; k < sizeof before / sizeof *before; ++k) {
        scree_number_format(number, before[k]);
        at += snprintf(line + at, sizeof line - (size_t)at, ",%s", number);
    }
    at += snprintf(line + at, sizeof line - (size_t)at, ",%" PRId64 ",%" PRId64, r->contacts, r->wall_contacts);
    if (bodies)
        at += snprintf(line + at, sizeof line - (size_t)at, ",%" PRId64 ",%" PRId64, run->told.touching, run->told.crossings);
    for (size_t k = 0; k < after_count; ++k) {
        scree_number_format(number, after[k]);
        at += snprintf(line + at, sizeof line - (size_t)at, ",%s", number);
    }
    // The work: a run that was resumed has made one list more.
    at += snprintf(line + at, sizeof line - (size_t)at, ",%" PRId64, r->rebuilds);
    for (size_t k = 0; k < sizeof seconds / sizeof *seconds; ++k)
        at += snprintf(line + at, sizeof line - (size_t)at, ",%.3f", seconds[k]);
    for (int c = 0; c < 6 && !bodies; ++c) {
        int k = run_stress_axes[c][0], l = run_stress_axes[c][1];
        if (l >= run->set.dim)
            continue;
        scree_number_format(number, r->kinetic_stress[k][l] + r->contact_stress[k][l]);
        at += snprintf(line + at, sizeof line - (size_t)at, ",%s", number);
    }
    snprintf(line + at, sizeof line - (size_t)at, "\n");
    return put_line(run, line);
}

scree_status run_log_sync(scree_run* run)
{
    if (fflush(run->log.file) != 0 || fsync(fileno(run->log.file)) != 0)
        return refused(run, "cannot be brought to the disk");
    return SCREE_OK;
}

void run_log_close(run_log* log)
{
    if (log->file != NULL)
        fclose(log->file);
    log->file = NULL;
}
