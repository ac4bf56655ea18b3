// Memory of contacts with exact shapes and meshes (surfaces.h), as C17 and CUDA.
//
// Contacts of a sphere with a shape come in the order of their rows. A contact whose feature was touched in the last step goes on with what it remembers. One that is new on its
// feature takes over what another remembered: one that has ended in this step on a feature with which it shares a vertex, or, on a mesh, one of its own component; of several the one whose point was nearest, of several that are
// equally near the one with the lowest number. Forces of springs are turned with the normal, from the old one to the new. What has ended goes to one component only.
//
// On a mesh shares change as the sphere moves from face to face. Springs keep their displacement meanwhile, so that those of two faces in one plane add up to one. Where shares grow together, into a corner say, the
// energy of the springs of a component would grow without work; then its springs are shortened until it has not grown. So a sphere that rolls or slides over seams, edges and rims keeps its friction, and no closed
// path gains energy.
//
// What the law of the normal force remembers (plastic, held contacts of JKR and bridges) belongs to the component.
#ifndef SCREE_SIM_SURFACE_KEEP_H
#define SCREE_SIM_SURFACE_KEEP_H

#include "sim/grain_lost.h"
#include "sim/surface_find.h"

typedef struct surface_slots {
    int words, wide;      // of the law, and of a slot
    bool grains;          // a law of parts:
    law_parts parts;
    const law_pair* with; // of the sphere and the shape
    const int32_t* slot;  // by row; below 0: there was no contact
    int32_t* next;        // by row: surface_taken
    double* at;           // the first slot
} surface_slots;

// What the contact of a row remembered; NULL: there was none.
SCREE_BOTH double* surface_slot_at(const surface_slots* s, int64_t row)
{
    return s->words > 0 && row >= 0 && s->slot[row] >= 0 ? s->at + (int64_t)s->slot[row] * s->wide : NULL;
}

// The slot with which a contact goes on; NULL: it is new, or a link.
SCREE_BOTH double* surface_own_slot(const surface_slots* s, const surface_touch* touch)
{
    double* slot = surface_slot_at(s, touch->row);
    return slot != NULL && slot[s->words + SLOT_FEATURE] == (double)touch->feature ? slot : NULL;
}

// ---- From feature to feature -------------------------------------------------------------------------------------------------

// The rotation that takes n to m, about an axis across both.
SCREE_BOTH void surface_turn_vector(const double n[3], const double m[3], double v[3])
{
    double axis[3], once[3], twice[3], along = vec_dot(n, m);
    vec_cross(n, m, axis);
    vec_cross(axis, v, once);
    vec_cross(axis, once, twice);
    for (int k = 0; k < 3; ++k)
        v[k] += once[k] + twice[k] / (1.0 + along);
}

// False: the normals are opposite, and no direction is as good as another.
SCREE_BOTH bool surface_take_over(const surface_slots* s, const double* slot, surface_touch* to)
{
    const double* n = slot + s->words + SLOT_NORMAL;
    if (!(vec_dot(n, to->at.n) > -0.999))
        return false;
    for (int w = 0; w < law_words_most; ++w)
        to->words[w] = w < s->words ? slot[w] : 0.0;
    if (s->grains) {
        grain_layout layout = grain_layout_of(s->parts);
        if (layout.friction >= 0)
            surface_turn_vector(n, to->at.n, to->words + layout.friction);
        if (layout.rolling >= 0)
            surface_turn_vector(n, to->at.n, to->words + layout.rolling);
    }
    to->before = to->words;
    return true;
}

SCREE_BOTH const surface_touch* surface_find_feature(const surface_touch* touches, int64_t count, double feature)
{
    for (int64_t c = 0; c < count; ++c)
        if ((double)touches[c].feature == feature && touches[c].row >= 0)
            return &touches[c];
    return NULL;
}

// The row of the nearest contact that a new one may take over; -1: there is none.
SCREE_BOTH int64_t surface_find_source(const surface_slots* s, const surface_beside* beside, const surface_touch* touches, int64_t count, const surface_touch* to)
{
    double least = INFINITY, lowest = INFINITY;
    int64_t best = -1;
    for (int64_t row = beside->first; row < beside->end; ++row) {
        const double* slot = surface_slot_at(s, row);
        if (slot == NULL)
            continue;
        double feature = slot[s->words + SLOT_FEATURE], d[3];
        const surface_touch* going_on = surface_find_feature(touches, count, feature);
        if (going_on != NULL && going_on->component != to->component)
            continue;
        if (going_on == NULL && ((s->next[row] <= surface_taken && s->next[row] != surface_taken - to->component) || !shape_are_joined(beside->s, to->feature, (int32_t)feature)))
            continue;
        vec_sub(slot + s->words + SLOT_POINT, to->point, d);
        double square = vec_dot(d, d);
        if (square < least || (square == least && feature < lowest)) {
            least = square;
            lowest = feature;
            best = row;
        }
    }
    return best;
}

