// scree pack --stable: the packing that a method made, relaxed until all contact forces balance.
#include "packers.h"

#include <inttypes.h>

scree_status pack_stable(const pack_wish* wish, packing* pk)
{
    scree_stable_def def = scree_default_stable_def();
    int method = def.method;
    scree_sphere_set* set = &pk->set;
    if (!option_number(wish->args, "overlap", &def.overlap) || !option_choice(wish->args, "method", method_name_at, &method))
        return pack_option_wrong();
    def.method = method;
    def.box = set->box;
    def.container = wish->container;
    def.threads = wish->co->threads;
    scree_rearrange_state state = {0};
    def.state = &state;
    def.watch = pack_watch_density(wish, "balancing forces", &state.density, &state.overlap);
    scree_packing packed = {0};
    pack_checkpoint checkpoint = {0};
    // A packing that is not finished would be another one when the command is given again.
    scree_status status = pk->converged ? pack_checkpoint_open(wish, pack_stage_stable, &checkpoint) : SCREE_OK;
    def.saver = checkpoint.saver;
    def.resume = checkpoint.resume;
    if (status == SCREE_OK)
        status = scree_pack_stable(&def, set->count, set->r, set->x, &packed);
    pack_watch_end();
    status = pack_checkpoint_blame(&checkpoint, status);
    pack_checkpoint_close(&checkpoint);
    status = pack_take(status, packed.count, packed.x, &packed.box, set);
    if (status == SCREE_OK)
        status = scree_find_stability(&set->box, packed.container, def.threads, scree_sphere_set_view(set), &pk->stability);
    if (status == SCREE_OK) {
        pk->converged = pk->converged && packed.converged;
        pk->pressed = true;
        if (!wish->co->quiet && !wish->co->json)
            say("note: %" PRId64 " sweeps to force balance; the largest net force is %.2g of the mean contact force; %" PRId64 " contacts, %" PRId64 " would be isostatic; %d "
                "rattlers\n",
                packed.sweeps, pk->stability.residual, pk->stability.bearing, pk->stability.isostatic, (int)pk->stability.rattlers);
    }
    scree_packing_free(&packed);
    return status;
}

void pack_stable_tell(result* res, const packing* pk)
{
    const scree_stability* s = &pk->stability;
    result_number(res, "stable_residual", s->residual);
    result_number(res, "stable_overlap", s->overlap);
    result_integer(res, "stable_contacts", s->bearing);
    result_integer(res, "stable_isostatic", s->isostatic);
    result_number(res, "stable_coordination", s->coordination);
    result_integer(res, "stable_rattlers", s->rattlers);
}
