// Contacts of frames as data: the files against scree_sim_get_contacts bit by bit, against all pairs of the frame, and against the accelerations; lines, lists,
// empty frames, what a resume and --force remove; the writer of rows by itself. VTP files are read by a reader of this test's own.
#include "run_support.h"

#include "files/rows.h"
#include "run/run_inner.h"
#include "scree/polygon.h"

#include <sys/stat.h>
#include <zlib.h>

// The run in one go; the caller closes it.
static scree_run* run_of(const char* text, const char* name, int32_t threads)
{
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.threads = threads;
    CHECK_OK(scree_run_create(&def, &scene, in_folder(name), &run));
    CHECK_OK(scree_run_go(run));
    scene_free(&scene);
    return run;
}

static bool is_there(const char* name)
{
    struct stat about;
    return stat(in_folder(name), &about) == 0;
}

// ---- A reader of VTP ---------------------------------------------------------------------------------------------------

typedef struct vtp {
    char* bytes;
    const char *cells, *points, *lines, *appended;  // where these parts begin
    int64_t point_count, line_count;
} vtp;

static int64_t number_behind(const char* from, const char* name)
{
    const char* at = strstr(from, name);
    assert_non_null(at);
    return strtoll(at + strlen(name), NULL, 10);
}

static vtp open_vtp(const char* name)
{
    vtp v = {.bytes = get_file(in_folder(name), NULL)};
    v.point_count = number_behind(v.bytes, "NumberOfPoints=\"");
    v.line_count = number_behind(v.bytes, "NumberOfLines=\"");
    v.cells = strstr(v.bytes, "<CellData");
    v.points = strstr(v.bytes, "<Points>");
    v.lines = strstr(v.bytes, "<Lines>");
    v.appended = strstr(v.bytes, "<AppendedData encoding=\"raw\">");
    assert_true(v.cells != NULL && v.points > v.cells && v.lines > v.points && v.appended > v.lines);
    v.appended = strchr(v.appended, '_') + 1;
    return v;
}

static uint64_t word_at(const char* at)
{
    uint64_t word;  // tests run on little-endian machines
    memcpy(&word, at, sizeof word);
    return word;
}

// The values of the tag at `tag`, which must have this type and number of components; free.
static void* values_of(const vtp* v, const char* tag, const char* type, int components, int64_t tuples, size_t size)
{
    char wanted[64];
    const char* end = strchr(tag, '>');
    snprintf(wanted, sizeof wanted, "type=\"%s\"", type);
    const char* found = strstr(tag, wanted);
    if (found == NULL || found > end)
        fail_msg("%.*s: the type %s was expected", (int)(end - tag), tag, type);
    assert_int_equal(number_behind(tag, "NumberOfComponents=\""), components);
    const char* at = v->appended + number_behind(tag, "offset=\"");
    uint64_t blocks = word_at(at), block = word_at(at + 8), last = word_at(at + 16), total = (uint64_t)tuples * (uint64_t)components * size;
    assert_int_equal(blocks == 0 ? 0 : (blocks - (last > 0)) * block + last, total);
    unsigned char* out = malloc(total + 1);
    const char* from = at + 24 + 8 * blocks;
    uint64_t done = 0;
    for (uint64_t b = 0; b < blocks; ++b) {
        uLongf room = (uLongf)(total - done);
        assert_int_equal(uncompress(out + done, &room, (const Bytef*)from, (uLong)word_at(at + 24 + 8 * b)), Z_OK);
        done += room;
        from += word_at(at + 24 + 8 * b);
    }
    assert_int_equal(done, total);
    return out;
}

static void* array_of(const vtp* v, const char* from, const char* name, const char* type, int components, int64_t tuples, size_t size)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char* at = strstr(from, wanted);
    if (at == NULL)
        fail_msg("there is no array '%s'", name);
    while (strncmp(at, "<DataArray", 10) != 0)
        --at;
    return values_of(v, at, type, components, tuples, size);
}

// Cell data against values in memory, of any stride.
static void check_cells(const vtp* v, const char* name, const char* type, int components, size_t size, const void* wanted, size_t stride)
{
    unsigned char* got = array_of(v, v->cells, name, type, components, v->line_count, size);
    for (int64_t c = 0; c < v->line_count; ++c)
        if (memcmp(got + (size_t)c * (size_t)components * size, (const char*)wanted + (size_t)c * stride, (size_t)components * size) != 0)
            fail_msg("%s of row %" PRId64 " differs", name, c);
    free(got);
}

// The points of line c begin at first[c]; first[line_count] is their number.
static int64_t* lines_of(const vtp* v)
{
    int64_t *first = calloc((size_t)v->line_count + 1, sizeof *first), *ends = array_of(v, v->lines, "offsets", "Int64", 1, v->line_count, 8),
            *corners = array_of(v, v->lines, "connectivity", "Int64", 1, v->point_count, 8);
    memcpy(first + 1, ends, (size_t)v->line_count * sizeof *first);
    assert_int_equal(first[v->line_count], v->point_count);
    for (int64_t p = 0; p < v->point_count; ++p)
        assert_int_equal(corners[p], p);
    free(ends);
    free(corners);
    return first;
}