// ---- Components -----------------------------------------------------------------------------------------------------------------

// What the law of the normal force remembers becomes that of the component, for contacts and links.
SCREE_BOTH void surface_share_normal(const surface_slots* s, surface_touch* touches, int64_t count)
{
    const grain_layout l = grain_layout_of(s->parts);
    const int word = s->parts.normal == NORMAL_JKR ? l.radius : l.normal;
    if (count < 2 || !s->grains || word < 0 || (l.normal < 0 && s->parts.normal != NORMAL_JKR))
        return;
    for (int64_t c = 0; c < count; ++c) {
        surface_touch* to = &touches[c];
        const double* most = NULL;
        for (int64_t other = 0; other < count; ++other) {
            const double* words = touches[other].before;
            if (words != NULL && touches[other].component == to->component && !surface_is_link(&touches[other]) && (most == NULL || words[word] > most[word]))
                most = words;
        }
        if (most == NULL || to->before == most || (to->before != NULL && (s->parts.normal != NORMAL_PLASTIC || to->before[word] == most[word])))
            continue;
        for (int w = 0; w < law_words_most && to->before != to->words; ++w)
            to->words[w] = to->before != NULL && w < s->words ? to->before[w] : 0.0;
        to->words[word] = most[word];
        if (to->before == NULL && l.normal >= 0)
            to->words[l.normal + (s->parts.normal == NORMAL_PLASTIC)] = to->x[3] - to->at.inside;
        to->before = to->words;
    }
}

SCREE_BOTH void surface_spring_energies(const surface_slots* s, double radius, const double* words, double out[owners])
{
    const grain_layout l = grain_layout_of(s->parts);
    const double a = l.radius < 0 ? 0.0 : s->parts.normal == NORMAL_JKR ? words[l.radius] * words[l.radius] : words[l.radius];
    for (int owner = 0; owner < owners; ++owner)
        out[owner] = 0.0;
    grain_spring_energies(s->parts, s->with, a, radius, words, out);
}

SCREE_BOTH void surface_shorten(const surface_slots* s, const double factor[owners], surface_touch* touch)
{
    const grain_layout l = grain_layout_of(s->parts);
    for (int w = 0; w < law_words_most && touch->before != touch->words; ++w)
        touch->words[w] = w < s->words ? touch->before[w] : 0.0;
    touch->before = touch->words;
    for (int k = 0; k < 3 && l.friction >= 0; ++k)
        touch->words[l.friction + k] *= factor[OWNER_TANGENTIAL];
    for (int k = 0; k < 3 && l.rolling >= 0; ++k)
        touch->words[l.rolling + k] *= factor[OWNER_ROLLING];
    if (l.twisting >= 0)
        touch->words[l.twisting] *= factor[OWNER_TWISTING];
}

// Springs of a component, before and after its shares have changed: what they hold may not grow. What they have lost is added to `lost`.
SCREE_BOTH void surface_limit_springs(const surface_slots* s, const surface_beside* beside, int32_t component, surface_touch* touches, int64_t count, double lost[owners])
{
    double had[owners] = {0.0}, have[owners] = {0.0}, one[owners], factor[owners];
    bool grown = false;
    for (int64_t c = 0; c < count; ++c) {
        if (touches[c].component != component || touches[c].before == NULL || surface_is_link(&touches[c]))
            continue;
        const double* slot = surface_own_slot(s, &touches[c]);
        surface_spring_energies(s, beside->x[3], touches[c].before, one);
        for (int owner = 0; owner < owners; ++owner)
            have[owner] += touches[c].share * one[owner];
        if (slot == NULL)
            continue;
        surface_spring_energies(s, beside->x[3], slot, one);
        for (int owner = 0; owner < owners; ++owner)
            had[owner] += slot[s->words + SLOT_SHARE] * one[owner];
    }
    for (int64_t row = beside->first; row < beside->end; ++row) {
        const double* slot = s->next[row] == surface_taken - component ? surface_slot_at(s, row) : NULL;
        if (slot == NULL)
            continue;
        surface_spring_energies(s, beside->x[3], slot, one);
        for (int owner = 0; owner < owners; ++owner)
            had[owner] += slot[s->words + SLOT_SHARE] * one[owner];
    }
    for (int owner = 0; owner < owners; ++owner) {
        factor[owner] = have[owner] > had[owner] ? sqrt(had[owner] / have[owner]) : 1.0;
        grown = grown || have[owner] > had[owner];
        lost[owner] += have[owner] > had[owner] ? 0.0 : had[owner] - have[owner];
    }
    for (int64_t c = 0; c < count && grown; ++c)
        if (touches[c].component == component && touches[c].before != NULL && !surface_is_link(&touches[c]))
            surface_shorten(s, factor, &touches[c]);
}

