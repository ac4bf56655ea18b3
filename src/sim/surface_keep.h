// Memory of contacts with exact shapes and meshes (surfaces.h), as C17 and CUDA.
//
// Contacts of a sphere with a shape come in the order of their rows. A contact whose feature was touched in the last step goes on with what it remembers. One that is new on its
// feature takes over what a contact remembered that has ended in this step on a feature with which it shares a vertex: the one whose point was nearest, of several that are
// equally near the one with the lowest number. Forces of springs are turned with the normal, from the old one to the new. Each is taken over once. So a sphere that rolls or slides
// over seams, edges and rims keeps its friction.
#ifndef SCREE_SIM_SURFACE_KEEP_H
#define SCREE_SIM_SURFACE_KEEP_H

#include "sim/grain.h"
#include "sim/surface_find.h"

// What a slot holds behind the words of the law.
enum { SLOT_FEATURE = 0, SLOT_POINT = 1, SLOT_NORMAL = 4 };

typedef struct surface_slots {
    int words, wide;      // of the law, and of a slot
    bool grains;          // a law of parts:
    law_parts parts;
    const int32_t* slot;  // by row; below 0: there was no contact
    int32_t* next;        // by row: surface_taken
    double* at;           // the first slot
} surface_slots;

// What the contact of a row remembered; NULL: there was none.
SCREE_BOTH double* surface_slot_at(const surface_slots* s, int64_t row)
{
    return s->words > 0 && row >= 0 && s->slot[row] >= 0 ? s->at + (int64_t)s->slot[row] * s->wide : NULL;
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

SCREE_BOTH bool surface_has_feature(const surface_touch* touches, int64_t count, double feature)
{
    for (int64_t c = 0; c < count; ++c)
        if ((double)touches[c].feature == feature && touches[c].row >= 0)
            return true;
    return false;
}

// The nearest contact that has ended and that no other contact has taken over yet: its row; -1: there is none.
SCREE_BOTH int64_t surface_find_ended(const surface_slots* s, const surface_beside* beside, const surface_touch* touches, int64_t count, const surface_touch* to)
{
    double least = INFINITY, lowest = INFINITY;
    int64_t best = -1;
    for (int64_t row = beside->first; row < beside->end; ++row) {
        const double* slot = surface_slot_at(s, row);
        if (slot == NULL || s->next[row] == surface_taken)
            continue;
        double feature = slot[s->words + SLOT_FEATURE], d[3];
        if (surface_has_feature(touches, count, feature) || !shape_are_joined(beside->s, to->feature, (int32_t)feature))
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

// What each of the touches of a sphere with a shape remembers. `keeps`: the step goes on with it; else slots get point and normal of this moment. True: some contacts may have ended, of which those that no other
// has taken over are surface_is_lost; the caller clears `next`.
SCREE_BOTH bool surface_remember(const surface_slots* s, bool keeps, const surface_beside* beside, surface_touch* touches, int64_t count)
{
    int64_t held = 0, kept = 0, missing = 0;
    for (int64_t row = beside->first; row < beside->end; ++row)
        held += surface_slot_at(s, row) != NULL;
    for (int64_t c = 0; c < count; ++c) {
        double* slot = surface_slot_at(s, touches[c].row);
        bool is = slot != NULL && slot[s->words + SLOT_FEATURE] == (double)touches[c].feature;
        if (is)
            touches[c].before = slot;
        for (int k = 0; k < 3 && is && !keeps; ++k) {  // of this moment, so that its point and normal are these; in a state that was given they are missing
            slot[s->words + SLOT_POINT + k] = touches[c].point[k];
            slot[s->words + SLOT_NORMAL + k] = touches[c].at.n[k];
        }
        kept += is;
        missing += !is && touches[c].row >= 0;
    }
    if (!keeps || kept == held)
        return false;
    for (int64_t c = 0; c < count && missing > 0; ++c) {
        if (touches[c].before != NULL || touches[c].row < 0)
            continue;
        int64_t row = surface_find_ended(s, beside, touches, count, &touches[c]);
        if (row >= 0 && surface_take_over(s, surface_slot_at(s, row), &touches[c]))
            s->next[row] = surface_taken;
    }
    return true;
}

// After surface_remember.
SCREE_BOTH bool surface_is_lost(const surface_slots* s, int64_t row, const surface_touch* touches, int64_t count)
{
    const double* slot = surface_slot_at(s, row);
    return slot != NULL && s->next[row] != surface_taken && !surface_has_feature(touches, count, slot[s->words + SLOT_FEATURE]);
}

// What a contact remembers from now on.
SCREE_BOTH void surface_write_slot(int law_words, const surface_touch* touch, const double* words, double* to)
{
    for (int w = 0; w < law_words; ++w)
        to[w] = words[w];
    to += law_words;
    to[SLOT_FEATURE] = (double)touch->feature;
    for (int k = 0; k < 3; ++k) {
        to[SLOT_POINT + k] = touch->point[k];
        to[SLOT_NORMAL + k] = touch->at.n[k];
    }
}

#endif