// Every column of the CSV file is a component of an array of the VTP file, in the same order, with the same values.
static void check_same_columns(const char* csv, const char* vtp_name)
{
    vtp v = open_vtp(vtp_name);
    char *text = get_file(in_folder(csv), NULL), *line = strchr(text, '\n') + 1;
    double* table = malloc(((size_t)v.line_count * 64 + 1) * sizeof *table);
    int64_t width = 1, at = 0, used = 0;
    for (const char* c = text; *c != '\n'; ++c)
        width += *c == ',';
    for (; *line != '\0'; ++line, ++at)
        table[at] = strtod(line, &line);
    assert_int_equal(at, v.line_count * width);
    for (const char* tag = strstr(v.cells, "<DataArray"); tag < v.points; tag = strstr(tag + 1, "<DataArray")) {
        int components = (int)number_behind(tag, "NumberOfComponents=\"");
        static const char* const types[] = {"Float64", "Int64", "Int32", "Int8"};
        static const size_t sizes[] = {8, 8, 4, 1};
        int type = 0;
        while (strncmp(strstr(tag, "type=\"") + 6, types[type], strlen(types[type])) != 0)
            assert_true(++type < 4);
        char* values = values_of(&v, tag, types[type], components, v.line_count, sizes[type]);
        for (int64_t c = 0; c < v.line_count; ++c)
            for (int k = 0; k < components; ++k) {
                const char* value = values + (size_t)(c * components + k) * sizes[type];
                double real = type == 0   ? *(const double*)value
                              : type == 1 ? (double)*(const int64_t*)value
                              : type == 2 ? (double)*(const int32_t*)value
                                          : (double)*(const int8_t*)value;
                if (real != table[c * width + used + k])
                    fail_msg("row %" PRId64 ", column %" PRId64 ": %.17g in VTP, %.17g in CSV", c, used + k, real, table[c * width + used + k]);
            }
        free(values);
        used += components;
    }
    assert_int_equal(used, width);
    free(table);
    free(text);
    free(v.bytes);
}

// ---- Rows of spheres ---------------------------------------------------------------------------------------------------

// Walls along z, one of them on its way; the order is not renewed, so that the simulation's own centres leave the box through periodic faces.
static const char periodic_scene[] = "box: {size: [1, 1, 1], periodic: [x, y]}\n"
                                     "gravity: [1, 0, -10]\n"
                                     "spheres: {count: 300, sizes: 'uniform-size:0.04:0.07', sampling: random, place: random,\n"
                                     "          velocity: thermal, temperature: 0.03}\n"
                                     "contact: {stiffness: 200, restitution: 0.8}\n"
                                     "time: {step: 1e-4, steps: 400}\n"
                                     "walls: {z: [0.5, 0]}\n"
                                     "checkpoint: {every: 1000}\n"
                                     "output: {every_steps: 100, contacts: true, formats: [vtp, csv]}\n";

// The last frame of the run is of its simulation's state: rows are those of scree_sim_get_contacts, but for images, which belong to the frame's centres.
static void check_rows(scree_run* run)
{
    scree_sim* sim = scree_run_get_sim(run);
    scree_sim_contacts contacts;
    scree_sphere_set set;
    CHECK_OK(scree_read_spheres(in_folder("run/frames/frame_000004.vtp"), NULL, &set));
    double* x = malloc((size_t)set.count * 3 * sizeof *x);
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
    vtp v = open_vtp("run/contacts/contacts_000004.vtp");
    assert_int_equal(v.line_count, contacts.count);
    assert_true(contacts.pair_count > 10 && contacts.pair_count < contacts.count);
    check_cells(&v, "i", "Int64", 1, 8, contacts.ij, sizeof *contacts.ij);
    check_cells(&v, "j", "Int64", 1, 8, contacts.ij[0] + 1, sizeof *contacts.ij);
    check_cells(&v, "overlap", "Float64", 1, 8, contacts.overlap, 8);
    check_cells(&v, "normal", "Float64", 3, 8, contacts.normal, sizeof *contacts.normal);
    check_cells(&v, "force", "Float64", 3, 8, contacts.force, sizeof *contacts.force);
    int8_t(*shift)[3] = array_of(&v, v.cells, "shift", "Int8", 3, contacts.count, 1);
    double(*points)[3] = array_of(&v, v.points, "Points", "Float64", 3, v.point_count, 8);
    int64_t* first = lines_of(&v);
    int across[2] = {0, 0}, moved = 0, walls[2] = {0, 0};
    for (int64_t c = 0; c < contacts.count; ++c) {
        int64_t i = contacts.ij[c][0], j = contacts.ij[c][1];
        assert_true(first[c] == 2 * c && first[c + 1] == 2 * c + 2);
        check_same_bits(points[2 * c], set.x + 3 * i, 3, "where a line begins");
        if (j < 0) {
            double end[3] = {set.x[3 * i], set.x[3 * i + 1], j == -5 ? set.box.lower[2] : set.box.upper[2]};
            check_same_bits(points[2 * c + 1], end, 3, "where a line ends, on a wall");
            ++walls[j == -6];
            continue;
        }
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double turns[2];
            scree_box_wrap(&set.box, k, x[3 * i + k], &turns[0]);
            scree_box_wrap(&set.box, k, x[3 * j + k], &turns[1]);
            assert_int_equal(shift[c][k], contacts.shift[c][k] + (int)turns[1] - (int)turns[0]);
            moved += shift[c][k] != contacts.shift[c][k];
            across[0] += shift[c][k] < 0;
            across[1] += shift[c][k] > 0;
            double end = set.x[3 * j + k] + shift[c][k], along = points[2 * c][k] - points[2 * c + 1][k];
            check_same_bits(&points[2 * c + 1][k], &end, 1, "where a line ends");
            CHECK_CLOSE(along, contacts.normal[c][k] * (set.r[i] + set.r[j] - contacts.overlap[c]), 1e-12);
            square += along * along;
        }
        CHECK_CLOSE(set.r[i] + set.r[j] - sqrt(square), contacts.overlap[c], 1e-12);
    }
    assert_true(across[0] > 1 && across[1] > 1 && moved > 1 && walls[0] > 1 && walls[1] > 1);  // else this scene shows nothing
    assert_true(set.box.lower[2] > 0.01);                            // where the wall is now
    free(shift);
    free(points);
    free(first);
    free(v.bytes);
    free(x);
    scree_sphere_set_free(&set);
}