// ---- All touches of a sphere with a shape --------------------------------------------------------------------------------------

// What each remembers, in the state of this moment: nothing goes from one to another but what belongs to the component. `fills`: slots get point, normal and share of this moment, which are missing in a state that was given.
SCREE_BOTH void surface_recall(const surface_slots* s, bool fills, surface_touch* touches, int64_t count)
{
    for (int64_t c = 0; c < count; ++c) {
        double* slot = surface_own_slot(s, &touches[c]);
        touches[c].before = slot;
        for (int k = 0; k < 3 && slot != NULL && fills; ++k) {
            slot[s->words + SLOT_POINT + k] = touches[c].point[k];
            slot[s->words + SLOT_NORMAL + k] = touches[c].at.n[k];
        }
        if (slot != NULL && fills)
            slot[s->words + SLOT_SHARE] = touches[c].share;
    }
    surface_share_normal(s, touches, count);
}

// What each remembers as the step goes on with it. What springs have lost is added to `lost`. True: some contacts may have ended, of which those that no other
// has taken over are surface_is_lost; the caller clears `next`.
SCREE_BOTH bool surface_remember(const surface_slots* s, const surface_beside* beside, surface_touch* touches, int64_t count, double lost[owners])
{
    int64_t held = 0, kept = 0, missing = 0;
    bool same = true;  // shares
    for (int64_t row = beside->first; row < beside->end; ++row)
        held += surface_slot_at(s, row) != NULL;
    if (held == 0)
        return false;
    for (int64_t c = 0; c < count; ++c) {
        const double* slot = surface_own_slot(s, &touches[c]);
        touches[c].before = slot;
        kept += slot != NULL;
        missing += slot == NULL && touches[c].row >= 0;
        same = same && (slot == NULL || slot[s->words + SLOT_SHARE] == touches[c].share);
    }
    for (int64_t c = 0; c < count && missing > 0 && (kept < held || beside->s->mesh); ++c) {
        if (touches[c].before != NULL || touches[c].row < 0)
            continue;
        int64_t row = surface_find_source(s, beside, touches, count, &touches[c]);
        if (row < 0 || !surface_take_over(s, surface_slot_at(s, row), &touches[c]))
            continue;
        same = false;
        if (surface_find_feature(touches, count, surface_slot_at(s, row)[s->words + SLOT_FEATURE]) == NULL)
            s->next[row] = surface_taken - touches[c].component;
    }
    for (int64_t c = 0; c < count && !same && s->grains; ++c) {
        bool first = true;
        for (int64_t other = 0; other < c; ++other)
            first = first && touches[other].component != touches[c].component;
        if (first)
            surface_limit_springs(s, beside, touches[c].component, touches, count, lost);
    }
    surface_share_normal(s, touches, count);
    return kept < held;
}

// After surface_remember.
SCREE_BOTH bool surface_is_lost(const surface_slots* s, int64_t row, const surface_touch* touches, int64_t count)
{
    const double* slot = surface_slot_at(s, row);
    return slot != NULL && s->next[row] > surface_taken && surface_find_feature(touches, count, slot[s->words + SLOT_FEATURE]) == NULL;
}

// What a contact remembers from now on.
SCREE_BOTH void surface_write_slot(int law_words, const surface_touch* touch, const double* words, double* to)
{
    for (int w = 0; w < law_words; ++w)
        to[w] = words[w];
    to += law_words;
    to[SLOT_FEATURE] = (double)touch->feature;
    to[SLOT_SHARE] = touch->share;
    for (int k = 0; k < 3; ++k) {
        to[SLOT_POINT + k] = touch->point[k];
        to[SLOT_NORMAL + k] = touch->at.n[k];
    }
}

#endif
