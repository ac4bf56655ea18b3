// One contact as data, for output: the same numbers as in the pass, for all laws.
#define GRAINS_HERE
#include "sim/grains.h"

#include "base/wide.h"

#include <stddef.h>

const double grain_nothing[law_words_most] = {0.0};

static void give_words(const sim_pass* pass, bool held, const double* words, double before[law_words_most], grain_batch* batch)
{
    memset(before, 0, law_words_most * sizeof *before);
    memcpy(before, words, (size_t)pass->law.row.words * sizeof *before);
    batch->before[0] = held ? before : grain_nothing;
}

static void take_words(const sim_pass* pass, const grain_batch* batch, double* words)
{
    memcpy(words, batch->words[0], (size_t)pass->law.row.words * sizeof *words);
}

// Torque on the first: friction at its arm, rolling and twisting.
static void take(const sim_pass* pass, const grain_batch* batch, sim_seen* out)
{
    const law_parts* parts = &pass->law.parts;
    out->overlap = batch->overlap[0];
    out->sliding = batch->sliding[0];
    for (int k = 0; k < 3; ++k) {
        out->force[k] = batch->force[0][k];
        out->friction[k] = parts->tangential ? batch->friction[0][k] : 0.0;
        out->torque[k] = parts->tangential ? -(batch->arm[0][0] * batch->turn[0][k]) : 0.0;
        out->torque_second[k] = parts->tangential ? -(batch->arm[1][0] * batch->turn[0][k]) : 0.0;
        if (parts->rolling || parts->twisting != TWISTING_NONE) {
            out->torque[k] += batch->twist[0][k];
            out->torque_second[k] -= batch->twist[0][k];
        }
    }
}

bool sim_see_pair(const sim_pass* pass, int32_t i, int32_t j, const int8_t* shift, bool held, double* words, sim_seen* out)
{
    *out = (sim_seen){.overlap = 0.0};
    if (law_is_single(&pass->law)) {
        pair_contact contact;
        bool holds = contact_of_pair(pass, &pass->law, pass->law.parts, i, j, shift, words, &contact);
        out->overlap = contact.overlap;
        out->distance = contact.distance;
        for (int k = 0; k < 3; ++k) {
            out->d[k] = contact.d[k];
            out->force[k] = contact.push * contact.d[k];
        }
        return holds;
    }
    grain_batch batch;
    double before[law_words_most];
    memset(&batch, 0, offsetof(grain_batch, in));  // all of it takes as long as a contact
    batch.count = 1;
    batch.i[0] = i;
    batch.j[0] = j;
    batch.shifted = shift != NULL;
    batch.shift[0] = shift;
    lanes with[law_values];
    grain_spread(&pass->law.one, with);
    give_words(pass, held, words, before, &batch);
    grain_fill(&batch);
#if defined(__x86_64__)
    if (scree_has_avx2())
        sim_look_avx2(pass, with, &batch);
    else
#endif
        grains_of_pairs(pass, with, NULL, pass->law.parts, pass->mode != SIM_REST, true, false, &batch, 1);
    take(pass, &batch, out);
    take_words(pass, &batch, words);
    memcpy(out->d, batch.d[0], sizeof out->d);
    out->distance = batch.d[0][3];
    return batch.holds[0];
}

void sim_grains_of_touches(const sim_pass* pass, bool looks, const surface_touch* const* touch, grain_batch* batch)
{
    lanes with[law_values];
    grain_spread(&pass->law.one, with);
    grains_of_walls(pass, with, pass->law.parts, looks, touch, batch);
}

static bool see(const sim_pass* pass, near_wall near, const surface_touch* touch, bool held, double* words, sim_seen* out)
{
    *out = (sim_seen){.overlap = 0.0};
    if (law_is_single(&pass->law)) {
        wall_contact contact;
        bool holds = contact_at_wall(pass, pass->law.parts, near, touch, words, &contact);
        out->overlap = contact.overlap;
        out->distance = contact.at.inside;
        for (int k = 0; k < 3; ++k) {
            out->d[k] = contact.at.n[k];
            out->force[k] = contact.at.n[k] != 0.0 ? contact.at.n[k] * contact.normal : 0.0;
        }
        return holds;
    }
    grain_batch batch = {.count = 1, .i = {near.rank}, .j = {near.boundary}};
    double before[law_words_most];
    lanes with[law_values];
    grain_spread(&pass->law.one, with);
    give_words(pass, held, words, before, &batch);
    grains_of_walls(pass, with, pass->law.parts, true, touch != NULL ? &touch : NULL, &batch);
    take(pass, &batch, out);
    take_words(pass, &batch, words);
    memcpy(out->d, batch.d[0], sizeof out->d);
    out->distance = batch.inside[0];
    memcpy(out->twist, batch.twist[0], sizeof out->twist);
    if (!(pass->law.parts.rolling || pass->law.parts.twisting != TWISTING_NONE))
        memset(out->twist, 0, sizeof out->twist);
    return batch.holds[0] && out->overlap > -pass->law.reach;
}

bool sim_see_wall(const sim_pass* pass, near_wall near, bool held, double* words, sim_seen* out)
{
    return see(pass, near, NULL, held, words, out);
}

bool sim_see_touch(const sim_pass* pass, const surface_touch* touch, bool held, double* words, sim_seen* out)
{
    return see(pass, (near_wall){.rank = touch->rank, .boundary = touch->boundary}, touch, held, words, out);
}