typedef struct csv_row {
    int i, j, s[3];
    double overlap, n[3], f[3], p[3];
} csv_row;

static csv_row* rows_of(const char* name, int64_t* count)
{
    static const char header[] = "i,j,overlap,nx,ny,nz,fx,fy,fz,px,py,pz,sx,sy,sz\n";
    char* text = get_file(in_folder(name), NULL);
    int64_t room = 0;
    assert_memory_equal(text, header, strlen(header));
    for (const char* c = text; *c != '\0'; ++c)
        room += *c == '\n';
    csv_row* rows = malloc((size_t)room * sizeof *rows);
    *count = 0;
    for (const char* line = text + strlen(header); *line != '\0'; line = strchr(line, '\n') + 1) {
        csv_row* r = &rows[(*count)++];
        assert_int_equal(sscanf(line, "%d,%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%d,%d,%d", &r->i, &r->j, &r->overlap, &r->n[0], &r->n[1], &r->n[2], &r->f[0],
                                &r->f[1], &r->f[2], &r->p[0], &r->p[1], &r->p[2], &r->s[0], &r->s[1], &r->s[2]),
                         15);
    }
    free(text);
    return rows;
}

// Every frame by itself: the pairs and images that overlap in it, each once and in order, then the walls.
static void check_all_pairs(void)
{
    int64_t all = 0;
    for (int f = 0; f < 5; ++f) {
        char name[64];
        int64_t count, at = 0;
        scree_sphere_set set;
        snprintf(name, sizeof name, "run/contacts/contacts_%06d.csv", f);
        csv_row* rows = rows_of(name, &count);
        snprintf(name, sizeof name, "run/frames/frame_%06d.vtp", f);
        CHECK_OK(scree_read_spheres(in_folder(name), NULL, &set));
        for (int i = 0; i < set.count; ++i)
            for (int j = i + 1; j < set.count; ++j)
                for (int sx = -1; sx <= 1; ++sx)
                    for (int sy = -1; sy <= 1; ++sy) {
                        const double *a = set.x + 3 * i, *b = set.x + 3 * j;
                        double d[3] = {a[0] - b[0] - sx, a[1] - b[1] - sy, a[2] - b[2]}, reach = set.r[i] + set.r[j];
                        double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                        if (!(distance < reach))
                            continue;
                        assert_true(at < count);
                        const csv_row* r = &rows[at++];
                        assert_true(r->i == i && r->j == j && r->s[0] == sx && r->s[1] == sy && r->s[2] == 0);
                        CHECK_CLOSE(r->overlap, reach - distance, 1e-12);
                        for (int k = 0; k < 3; ++k)
                            CHECK_CLOSE(r->n[k], d[k] / distance, 1e-12);
                        for (int k = 0; k < 3; ++k)  // on the line of centres, in the middle of the overlap
                            CHECK_CLOSE(r->p[k], a[k] - (set.r[i] + (distance - set.r[j])) / 2.0 * d[k] / distance, 1e-12);
                    }
        all += at;
        for (int i = 0; i < set.count; ++i)
            for (int side = 0; side < 2; ++side) {
                double z = set.x[3 * i + 2], overlap = set.r[i] - (side == 0 ? z - set.box.lower[2] : set.box.upper[2] - z);
                if (!(overlap > 0.0))
                    continue;
                assert_true(at < count);
                const csv_row* r = &rows[at++];
                assert_true(r->i == i && r->j == -5 - side && r->s[0] == 0 && r->s[1] == 0 && r->s[2] == 0);
                CHECK_CLOSE(r->overlap, overlap, 1e-12);
                CHECK_CLOSE(r->n[2], side == 0 ? 1.0 : -1.0, 0.0);
                CHECK_CLOSE(r->p[0], set.x[3 * i], 0.0);
                CHECK_CLOSE(r->p[1], set.x[3 * i + 1], 0.0);
                CHECK_CLOSE(r->p[2], side == 0 ? set.box.lower[2] : set.box.upper[2], 1e-12);
            }
        assert_int_equal(at, count);
        free(rows);
        scree_sphere_set_free(&set);
    }
    assert_true(all > 20);
}

