#include "measure_voxels.h"

#include "scree/files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char* porosity_name_at(int k)
{
    return scree_porosity_name(k);
}

bool voxels_wishes_of(const arguments* args, const common* co, voxels_wishes* out)
{
    *out = (voxels_wishes){.grid = scree_default_voxels_def(), .profile = scree_default_porosity_def()};
    double cells[3];
    int64_t bins = out->profile.bins;
    int kind = 0;
    if (!option_numbers(args, "voxels", 3, cells, &out->grid_axes) || !option_choice(args, "porosity", porosity_name_at, &kind) || !option_integer(args, "porosity-bins", 1, 10000, &bins))
        return false;
    out->voxels = option_given(args, "voxels");
    out->porosity = option_given(args, "porosity");
    out->profile.kind = kind;
    out->profile.bins = (int32_t)bins;
    for (int k = 0; k < out->grid_axes; ++k) {
        if (!(cells[k] >= 1.0 && cells[k] <= 10000.0) || cells[k] != floor(cells[k])) {
            say("scree measure: --voxels expects numbers of voxels from 1 to 10000, got %g\n", cells[k]);
            return false;
        }
        out->grid.cells[k] = (int32_t)cells[k];
    }
    if (option_given(args, "porosity-bins") && !out->porosity) {
        say("scree measure: --porosity-bins is for --porosity; give that too\n");
        return false;
    }
    if (out->voxels && co->out == NULL) {
        say("scree measure: --voxels writes PREFIX-voxels.vti and PREFIX-voxels.npy; give the prefix with --out\n");
        return false;
    }
    return true;
}

scree_status voxels_measure(const voxels_wishes* wishes, const common* co, const scree_measure_def* def, scree_spheres spheres, voxels_found* out)
{
    scree_measure_def mine = *def;
    scree_status status = SCREE_OK;
    *out = (voxels_found){0};
    if (wishes->voxels && wishes->grid_axes != spheres.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "--voxels has %d numbers and the spheres are %dD; expected one number per axis", wishes->grid_axes, (int)spheres.dim);
    if (wishes->voxels) {
        mine.watch = run_watch("voxels", co->quiet);
        status = scree_measure_voxels(&mine, spheres, &wishes->grid, &out->voxels);
        run_watch_end();
    }
    if (status == SCREE_OK && wishes->porosity) {
        mine.watch = run_watch("porosity", co->quiet);
        status = scree_measure_porosity(&mine, spheres, &wishes->profile, &out->porosity);
        run_watch_end();
    }
    return status;
}

scree_status voxels_write(const common* co, const voxels_found* found)
{
    static const char* const endings[] = {"-voxels.vti", "-voxels.npy"};
    scree_status status = SCREE_OK;
    size_t room = strlen(co->out) + 16;
    char* path = found->voxels.count > 0 ? scree_malloc(room, 1) : NULL;
    if (found->voxels.count > 0 && path == NULL)
        return SCREE_ERR_MEMORY;
    for (int k = 0; k < 2 && path != NULL && status == SCREE_OK; ++k) {
        scree_file_options options = scree_default_file_options();
        options.watch = run_watch("writing", co->quiet);
        snprintf(path, room, "%s%s", co->out, endings[k]);
        status = scree_write_voxels(path, &options, &found->voxels);
        run_watch_end();
    }
    scree_free(path);
    return status;
}

void voxels_free(voxels_found* found)
{
    scree_voxels_free(&found->voxels);
    scree_porosity_free(&found->porosity);
}

void voxels_tell(result* res, const voxels_found* found)
{
    const scree_porosity* p = &found->porosity;
    if (found->voxels.count > 0) {
        const int64_t cells[3] = {found->voxels.cells[0], found->voxels.cells[1], found->voxels.cells[2]};
        result_section(res, "Voxels");
        result_integers(res, "voxels_cells", cells, found->voxels.dim);
        result_number(res, "voxels_solid", found->voxels.solid);
        result_about(res, "", "mean fraction");
    }
    if (p->bins == 0)
        return;
    result_section(res, "Porosity");
    result_text(res, "porosity_along", scree_porosity_name(p->kind));
    result_table(res, "porosity", "", 5,
                 (result_column[]){{.name = "lower", .values = p->edge},
                                   {.name = "upper", .values = p->edge + 1},
                                   {.name = "volume", .values = p->volume},
                                   {.name = "fraction", .values = p->fraction},
                                   {.name = "porosity", .values = p->porosity}},
                 p->bins);
    result_file(res, "porosity");
}
