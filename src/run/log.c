// log.csv: rows of numbers, appended. All columns depend on the scene alone, except for the work: list rebuilds,
// which depend on the method and on each resume, and seconds. A row is written with one call;
// a resume removes a partial last row, because checkpoints have the length of the log. A resume appends rows
// only to a log with the same columns as a new one: rows of two kinds under one header would be ambiguous.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/number.h"
#include "files/crc64.h"
#include "files/system.h"
#include "scene/place.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static scree_status rejected(const scree_run* run, const char* what)
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
        return scree_system_fail(path, "cannot open for writing", errno);
    struct stat what;
    if (fstat(fileno(run->log.file), &what) != 0 || !S_ISREG(what.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: this is not a regular file; expected one for the log", path);
    if ((flags & O_CREAT) != 0 && ftruncate(fileno(run->log.file), 0) != 0)
        return scree_system_fail(path, "cannot truncate", errno);
    setvbuf(run->log.file, NULL, _IONBF, 0);  // a row is one write, and nothing of a failed one comes later
    return SCREE_OK;
}

static scree_status put_line(scree_run* run, const char* line)
{
    size_t length = strlen(line);
    if (fwrite(line, 1, length, run->log.file) != length || fflush(run->log.file) != 0) {
        scree_status status = rejected(run, "cannot write");
        // What there is of the row is taken back, as far as that goes; a resume does it too.
        if (ftruncate(fileno(run->log.file), (off_t)run->log.bytes) == 0)
            fseek(run->log.file, 0, SEEK_END);
        clearerr(run->log.file);
        return status;
    }
    run->log.bytes += (int64_t)length;
    run->log.sum = scree_crc64_more(run->log.sum, line, length);
    return SCREE_OK;
}

#define FIRST_COLUMNS "step,time,energy_kinetic,energy_contact,energy_gravity,energy,momentum_x,momentum_y,"
#define WORK_COLUMNS "rebuilds,seconds_search,seconds_force,seconds_integrate,seconds"
#define SPHERE_COLUMNS FIRST_COLUMNS "momentum_z,pressure,contacts,wall_contacts,max_overlap,max_overlap_relative,speed_max," WORK_COLUMNS
#define BODY_COLUMNS FIRST_COLUMNS "energy_rotation,angular_momentum,contacts,wall_contacts,touching,crossings,max_overlap,speed_max," WORK_COLUMNS

const int run_stress_axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// A line that grows; the first failure stays.
typedef struct log_line {
    char* text;
    int64_t length, capacity;
    scree_status status;
} log_line;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void put(log_line* line, const char* format, ...)
{
    enum { longest = 512 };  // of one piece: the fixed part of the header
    if (line->status == SCREE_OK)
        line->status = SCREE_RESERVE(line->text, line->capacity, line->length + longest);
    if (line->status != SCREE_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->length, longest, format, arguments);
    va_end(arguments);
    assert(length >= 0 && length < longest);
    line->length += length;
}

static void put_number(log_line* line, double value)
{
    char number[32];
    scree_number_format(number, value);
    put(line, ",%s", number);
}

// Where spheres come and go, all groups of the scene: none may be there at the moment.
static scree_status look_at_groups(scree_run* run)
{
    int32_t count = run->sim == NULL ? 0 : run_has_flow(run) ? (int32_t)scree_scene_group_count(run->naming) : scree_sim_get_groups(run->sim, NULL, 0);
    if (count < 2)
        return count >= 0 ? SCREE_OK : SCREE_ERR_MEMORY;
    if (run->groups == NULL)
        run->groups = scree_calloc((size_t)count, sizeof *run->groups);
    run->group_count = run->groups != NULL ? count : 0;
    if (run->groups == NULL)
        return SCREE_ERR_MEMORY;
    memset(run->groups, 0, (size_t)count * sizeof *run->groups);
    return scree_sim_get_groups(run->sim, run->groups, count) >= 0 ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status run_feel(scree_run* run)
{
    scree_status status = look_at_groups(run);
    if (status != SCREE_OK)
        return status;
    int32_t count = run->sim != NULL ? scree_sim_get_boundaries(run->sim, NULL, 0) : 0;
    if (count <= 0)
        return count == 0 ? SCREE_OK : SCREE_ERR_MEMORY;
    if (run->felt == NULL)
        run->felt = count > 0 ? scree_calloc((size_t)count, sizeof *run->felt) : NULL;
    run->felt_count = run->felt != NULL ? count : 0;
    return run->felt != NULL && scree_sim_get_boundaries(run->sim, run->felt, count) == count ? SCREE_OK : SCREE_ERR_MEMORY;
}

// Its name in columns.
static void name_of(const scree_sim_boundary_report* boundary, char name[32])
{
    snprintf(name, sizeof boundary->name, "%s", boundary->name);
    for (char* at = name; *at != '\0'; ++at)
        *at = *at == ' ' ? '_' : *at;
}

// What a boundary has in a row, in this order: dim components of the force, in 2D the torque about z, else all three, and the power.
static int numbers_of(scree_sim_boundary_report* boundary, int dim, double* out[7])
{
    int count = 0;
    for (int k = 0; k < dim; ++k)
        out[count++] = &boundary->force[k];
    for (int k = dim == 2 ? 2 : 0; k < 3; ++k)
        out[count++] = &boundary->torque[k];
    out[count++] = &boundary->power;
    return count;
}

static bool targets(const scree_scene_load* loads, int32_t count, int32_t target)
{
    for (int32_t n = 0; n < count; ++n)
        if (loads[n].load.kind >= SCREE_LOAD_BOUNDARY_VELOCITY && loads[n].load.kind <= SCREE_LOAD_SERVO_TORQUE && loads[n].load.target == target)
            return true;
    return false;
}

static bool any_of(const double* values)
{
    return fabs(values[0]) > 0.0 || fabs(values[1]) > 0.0 || fabs(values[2]) > 0.0;
}

// Whether the scene moves the boundary, at its start or by a change.
static bool is_moved(const scree_run* run, int32_t b)
{
    const scree_scene* scene = run->naming;
    int32_t surface = b - (run->felt_count - (int32_t)scene->surface_count), target = surface >= 0 ? SCREE_SCENE_SURFACE + surface : b;  // surfaces are the last boundaries
    bool face = b < 2 * run->set.dim, moved = face && fabs(scene->sim.wall_velocity[b / 2][b % 2]) > 0.0;
    if (surface >= 0)
        moved = any_of(scene->surfaces[surface].velocity) || any_of(scene->surfaces[surface].spin);
    moved = moved || targets(scene->loads, scene->load_count, target);
    for (int64_t c = 0; c < scene->change_count && !moved; ++c) {
        const scree_scene_change* change = &scene->changes[c];
        moved = targets(change->loads, change->load_count, target) || (face && change->sets_walls && fabs(change->wall_velocity[b / 2][b % 2]) > 0.0);
    }
    return moved;
}

// The box with spheres in it; 0: it has no end, or does not change.
static double changing_volume(const scree_run* run)
{
    scree_sim_cell_report cell;
    if (run->sim == NULL || run->solid <= 0.0)
        return 0.0;
    bool changes = scree_sim_get_cell(run->sim, &cell) == SCREE_OK && cell.set;
    for (int32_t b = 0; b < run->felt_count && b < 2 * run->set.dim; ++b)
        changes = changes || (run->felt[b].present && is_moved(run, b));
    scree_container within = {.kind = run->container, .box = scree_sim_get_box(run->sim)};
    double volume = changes ? scree_container_volume(&within) : 0.0;
    return isinf(volume) ? 0.0 : volume;
}

static void put_position_names(log_line* line, const scree_run* run)
{
    if (changing_volume(run) > 0.0)
        put(line, ",volume,void_ratio");
    for (int32_t b = 0; b < run->felt_count; ++b) {
        if (!run->felt[b].present || !is_moved(run, b))
            continue;
        char name[sizeof run->felt->name];
        name_of(&run->felt[b], name);
        if (b < 2 * run->set.dim)
            put(line, ",position_%s", name);
        for (int k = 0; k < run->set.dim && b >= 2 * run->set.dim; ++k)
            put(line, ",position_%s_%c", name, "xyz"[k]);
    }
}

static void put_positions(log_line* line, const scree_run* run)
{
    double volume = changing_volume(run);
    if (volume > 0.0) {
        put_number(line, volume);
        put_number(line, volume / run->solid - 1.0);
    }
    for (int32_t b = 0; b < run->felt_count; ++b) {
        if (!run->felt[b].present || !is_moved(run, b))
            continue;
        if (b < 2 * run->set.dim)
            put_number(line, run->felt[b].at[b / 2]);
        for (int k = 0; k < run->set.dim && b >= 2 * run->set.dim; ++k)
            put_number(line, run->felt[b].at[k]);
    }
}

static void put_boundary_names(log_line* line, const scree_run* run)
{
    int dim = run->set.dim;
    for (int32_t b = 0; b < run->felt_count; ++b) {
        char name[sizeof run->felt->name];
        if (!run->felt[b].present)
            continue;
        name_of(&run->felt[b], name);
        for (int k = 0; k < dim; ++k)
            put(line, ",force_%s_%c", name, "xyz"[k]);
        for (int k = dim == 2 ? 2 : 0; k < 3; ++k)
            put(line, ",torque_%s_%c", name, "xyz"[k]);
        put(line, ",power_%s", name);
    }
}

static void put_boundaries(log_line* line, const scree_run* run)
{
    for (int32_t b = 0; b < run->felt_count; ++b) {
        double* numbers[7];
        int count = run->felt[b].present ? numbers_of(&run->felt[b], run->set.dim, numbers) : 0;
        for (int k = 0; k < count; ++k)
            put_number(line, *numbers[k]);
    }
}

// Every energy has its column, behind those that each log has. Their last one, the balance, is the sum that stays as it is.
typedef struct energy_column {
    const char* name;
    size_t at;    // in scree_sim_report
    int sign;     // in the balance
    bool bodies;  // have it too. Their rotation is part of the kinetic energy, and has its own column
} energy_column;

#define ENERGY(name_, sign_, bodies_) {.name = #name_, .at = offsetof(scree_sim_report, name_), .sign = (sign_), .bodies = (bodies_)}

static const energy_column energies[] = {
    ENERGY(energy_rotation, 1, false),      ENERGY(energy_normal, 1, true),        ENERGY(energy_tangential, 1, true),    ENERGY(energy_rolling, 1, false),
    ENERGY(energy_twisting, 1, false),      ENERGY(dissipated_normal, 1, true),    ENERGY(dissipated_tangential, 1, true), ENERGY(dissipated_rolling, 1, false),
    ENERGY(dissipated_twisting, 1, false),  ENERGY(work_walls, -1, true),          ENERGY(work_gravity, -1, true),        ENERGY(work_forces, -1, false),
};
enum { energy_count = sizeof energies / sizeof *energies };

// Whether the simulation adds them up; one of bodies always does.
bool run_has_energies(const scree_run* run)
{
    scree_sim_state state = {0};
    return run_has_bodies(run) || (run->sim != NULL && scree_sim_get_state(run->sim, &state) == SCREE_OK && state.account_count > 0);
}

static double energy_at(const scree_sim_report* r, int e)
{
    double value;
    memcpy(&value, (const char*)r + energies[e].at, sizeof value);
    return value;
}

double scree_run_balance(const scree_sim_report* report)
{
    SCREE_NEED_OR(report, 0.0);
    const scree_sim_report* r = report;
    double sum = r->energy_kinetic + ((r->energy_bonds + r->dissipated_bonds) + r->released_bonds) + (r->dissipated_drag + r->dissipated_local);
    sum += r->flow.energy_removed - r->flow.energy_inserted;
    for (int e = 0; e < energy_count; ++e)
        sum += energies[e].sign * energy_at(r, e);
    return sum;
}

static bool has_energy(const scree_run* run, int e)
{
    return run_has_energies(run) && (energies[e].bodies || !run_has_bodies(run));
}

static void put_energy_names(log_line* line, const scree_run* run)
{
    for (int e = 0; e < energy_count; ++e)
        if (has_energy(run, e))
            put(line, ",%s", energies[e].name);
    if (run_has_energies(run))
        put(line, ",sliding,balance");
}

static void put_energies(log_line* line, const scree_run* run)
{
    for (int e = 0; e < energy_count; ++e)
        if (has_energy(run, e))
            put_number(line, energy_at(&run->last, e));
    if (!run_has_energies(run))
        return;
    put(line, ",%" PRId64, run->last.sliding);
    put_number(line, scree_run_balance(&run->last));
}

static void put_flow_names(log_line* line, const scree_run* run)
{
    if (!run_has_flow(run))
        return;
    put(line, ",n,inserted,removed,waiting,mass_inserted,mass_removed,mass_flow_in,mass_flow_out,energy_inserted,energy_removed");
    for (int64_t n = 0; n < run_flow_tallies(run); ++n) {
        const char* name;
        (void)run_flow_tally(run, n, &name);
        put(line, ",%s", name);
    }
}

static void put_flow(log_line* line, const scree_run* run)
{
    if (!run_has_flow(run))
        return;
    const scree_sim_flow* flow = &run->last.flow;
    put(line, ",%" PRId32 ",%" PRId64 ",%" PRId64 ",%" PRId64, run_sim_count(run), flow->inserted, flow->removed, run_flow_waiting(run));
    const double numbers[] = {flow->mass_inserted, flow->mass_removed, run_flow_rate(run, false), run_flow_rate(run, true), flow->energy_inserted, flow->energy_removed};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        put_number(line, numbers[k]);
    for (int64_t n = 0; n < run_flow_tallies(run); ++n) {
        const char* name;
        int64_t count = run_flow_tally(run, n, &name);
        put(line, ",%" PRId64, count);
    }
}

// The cell, if it changes: sides, tilts and strains, of the axes that there are.
static const char* const cell_names[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};

static void put_cell_names(log_line* line, const scree_run* run)
{
    scree_sim_cell_report cell;
    if (run->sim == NULL || scree_sim_get_cell(run->sim, &cell) != SCREE_OK || !cell.set)
        return;
    for (int k = 0; k < run->set.dim; ++k)
        put(line, ",side_%c", "xyz"[k]);
    for (int e = 3; e < 6; ++e)
        if (run_stress_axes[e][1] < run->set.dim)
            put(line, ",tilt_%s", cell_names[e]);
    for (int e = 0; e < 6; ++e)
        if (run_stress_axes[e][1] < run->set.dim)
            put(line, ",strain_%s", cell_names[e]);
}

static void put_cell(log_line* line, const scree_run* run)
{
    scree_sim_cell_report cell;
    if (run->sim == NULL || scree_sim_get_cell(run->sim, &cell) != SCREE_OK || !cell.set)
        return;
    scree_box box = scree_sim_get_box(run->sim);
    for (int k = 0; k < run->set.dim; ++k)
        put_number(line, box.upper[k] - box.lower[k]);
    for (int e = 3; e < 6; ++e)
        if (run_stress_axes[e][1] < run->set.dim)
            put_number(line, cell.tilt[e - 3]);
    for (int e = 0; e < 6; ++e)
        if (run_stress_axes[e][1] < run->set.dim)
            put_number(line, cell.strain[e]);
}

// What drag and local damping have taken, where the scene has them; and energies group by group, where there are several.
static void put_load_names(log_line* line, const scree_run* run)
{
    if (run->drags)
        put(line, ",dissipated_drag,dissipated_local");
    for (int32_t g = 0; g < run->group_count; ++g) {
        const char* name = scree_scene_get_entry(run->naming, g).name;
        char number[16];
        snprintf(number, sizeof number, "%" PRId32, g);
        put(line, ",energy_kinetic_%s", name != NULL ? name : number);
        if (scree_scene_turns(run->naming))
            put(line, ",energy_rotation_%s", name != NULL ? name : number);
    }
}

static void put_loads(log_line* line, const scree_run* run)
{
    if (run->drags) {
        put_number(line, run->last.dissipated_drag);
        put_number(line, run->last.dissipated_local);
    }
    for (int32_t g = 0; g < run->group_count; ++g) {
        put_number(line, run->groups[g].energy_kinetic);
        if (scree_scene_turns(&run->scene))
            put_number(line, run->groups[g].energy_rotation);
    }
}

static log_line header_of(const scree_run* run)
{
    log_line line = {.status = SCREE_OK};
    bool bodies = run_has_bodies(run);
    put(&line, "%s", bodies ? BODY_COLUMNS : SPHERE_COLUMNS);
    for (int c = 0; c < 6 && !bodies; ++c)
        if (run_stress_axes[c][1] < run->set.dim)
            put(&line, ",stress_%c%c", "xyz"[run_stress_axes[c][0]], "xyz"[run_stress_axes[c][1]]);
    if (run_has_bonds(run))
        put(&line, ",bonds,bonds_broken,energy_bonds,dissipated_bonds,released_bonds");
    put_flow_names(&line, run);
    put_cell_names(&line, run);
    put_load_names(&line, run);
    put_position_names(&line, run);
    put_boundary_names(&line, run);
    put_energy_names(&line, run);
    put(&line, "\n");
    return line;
}

static scree_status put_and_free(scree_run* run, log_line* line)
{
    scree_status status = line->status == SCREE_OK ? put_line(run, line->text) : line->status;
    scree_free(line->text);
    return status;
}

scree_status run_log_begin(scree_run* run)
{
    run->log.bytes = 0;
    run->log.sum = 0;
    scree_status status = open_log(run, O_CREAT);
    if (status == SCREE_OK)
        status = run_feel(run);
    if (status != SCREE_OK)
        return status;
    log_line header = header_of(run);
    return put_and_free(run, &header);
}

// Where the columns begin to differ, as their number from 1 on and what is there from it on.
static scree_status tell_columns(const scree_run* run, const char* there, const char* wanted)
{
    size_t begin = 0, length = strcspn(there, "\n"), whole = strcspn(wanted, "\n");
    int column = 1;
    for (size_t k = 0; k < length && k < whole && there[k] == wanted[k]; ++k)
        if (there[k] == ',') {
            ++column;
            begin = k + 1;
        }
    if (length < whole && strncmp(there, wanted, length) == 0 && wanted[length] == ',') {
        ++column;
        begin = length;
    }
    return scree_fail(SCREE_ERR_FORMAT,
                      "%s/log.csv:1: from column %d on there is '%.*s'; expected '%.*s'. Was it written by another version of scree? Begin a new run",
                      run->folder, column, (int)(length - begin < 300 ? length - begin : 300), there + begin, (int)(whole - begin < 300 ? whole - begin : 300),
                      wanted + begin);
}

static scree_status check_header(const scree_run* run)
{
    log_line wanted = header_of(run);
    scree_status status = wanted.status;
    size_t room = (size_t)wanted.length + 2;
    char* there = status == SCREE_OK ? scree_calloc(room, 1) : NULL;
    if (status == SCREE_OK && there == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK && (fseek(run->log.file, 0, SEEK_SET) != 0 || (fgets(there, (int)room, run->log.file) == NULL && ferror(run->log.file))))
        status = rejected(run, "cannot read");
    if (status == SCREE_OK && strcmp(there, wanted.text) != 0)
        status = tell_columns(run, there, wanted.text);
    scree_free(there);
    scree_free(wanted.text);
    return status;
}

// The boundaries in the last row: its last columns before the energies, read from the end. Where the log has no row yet, the current values stay.
static scree_status recall_row(scree_run* run)
{
    const int64_t most = (1 << 14) + 7 * 32 * (int64_t)run->felt_count;  // longer than any row
    int64_t from = run->log.bytes > most ? run->log.bytes - most : 0;
    char* text = scree_calloc((size_t)most + 1, 1);
    if (text == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    size_t got = fseek(run->log.file, (long)from, SEEK_SET) == 0 ? fread(text, 1, (size_t)(run->log.bytes - from), run->log.file) : 0;
    if (ferror(run->log.file) != 0 || (int64_t)got != run->log.bytes - from || fseek(run->log.file, 0, SEEK_END) != 0)
        status = rejected(run, "cannot read");
    const char* end = text + got - (got > 0 && text[got - 1] == '\n');
    for (int skipped = run_has_energies(run) ? energy_count + 2 : 0; skipped > 0 && end > text; --skipped)
        for (--end; end > text && *end != ',';)
            --end;
    for (int32_t b = run->felt_count; b-- > 0 && status == SCREE_OK;) {
        double* numbers[7];
        int count = run->felt[b].present ? numbers_of(&run->felt[b], run->set.dim, numbers) : 0;
        while (count-- > 0) {
            const char* begin = end;
            while (begin > text && begin[-1] != ',' && begin[-1] != '\n')
                --begin;
            double value;
            if (scree_number_parse(begin, end, &value))
                *numbers[count] = value;
            end = begin > text ? begin - 1 : text;
        }
    }
    scree_free(text);
    return status;
}

scree_status run_log_sum(scree_run* run, int64_t bytes, uint64_t* out)
{
    enum { block = 1 << 16 };
    char text[block];
    scree_watch watch = run_slow_watch(run, "reading the log");
    *out = 0;
    for (int64_t at = 0; at < bytes;) {
        ssize_t got = pread(fileno(run->log.file), text, bytes - at < block ? (size_t)(bytes - at) : block, (off_t)at);
        if (got < 0 && errno != EINTR)
            return rejected(run, "cannot read");
        if (got == 0)
            return scree_fail(SCREE_ERR_IO, "%s/log.csv: it ends at byte %" PRId64 "; expected %" PRId64 " bytes", run->folder, at, bytes);
        if (got > 0)
            *out = scree_crc64_more(*out, text, (size_t)got);
        at += got > 0 ? got : 0;
        scree_status status = scree_watch_ask(watch, (double)at / (double)bytes, run->folder, "reading log.csv");
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

scree_status run_log_resume(scree_run* run, int64_t bytes, uint64_t sum)
{
    uint64_t found;
    scree_status status = open_log(run, 0);
    if (status != SCREE_OK)
        return status;
    if (fseek(run->log.file, 0, SEEK_END) != 0 || ftell(run->log.file) < bytes)
        return scree_fail(SCREE_ERR_FORMAT, "%s/log.csv is too short; expected %" PRId64 " bytes, as the checkpoint says. The file was changed", run->folder, bytes);
    status = run_feel(run);
    if (status == SCREE_OK)
        status = check_header(run);
    if (status == SCREE_OK)
        status = run_log_sum(run, bytes, &found);
    if (status == SCREE_OK && found != sum)
        status = scree_fail(SCREE_ERR_FORMAT, "%s/log.csv: some of its first %" PRId64 " bytes were altered since the checkpoint of step %" PRId64 " (crc64 %016" PRIx64 "); expected those that the run wrote "
                                              "(%016" PRIx64 "). A new run can begin from the state: start: {run: DIR}", run->folder, bytes, run_sim_step(run), found, sum);
    if (status != SCREE_OK)
        return status;
    if (ftruncate(fileno(run->log.file), (off_t)bytes) != 0 || fseek(run->log.file, 0, SEEK_END) != 0)
        return rejected(run, "cannot truncate to the state of the checkpoint");
    run->log.bytes = bytes;
    run->log.sum = sum;
    return recall_row(run);
}

// The row of run->last, and of the moment for all else.
static log_line row_of(const scree_run* run)
{
    const scree_sim_report* r = &run->last;
    bool bodies = run_has_bodies(run);
    const double before[] = {r->time,        r->energy_kinetic, r->energy_contact, r->energy_gravity, r->energy_kinetic + r->energy_rotation + r->energy_potential,
                             r->momentum[0], r->momentum[1],    bodies ? run->bodies_report.energy_rotation : r->momentum[2],
                             bodies ? run->bodies_report.angular_momentum : r->pressure};
    const double after[] = {r->max_overlap, bodies ? r->speed_max : r->max_overlap_relative, r->speed_max};
    size_t after_count = bodies ? 2 : 3;
    const double seconds[] = {r->seconds_search, r->seconds_force, r->seconds_integrate, scree_run_get_seconds(run)};
    log_line line = {.status = SCREE_OK};
    put(&line, "%" PRId64, r->step);
    for (size_t k = 0; k < sizeof before / sizeof *before; ++k)
        put_number(&line, before[k]);
    put(&line, ",%" PRId64 ",%" PRId64, r->contacts, r->wall_contacts);
    if (bodies)
        put(&line, ",%" PRId64 ",%" PRId64, run->bodies_report.touching, run->bodies_report.crossings);
    for (size_t k = 0; k < after_count; ++k)
        put_number(&line, after[k]);
    // The work: a run that was resumed has made one list more.
    put(&line, ",%" PRId64, r->rebuilds);
    for (size_t k = 0; k < sizeof seconds / sizeof *seconds; ++k)
        put(&line, ",%.3f", seconds[k]);
    for (int c = 0; c < 6 && !bodies; ++c) {
        int k = run_stress_axes[c][0], l = run_stress_axes[c][1];
        if (l < run->set.dim)
            put_number(&line, r->kinetic_stress[k][l] + r->contact_stress[k][l]);
    }
    if (run_has_bonds(run)) {
        put(&line, ",%" PRId64 ",%" PRId64, r->bonds, r->bonds_broken);
        put_number(&line, r->energy_bonds);
        put_number(&line, r->dissipated_bonds);
        put_number(&line, r->released_bonds);
    }
    put_flow(&line, run);
    put_cell(&line, run);
    put_loads(&line, run);
    put_positions(&line, run);
    put_boundaries(&line, run);
    put_energies(&line, run);
    put(&line, "\n");
    return line;
}

scree_status run_log_row(scree_run* run)
{
    scree_status status = scree_run_measure(run, &run->last);
    if (status == SCREE_OK)
        status = run_feel(run);
    if (status != SCREE_OK)
        return status;
    run_flow_row(run);
    run_deepest deepest;
    status = run_deepest_row(run, &deepest);
    if (status != SCREE_OK)
        return status;
    log_line line = row_of(run);
    status = put_and_free(run, &line);
    if (status != SCREE_OK)
        return status;
    run->deepest_before = run->deepest;
    run->deepest = deepest;
    run_deepest_warn(run);
    return SCREE_OK;
}

// ---- Single values ---------------------------------------------------------------------------------------------------------

static const char ratio_name[] = "kinetic_over_contact";

// The number of the column, from 0 on; -1: there is none that may be asked for.
static int column_of(const char* header, const char* name)
{
    char wanted[200];
    size_t length = strlen(name);
    int column = 0;
    if ((size_t)snprintf(wanted, sizeof wanted, ",%s,", name) >= sizeof wanted || strstr("," WORK_COLUMNS ",", wanted) != NULL)
        return -1;
    for (const char* at = header; *at != '\0' && *at != '\n'; ++column) {
        size_t size = strcspn(at, ",\n");
        if (size == length && memcmp(at, name, size) == 0)
            return column;
        at += size + (at[size] == ',');
    }
    return -1;
}

bool run_log_knows(const scree_run* run, const char* name, char* known, size_t room)
{
    log_line header = header_of(run);
    bool knows = header.status == SCREE_OK && (strcmp(name, ratio_name) == 0 || column_of(header.text, name) >= 0);
    size_t used = (size_t)snprintf(known, room, "%s", ratio_name);
    for (const char* at = header.status == SCREE_OK ? header.text : ""; *at != '\0' && *at != '\n' && used < room;) {
        char column[160];
        size_t size = strcspn(at, ",\n");
        snprintf(column, sizeof column, "%.*s", (int)size, at);
        if (column_of(header.text, column) >= 0)
            used += (size_t)snprintf(known + used, room - used, ", %s", column);
        at += size + (at[size] == ',');
    }
    scree_free(header.text);
    return knows;
}

// From the row of this moment. Its report and boundaries are in the run, and rates are those of the last row.
static scree_status find_value(const scree_run* run, const char* name, double* out)
{
    const scree_sim_report* r = &run->last;
    *out = r->energy_contact > 0.0 ? (r->energy_kinetic + r->energy_rotation) / r->energy_contact : NAN;
    if (strcmp(name, ratio_name) == 0)
        return SCREE_OK;
    log_line row = row_of(run), header = header_of(run);
    scree_status status = row.status != SCREE_OK ? row.status : header.status;
    const char* at = row.text;
    int column = status == SCREE_OK ? column_of(header.text, name) : -1;
    *out = NAN;
    for (int k = 0; k < column; ++k)
        at += strcspn(at, ",") + 1;
    if (column >= 0 && !scree_number_parse(at, at + strcspn(at, ",\n"), out))
        *out = NAN;
    scree_free(row.text);
    scree_free(header.text);
    return status;
}

scree_status run_log_value(scree_run* run, const char* name, double* out)
{
    const scree_sim_report last = run->last;
    scree_sim_boundary_report* felt = run->felt;  // of the last row, as they stay
    run->felt = NULL;
    scree_status status = scree_run_measure(run, &run->last);
    if (status == SCREE_OK)
        status = run_feel(run);
    if (status == SCREE_OK)
        status = find_value(run, name, out);
    scree_free(run->felt);
    run->felt = felt;
    run->last = last;
    return status;
}

scree_status run_log_sync(scree_run* run)
{
    if (fflush(run->log.file) != 0 || fsync(fileno(run->log.file)) != 0)
        return rejected(run, "cannot flush to the disk");
    return SCREE_OK;
}

void run_log_close(run_log* log)
{
    if (log->file != NULL)
        fclose(log->file);
    log->file = NULL;
}