// The forces of a sphere's rows add up to m (a - g), with a of the simulation's state.
static void check_forces(const scree_sim* sim)
{
    static const double g[3] = {1.0, 0.0, -10.0};
    int32_t n = scree_sim_get_count(sim);
    double *a = malloc((size_t)n * 3 * sizeof *a), *sum = calloc((size_t)n * 3, sizeof *sum), *r = malloc((size_t)n * sizeof *r), most = 0.0;
    CHECK_OK(scree_sim_get_column(sim, "a", a));
    CHECK_OK(scree_sim_get_column(sim, "radius", r));
    int64_t count;
    csv_row* rows = rows_of("run/contacts/contacts_000004.csv", &count);
    for (int64_t c = 0; c < count; ++c)
        for (int k = 0; k < 3; ++k) {
            sum[3 * rows[c].i + k] += rows[c].f[k];
            if (rows[c].j >= 0)
                sum[3 * rows[c].j + k] -= rows[c].f[k];
            most = fmax(most, fabs(rows[c].f[k]));
        }
    assert_true(most > 0.1);
    for (int i = 0; i < n; ++i) {
        double mass = 4.0 / 3.0 * 3.14159265358979323846 * r[i] * r[i] * r[i];
        for (int k = 0; k < 3; ++k)
            CHECK_CLOSE(sum[3 * i + k], mass * (a[3 * i + k] - g[k]), 1e-13 * most);
    }
    free(a);
    free(sum);
    free(r);
    free(rows);
}

static void check_lists_and_empty_frames(void)
{
    vtp v = open_vtp("run/contacts/contacts_000000.vtp");  // a random start has no contacts
    assert_true(v.line_count == 0 && v.point_count == 0);
    check_cells(&v, "force", "Float64", 3, 8, NULL, 0);
    free(lines_of(&v));
    free(v.bytes);
    CHECK_FILE(in_folder("run/contacts/contacts_000000.csv"), "i,j,overlap,nx,ny,nz,fx,fy,fz,px,py,pz,sx,sy,sz\n");
    scree_frame_times frames, contacts;
    CHECK_OK(scree_read_pvd(in_folder("run/frames.pvd"), &frames));
    CHECK_OK(scree_read_pvd(in_folder("run/contacts.pvd"), &contacts));
    assert_true(frames.count == 5 && contacts.count == 5);
    check_same_bits(frames.times, contacts.times, 5, "times");
    for (int f = 0; f < 5; ++f) {
        char name[64];
        snprintf(name, sizeof name, "run/contacts/contacts_%06d.vtp", f);
        assert_string_equal(contacts.files[f], in_folder(name));
        assert_true(is_there(name));
    }
    scree_frame_times_free(&frames);
    scree_frame_times_free(&contacts);
    // Lines are no spheres.
    scree_sphere_set set;
    CHECK_FAILS(scree_read_spheres(in_folder("run/contacts/contacts_000004.vtp"), NULL, &set), SCREE_ERR_FORMAT, "contacts_000004.vtp", "'radius'");
}

// An estimate writes only some of many spheres (estimate.c), and as large a share of their contacts.
static void check_share(scree_run* run)
{
    scree_sim_contacts contacts;
    CHECK_OK(scree_sim_get_contacts(scree_run_get_sim(run), &contacts));
    run->set.count /= 2;
    run->frames = 9;
    CHECK_OK(run_contacts_write(run, &contacts, (run_memory){0}));
    run->set.count *= 2;
    vtp v = open_vtp("run/contacts/contacts_000009.vtp");
    assert_int_equal(v.line_count, contacts.count / 2);
    free(v.bytes);
    check_same_columns("run/contacts/contacts_000009.csv", "run/contacts/contacts_000009.vtp");
}

// What a law remembers of each contact: one column for each number, behind all others.
static void check_memory(scree_run* run)
{
    enum { words = 12 };
    scree_sim_contacts contacts;
    CHECK_OK(scree_sim_get_contacts(scree_run_get_sim(run), &contacts));
    double* memory = malloc((size_t)contacts.count * words * sizeof *memory);
    for (int64_t k = 0; k < contacts.count * words; ++k)
        memory[k] = 1.0 / (double)(k + 1);
    run->frames = 10;
    CHECK_OK(run_contacts_write(run, &contacts, (run_memory){words, memory}));
    vtp v = open_vtp("run/contacts/contacts_000010.vtp");
    for (int w = 0; w < words; ++w) {
        char name[16];
        snprintf(name, sizeof name, "memory_%d", w);
        check_cells(&v, name, "Float64", 1, 8, memory + w, words * sizeof *memory);
    }
    check_same_columns("run/contacts/contacts_000010.csv", "run/contacts/contacts_000010.vtp");
    char* text = get_file(in_folder("run/contacts/contacts_000010.csv"), NULL);
    assert_non_null(strstr(text, ",sz,memory_0,memory_1,"));
    assert_non_null(strstr(text, ",memory_11\n"));
    free(text);
    free(v.bytes);
    free(memory);
}

static void test_a_periodic_box_with_walls(void** state)
{
    (void)state;
    scree_run* run = run_of(periodic_scene, "run", 0);
    check_rows(run);
    check_all_pairs();
    check_forces(scree_run_get_sim(run));
    check_same_columns("run/contacts/contacts_000003.csv", "run/contacts/contacts_000003.vtp");
    check_lists_and_empty_frames();
    check_share(run);
    check_memory(run);
    scree_run_destroy(run);
}

// In a tilted box lines end at the image of the partner, whatever face is in between: as long as the two are apart, along the normal.
static void test_a_tilted_box(void** state)
{
    (void)state;
    scree_run* run = run_of("box: {size: [1, 1, 1], periodic: [x, y, z], tilt: {xy: 0.3, xz: -0.2, yz: 0.45}}\n"
                            "spheres: {count: 380, sizes: 'mono:0.06', place: random, velocity: thermal, temperature: 0.5}\n"
                            "contact: {stiffness: 1e4}\ntime: {steps: 400}\noutput: {contacts: true, every_steps: 400, formats: [vtp]}\n",
                            "tilted", 0);
    scree_sim_contacts contacts;
    CHECK_OK(scree_sim_get_contacts(scree_run_get_sim(run), &contacts));
    vtp v = open_vtp("tilted/contacts/contacts_000001.vtp");
    int8_t(*shift)[3] = array_of(&v, v.cells, "shift", "Int8", 3, contacts.count, 1);
    double(*points)[3] = array_of(&v, v.points, "Points", "Float64", 3, v.point_count, 8);
    int across[3] = {0, 0, 0};
    for (int64_t c = 0; c < contacts.count; ++c)
        for (int k = 0; k < 3; ++k) {
            across[k] += shift[c][k] != 0;
            CHECK_CLOSE(points[2 * c][k] - points[2 * c + 1][k], contacts.normal[c][k] * (0.12 - contacts.overlap[c]), 1e-12);
        }
    if (!(across[0] > 0 && across[1] > 0 && across[2] > 0))
        fail_msg("contacts across faces: %d %d %d of %d", across[0], across[1], across[2], (int)contacts.count);
    free(shift);
    free(points);
    free(v.bytes);
    scree_run_destroy(run);
}

// Groups and materials are columns of both files; in 2D lines lie at z = 0, and without periodic axes there are no images.
static void test_groups_in_a_plane(void** state)
{
    (void)state;
    scree_run_destroy(run_of("dimension: 2\nbox: {size: [1, 1]}\ngravity: [0, -10]\ncontact: {stiffness: 30, restitution: 0.9}\n"
                           "time: {step: 1e-3, steps: 60}\nmaterials: {a: {material_density: 2}, b: {material_density: 3}}\n"
                           "output: {contacts: true}\nspheres:\n"
                           "- {count: 40, sizes: 'mono:0.04', place: random, material: b, velocity: [0, -3]}\n"
                           "- {count: 9, sizes: 'mono:0.05', place: lattice, spacing: 0.11, material: a}\n",
                           "run", 0));
    check_same_columns("run/contacts/contacts_000001.csv", "run/contacts/contacts_000001.vtp");
    vtp v = open_vtp("run/contacts/contacts_000001.vtp");
    assert_true(v.line_count > 5);
    assert_null(strstr(v.bytes, "\"shift\""));
    free(array_of(&v, v.cells, "material_j", "Int32", 1, v.line_count, 4));
    double(*points)[3] = array_of(&v, v.points, "Points", "Float64", 3, v.point_count, 8);
    for (int64_t p = 0; p < v.point_count; ++p)
        assert_true(points[p][2] == 0.0);
    free(points);
    free(v.bytes);
}

// Where contacts turn spheres, their torques are there, in 2D about z alone: those of a sphere add up to the torque of the frame.
static void test_torques(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        char text[512];
        snprintf(text, sizeof text,
                 "dimension: %d\nbox: {size: [1, 1%s]}\ngravity: [2, -10%s]\nspheres: {count: %d, sizes: 'mono:0.06', place: random, velocity: thermal, temperature: 0.01}\n"
                 "contact: {stiffness: 100, restitution: 0.6, friction: 0.5, rolling_friction: 0.1}\ntime: {steps: 1500}\noutput: {contacts: true}\n",
                 dim, dim == 3 ? ", 1" : "", dim == 3 ? ", 1" : "", dim == 3 ? 150 : 30);
        scree_run* run = run_of(text, "run", 0);
        scree_sim_contacts contacts;
        scree_sphere_set set;
        CHECK_OK(scree_sim_get_contacts(scree_run_get_sim(run), &contacts));
        CHECK_OK(scree_read_spheres(in_folder("run/frames/frame_000001.vtp"), NULL, &set));
        const scree_column* torque = scree_sphere_set_find(&set, dim == 3 ? "torque" : "torque_z");
        assert_non_null(torque);
        vtp v = open_vtp("run/contacts/contacts_000001.vtp");
        int first = dim == 3 ? 0 : 2, parts = 3 - first, compared = 0;
        check_cells(&v, dim == 3 ? "torque" : "torque_z", "Float64", parts, 8, contacts.torque[0] + first, sizeof *contacts.torque);
        check_same_columns("run/contacts/contacts_000001.csv", "run/contacts/contacts_000001.vtp");
        char* table = get_file(in_folder("run/contacts/contacts_000001.csv"), NULL);
        assert_non_null(strstr(table, dim == 3 ? ",sliding,torque_x,torque_y,torque_z," : ",sliding,torque_z,"));
        assert_non_null(strstr(table, dim == 3 ? ",fz,px,py,pz,tangential_x," : ",fz,px,py,tangential_x,"));
        for (int64_t s = 0; s < set.count; ++s) {
            double sum[3] = {0.0, 0.0, 0.0}, most = 0.0;
            bool second = false;
            for (int64_t c = 0; c < contacts.count; ++c) {
                second = second || contacts.ij[c][1] == s;
                for (int k = 0; k < parts && contacts.ij[c][0] == s; ++k) {
                    sum[k] += value_in(table, (int)c, dim == 2 ? "torque_z" : k == 0 ? "torque_x" : k == 1 ? "torque_y" : "torque_z");
                    most = fmax(most, fabs(sum[k]));
                }
            }
            if (second || most == 0.0)  // torques on j are not in the file
                continue;
            ++compared;
            for (int k = 0; k < parts; ++k)
                CHECK_CLOSE(torque->values[s * parts + k], sum[k], (dim == 2 ? 1e-9 : 1e-2) * most);  // in 3D the direction of sliding is that of this moment
        }
        assert_true(compared > 3);
        free(table);
        free(v.bytes);
        scree_sphere_set_free(&set);
        scree_run_destroy(run);
        remove_all(in_folder("run"));
    }
}

// ---- Which files -------------------------------------------------------------------------------------------------------

// CSV whatever the formats; VTP where frames are.
static void test_formats(void** state)
{
    (void)state;
    static const char* const formats[] = {"[csv]", "[]", "[npy, vtp]"};
    for (int f = 0; f < 3; ++f) {
        char text[512];
        snprintf(text, sizeof text, "spheres: {count: 2, sizes: 'mono:1', place: lattice}\nbox: {size: [4, 4, 4]}\ncontact: {stiffness: 1}\ntime: {steps: 1}\n"
                 "output: {contacts: true, formats: %s}\n", formats[f]);
        scree_run_destroy(run_of(text, "run", 0));
        assert_true(is_there("run/contacts/contacts_000001.csv"));
        assert_int_equal(is_there("run/contacts/contacts_000001.vtp"), f == 2);
        assert_int_equal(is_there("run/contacts.pvd"), f == 2);
        assert_false(is_there("run/contacts/contacts_000001.npy"));
        empty_folder();
    }
}

static bool stop_once(void* context, const scree_run_progress* progress)
{
    scree_run** run = context;
    return *run == NULL || progress->step < 130;
}

// Goes on to this step.
static void resume_until(int64_t steps)
{
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    def.until_steps = steps;
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
}

// Another end removes files of frames behind it, every resume what a killed writing left; the bytes are those of one run with one thread. --force removes the
// files of the earlier run.
static void test_resume_and_force(void** state)
{
    (void)state;
    scree_run_destroy(run_of(periodic_scene, "reference", 1));
    scree_scene scene = scene_of(periodic_scene);
    scree_run* run = NULL;
    scree_run_def def = scree_default_run_def();
    def.tell = stop_once;
    def.context = &run;
    def.threads = 7;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_FAILS(scree_run_go(run), SCREE_ERR_CANCELLED);
    scree_run_destroy(run);
    static const char* const stale[] = {"run/contacts/contacts_000007.vtp", "run/contacts/.contacts_000002.vtp.123.4.tmp", "run/.contacts.pvd.123.4.tmp"};
    for (int k = 0; k < 3; ++k)
        put_text(in_folder(stale[k]), "stale");
    put_text(in_folder("run/contacts/mine.vtp"), "mine");
    resume_until(300);
    for (int k = 0; k < 3; ++k)
        assert_false(is_there(stale[k]));
    assert_false(is_there("run/contacts/contacts_000004.vtp"));
    resume_until(400);
    for (int f = 0; f < 5; ++f) {
        char name[64];
        snprintf(name, sizeof name, "contacts/contacts_%06d.vtp", f);
        check_same_file(name, "reference", "run");
    }
    check_same_file("contacts.pvd", "reference", "run");
    scene.contacts = false;
    def = scree_default_run_def();
    def.force = true;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    scree_run_destroy(run);
    assert_false(is_there("run/contacts.pvd"));
    assert_false(is_there("run/contacts/contacts_000004.vtp"));
    assert_true(is_there("run/contacts/mine.vtp"));
    scene_free(&scene);
}

// ---- Bodies ------------------------------------------------------------------------------------------------------------

static const char body_scene[] = "dimension: 2\nbox: {size: [4, 6], periodic: [x]}\ngravity: [0, -10]\n"
                                 "bodies:\n"
                                 "- {points: [[0.5, 1.5], [2, 1.2], [2, 1.4]], fixed: true, velocity: [0, 1]}\n"
                                 "- {shape: star, vertices: 9, sizes: 'uniform-size:0.1:0.25', place: random, count: 60,\n"
                                 "   angle_spread: 3.1, velocity: [-9, -9]}\n"
                                 "- {shape: disc, sizes: 'mono:0.12', place: random, count: 30}\n"
                                 "contact: {stiffness: 1e4, restitution: 0.4, rounding: 0.5}\ntime: {step: 4e-5, steps: 800}\n"
                                 "output: {contacts: true}\n";

static void test_bodies(void** state)
{
    (void)state;
    scree_run* run = run_of(body_scene, "run", 0);
    scree_polygon_sim* sim = scree_run_get_polygon_sim(run);
    scree_polygon_contacts list;
    scree_outline_set set;
    CHECK_OK(scree_outline_set_copy(sim, &set));
    CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
    vtp v = open_vtp("run/contacts/contacts_000001.vtp");
    const scree_contact* first = list.contacts;
    assert_int_equal(v.line_count, list.count);
    check_cells(&v, "i", "Int32", 1, 4, &first->i, sizeof *first);
    check_cells(&v, "j", "Int32", 1, 4, &first->j, sizeof *first);
    check_cells(&v, "kind", "Int32", 1, 4, &first->kind, sizeof *first);
    check_cells(&v, "feature", "Int32", 1, 4, &first->feature, sizeof *first);
    check_cells(&v, "shift", "Int8", 2, 1, first->shift, sizeof *first);
    check_cells(&v, "depth", "Float64", 1, 8, &first->depth, sizeof *first);
    check_cells(&v, "normal", "Float64", 2, 8, first->normal, sizeof *first);
    check_cells(&v, "force", "Float64", 2, 8, first->force, sizeof *first);
    check_cells(&v, "point", "Float64", 2, 8, first->point, sizeof *first);
    check_cells(&v, "energy", "Float64", 1, 8, &first->energy, sizeof *first);
    int64_t* begin = lines_of(&v);
    double(*points)[3] = array_of(&v, v.points, "Points", "Float64", 3, v.point_count, 8);
    const int64_t* fixed = scree_sphere_set_find(&set.bodies, "fixed")->integers;
    int walls = 0, at_fixed = 0, three = 0;
    for (int64_t c = 0; c < list.count; ++c) {
        const scree_contact* contact = &first[c];
        int64_t at = begin[c];
        bool from_i = fixed[contact->i] == 0, to_j = contact->j >= 0 && fixed[contact->j] == 0;
        assert_int_equal(begin[c + 1] - at, 1 + from_i + to_j);
        if (from_i)
            check_same_bits(points[at++], set.bodies.x + 2 * contact->i, 2, "centre of i");
        check_same_bits(points[at++], contact->point, 2, "point");
        for (int k = 0; k < 2 && to_j; ++k)
            CHECK_CLOSE(points[at][k], set.bodies.x[2 * contact->j + k] + contact->shift[k] * (k == 0 ? 4.0 : 6.0), 0.0);
        walls += contact->j < 0;
        at_fixed += !from_i || (contact->j >= 0 && !to_j);
        three += from_i && to_j;
    }
    assert_true(walls > 0 && at_fixed > 0 && three > 0);
    check_same_columns("run/contacts/contacts_000001.csv", "run/contacts/contacts_000001.vtp");
    assert_true(is_there("run/contacts.pvd"));
    free(begin);
    free(points);
    free(v.bytes);
    scree_outline_set_free(&set);
    scree_run_destroy(run);
}

// ---- The writer of rows ------------------------------------------------------------------------------------------------

typedef struct row {
    double points[3][3];
    int64_t id, end;
    double memory[2];
    uint16_t label;
    int8_t shift[3];
} row;

// Every type, in any layout, over several blocks of the file; a line may have any number of points.
static void test_rows_of_any_layout(void** state)
{
    (void)state;
    enum { n = 30000 };
    static const char* const parts[] = {"a", "b", "c"};
    row* rows = calloc(n, sizeof *rows);
    int64_t *ends = malloc(n * sizeof *ends), used = 0;
    double(*points)[3] = malloc(3 * n * sizeof *points);
    scree_rng rng = scree_rng_make(7, 0);
    for (int64_t c = 0; c < n; ++c) {
        rows[c] = (row){.id = (int64_t)scree_rng_bits(&rng), .label = (uint16_t)scree_rng_bits(&rng)};
        for (int k = 0; k < 3; ++k)
            rows[c].shift[k] = (int8_t)scree_rng_bits(&rng);
        for (int k = 0; k < 2; ++k)
            rows[c].memory[k] = scree_rng_uniform(&rng) - 0.5;
        for (int64_t p = 0; p < 2 + c % 2; ++p, ++used)
            for (int k = 0; k < 3; ++k)
                points[used][k] = scree_rng_uniform(&rng);
        ends[c] = used;
    }
    const scree_row_column column[] = {{"id", NULL, 1, SCREE_VTK_INT64, &rows->id, sizeof *rows},
                                       {"shift", parts, 3, SCREE_VTK_INT8, rows->shift, sizeof *rows},
                                       {"label", NULL, 1, SCREE_VTK_UINT16, &rows->label, sizeof *rows},
                                       {"memory_0", NULL, 1, SCREE_VTK_FLOAT64, &rows->memory[0], sizeof *rows},
                                       {"memory_1", NULL, 1, SCREE_VTK_FLOAT64, &rows->memory[1], sizeof *rows}};
    scree_box box = {.dim = 3, .lower = {-INFINITY, 0, -INFINITY}, .upper = {INFINITY, INFINITY, INFINITY}};
    scree_row_lines lines = {.box = &box, .points = (const double(*)[3])points, .ends = ends};
    CHECK_OK(scree_rows_write_vtp(in_folder("a.vtp"), (scree_watch){0}, &lines, n, 5, column));
    vtp v = open_vtp("a.vtp");
    assert_true(v.line_count == n && v.point_count == used);
    check_cells(&v, "id", "Int64", 1, 8, &rows->id, sizeof *rows);
    check_cells(&v, "shift", "Int8", 3, 1, rows->shift, sizeof *rows);
    check_cells(&v, "label", "UInt16", 1, 2, &rows->label, sizeof *rows);
    check_cells(&v, "memory_0", "Float64", 1, 8, &rows->memory[0], sizeof *rows);
    check_cells(&v, "memory_1", "Float64", 1, 8, &rows->memory[1], sizeof *rows);
    int64_t* first = lines_of(&v);
    assert_memory_equal(first + 1, ends, n * sizeof *ends);
    double* back = array_of(&v, v.points, "Points", "Float64", 3, used, 8);
    check_same_bits(back, points[0], 3 * used, "points");
    double* sides = array_of(&v, v.bytes, "scree_box", "Float64", 3, 3, 8);
    assert_true(sides[1] == 0.0 && isinf(sides[0]));
    free(sides);
    free(back);
    free(first);
    free(v.bytes);
    CHECK_OK(scree_rows_write_csv(in_folder("a.csv"), (scree_watch){0}, 1, 5, column));
    char* text = get_file(in_folder("a.csv"), NULL);
    long long id;
    int shift[3], label, end = 0;
    double memory[2];
    assert_int_equal(sscanf(text, "id,a,b,c,label,memory_0,memory_1\n%lld,%d,%d,%d,%d,%lf,%lf\n%n", &id, &shift[0], &shift[1], &shift[2], &label, &memory[0],
                            &memory[1], &end),
                     7);
    assert_true(id == rows->id && label == rows->label && text[end] == '\0');
    for (int k = 0; k < 3; ++k)
        assert_int_equal(shift[k], rows->shift[k]);
    check_same_bits(memory, rows->memory, 2, "memory");
    free(text);
    free(rows);
    free(ends);
    free(points);
}

static void test_rows_without_memory(void** state)
{
    (void)state;
    const double points[4][3] = {{0.0}}, values[2] = {1.0, 2.0};
    const int64_t ends[2] = {2, 4};
    scree_box box = {.dim = 2, .upper = {1, 1}};
    scree_row_lines lines = {.box = &box, .points = points, .ends = ends};
    const scree_row_column column = {"value", NULL, 1, SCREE_VTK_FLOAT64, values, sizeof *values};
    put_text(in_folder("a.vtp"), OLD);
    EACH_ALLOCATION_FAILS(scree_rows_write_vtp(in_folder("a.vtp"), (scree_watch){0}, &lines, 2, 1, &column), CHECK_FILE(in_folder("a.vtp"), OLD));
    put_text(in_folder("a.csv"), OLD);
    EACH_ALLOCATION_FAILS(scree_rows_write_csv(in_folder("a.csv"), (scree_watch){0}, 2, 1, &column), CHECK_FILE(in_folder("a.csv"), OLD));
    CHECK_FILE(in_folder("a.csv"), "value\n1\n2\n");
    assert_int_equal(files_in_folder(), 2);
}

// Images, groups and lines need memory of their own. A trial writes to nowhere.
static void test_contacts_without_memory(void** state)
{
    (void)state;
    put_text(in_folder("two.csv"), "x,y,z,r\n0.05,0.5,0.5,0.1\n0.86,0.5,0.5,0.1\n");
    put_text(in_folder("one.csv"), "x,y,z,r\n0.5,0.099,0.5,0.1\n");
    put_text(in_folder("scene.yaml"), "box: {size: [1, 1, 1], periodic: [x]}\nspheres:\n- {file: two.csv}\n- {file: one.csv}\ncontact: {stiffness: 10}\n"
                                      "time: {step: 1e-3, steps: 2}\noutput: {every_steps: 1, contacts: true}\n");
    scree_scene scene;
    CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scree_sim_contacts contacts;
    def.threads = 1;
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    CHECK_OK(run_frame_fill(run));
    CHECK_OK(scree_sim_get_contacts(run->sim, &contacts));
    assert_int_equal(contacts.count, 2);
    const double memory[4] = {1, 2, 3, 4};
    EACH_ALLOCATION_FAILS(run_contacts_write(run, &contacts, (run_memory){2, memory}), (void)0);
    scree_run_destroy(run);
    scene_free(&scene);
}

static const test_case cases[] = {
    UNIT(test_a_periodic_box_with_walls),
    UNIT(test_a_tilted_box),
    UNIT(test_groups_in_a_plane),
    UNIT(test_torques),
    UNIT(test_formats),
    SAME_BITS(test_resume_and_force),
    UNIT(test_bodies),
    UNIT(test_rows_of_any_layout),
    ALLOCATION(test_rows_without_memory),
    ALLOCATION(test_contacts_without_memory),
};

const test_group group_run_contacts = {.name = "run_contacts", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
