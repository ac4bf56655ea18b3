// Memory of contacts with exact shapes and meshes (surfaces.h), as C17 and CUDA.
//
// Contacts of a sphere with a shape come in the order of their rows. A contact whose feature was touched in the last step goes on with what it remembers. One that is new on its
// feature takes over what another remembered: one that has ended in this step on a feature with which it shares a vertex, or, on a mesh, one of its own component; of several the one whose point was nearest, of several that are
// equally near the one with the lowest number. Forces of springs are turned with the normal, from the old one to the new. What has ended goes to one component only.
//
// On a mesh shares change as the sphere moves from face to face. A face that comes in takes over the displacement of its neighbour, so that the springs of two faces in one plane add up to one. A change of
// shares is no work: as the stiffness of the whole component grows or falls, into a corner say and out again, its springs are shortened or lengthened so that they would hold the same energy if all were equally
// long, and shortened where they would hold more. A sphere that rolls or slides over seams, edges and rims keeps its friction, and no closed path gains energy.
//
// What the law of the normal force remembers (plastic, held contacts of JKR and bridges) belongs to the component.
#ifndef SCREE_SIM_SURFACE_KEEP_H
#define SCREE_SIM_SURFACE_KEEP_H

#include "sim/grain_lost.h"
#include "sim/surface_find.h"

typedef struct surface_slots {
    int words, wide;      // of the law, and of a slot
    bool grains;          // no law with a header of its own:
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

// A face that is still within reach but has no load any more has become a part of the contact beside it. That one's component; -1: the contact has ended.
SCREE_BOTH int32_t surface_absorbed_by(const surface_slots* s, const surface_beside* beside, const double* slot, const surface_touch* touches, int64_t count)
{
    const surface_touch* nearest = NULL;
    double here[3], least = INFINITY, distance;
    if (!beside->s->mesh || count == 0)
        return -1;
    shape_from_box(beside->b, beside->s, beside->b->turn, beside->b->at, touches[0].x, here);
    surface_nearest_on_triangle(beside->s->surface, (int32_t)slot[s->words + SLOT_FEATURE], here, &distance);
    if (!(distance < touches[0].x[3] + beside->reach))
        return -1;
    for (int64_t c = 0; c < count; ++c) {
        double d[3];
        if (surface_is_link(&touches[c]))
            continue;
        vec_sub(slot + s->words + SLOT_POINT, touches[c].point, d);
        if (vec_dot(d, d) < least) {
            least = vec_dot(d, d);
            nearest = &touches[c];
        }
    }
    return nearest != NULL ? nearest->component : -1;
}

// ---- Components -----------------------------------------------------------------------------------------------------------------

// The overlap that a touch had one step before.
SCREE_BOTH double surface_overlap_before(const surface_beside* beside, const surface_touch* touch)
{
    const scree_surface* surface = beside->s->surface;
    const int32_t edge = touch->feature - surface->triangles, vertex = edge - surface->edges;
    double here[3], point[3], distance;
    shape_from_step_before(beside, touch->x, here);
    if (edge < 0)
        surface_nearest_on_triangle(surface, touch->feature, here, &distance);
    else if (vertex < 0)
        surface_nearest_on_edge(surface, edge, here, point, &distance);
    else
        distance = surface_distance_of_vertex(surface, vertex, here);
    return touch->x[3] - distance;
}

// The history of the contact of a component that has the largest `word`; NULL: none of them has one.
SCREE_BOTH const double* surface_most_of(const surface_touch* touches, int64_t count, int32_t component, int word)
{
    const double* most = NULL;
    for (int64_t c = 0; c < count; ++c) {
        const double* words = touches[c].before;
        if (words != NULL && touches[c].component == component && !surface_is_link(&touches[c]) && (most == NULL || words[word] > most[word]))
            most = words;
    }
    return most;
}

// Of a plastic law: the largest overlap that the component of a touch has had, and has now.
SCREE_BOTH double surface_deepest_of(const surface_touch* touches, int64_t count, int32_t component, double before)
{
    double deepest = before;
    for (int64_t c = 0; c < count; ++c)
        if (touches[c].component == component && !surface_is_link(&touches[c]))
            deepest = fmax(deepest, touches[c].x[3] - touches[c].at.inside);
    return deepest;
}

// What the law of the normal force remembers becomes that of the component, for contacts and links. A plastic contact that
// continues keeps its own largest overlap, with which it begins the step, and gets that of the component by `deepest`: so
// the ledger has what is lost when components join. `beside`: in a step; touches that do not continue get the overlap that
// they had before it, which the ledger needs too. With laws that reach across a gap all of a component holds as soon as one
// contact touches.
SCREE_BOTH void surface_share_normal(const surface_slots* s, const surface_beside* beside, surface_touch* touches, int64_t count)
{
    const grain_layout l = grain_layout_of(s->parts);
    const bool plastic = s->parts.normal == NORMAL_PLASTIC, reaches = grain_reaches(s->parts);
    const int word = s->parts.normal == NORMAL_JKR ? l.radius : l.normal;
    if (count < 2 || !s->grains || word < 0 || (l.normal < 0 && s->parts.normal != NORMAL_JKR))
        return;
    for (int64_t c = 0; c < count; ++c) {
        surface_touch* to = &touches[c];
        const double* most = surface_most_of(touches, count, to->component, word);
        const double deepest = surface_deepest_of(touches, count, to->component, plastic && most != NULL ? most[word] : 0.0);
        to->deepest = plastic ? deepest : to->deepest;
        const bool touches_first = most == NULL && to->x[3] - to->at.inside > 0.0;  // the ledger has what is lost
        if (to->continues || (to->before != NULL && !plastic) || touches_first || (most == NULL && !(reaches && deepest > 0.0)))
            continue;
        for (int w = 0; w < law_words_most && to->before != to->words; ++w)
            to->words[w] = to->before != NULL && w < s->words ? to->before[w] : 0.0;
        if (most != NULL)
            to->words[word] = most[word];
        if (plastic && s->parts.accounts && beside != NULL && beside->s->mesh)
            to->words[l.normal + 1] = surface_overlap_before(beside, to);
        else if (to->before == NULL && l.normal >= 0)
            to->words[l.normal + plastic] = to->x[3] - to->at.inside;
        to->before = to->words;
    }
}

// Stiffness and energy of the springs of a component.
typedef struct surface_springs {
    double stiffness[owners], energy[owners];
} surface_springs;

// Adds those of a contact with these words, which count `share` times.
SCREE_BOTH void surface_add_springs(const surface_slots* s, double radius, double share, const double* words, surface_springs* to)
{
    const grain_layout l = grain_layout_of(s->parts);
    const double a = l.radius < 0 ? 0.0 : s->parts.normal == NORMAL_JKR ? words[l.radius] * words[l.radius] : words[l.radius];
    double stiffness[owners], energy[owners] = {0.0};
    grain_spring_stiffness(s->parts, s->with, a, radius, stiffness);
    grain_spring_energies(s->parts, s->with, a, radius, words, energy);
    for (int owner = 0; owner < owners; ++owner) {
        to->stiffness[owner] += share * stiffness[owner];
        to->energy[owner] += share * energy[owner];
    }
}

SCREE_BOTH void surface_scale_springs(const surface_slots* s, const double factor[owners], surface_touch* touch)
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

// After the shares of a component have changed. To scale its springs up until they hold all that they held would be wrong: where a long spring has hardly a share left it would grow without bound.
// What they have lost is added to `lost`.
SCREE_BOTH void surface_keep_springs(const surface_slots* s, const surface_beside* beside, int32_t component, surface_touch* touches, int64_t count, double lost[owners])
{
    surface_springs had = {.stiffness = {0.0}}, have = {.stiffness = {0.0}};
    double factor[owners];
    bool changed = false;
    for (int64_t c = 0; c < count; ++c) {
        if (touches[c].component != component || touches[c].before == NULL || surface_is_link(&touches[c]))
            continue;
        const double* slot = surface_own_slot(s, &touches[c]);
        surface_add_springs(s, beside->x[3], touches[c].share, touches[c].before, &have);
        if (slot != NULL)
            surface_add_springs(s, beside->x[3], slot[s->words + SLOT_SHARE], slot, &had);
    }
    for (int64_t row = beside->first; row < beside->end; ++row) {
        const double* slot = s->next[row] == surface_taken - component ? surface_slot_at(s, row) : NULL;
        if (slot != NULL)
            surface_add_springs(s, beside->x[3], slot[s->words + SLOT_SHARE], slot, &had);
    }
    for (int owner = 0; owner < owners; ++owner) {
        const double same = have.stiffness[owner] > 0.0 && had.stiffness[owner] > 0.0 ? had.stiffness[owner] / have.stiffness[owner] : 1.0, now = have.energy[owner] * same;
        factor[owner] = sqrt(now > had.energy[owner] ? same * (had.energy[owner] / now) : same);
        changed = changed || factor[owner] != 1.0;
        lost[owner] += now > had.energy[owner] ? 0.0 : had.energy[owner] - now;
    }
    for (int64_t c = 0; c < count && changed; ++c)
        if (touches[c].component == component && touches[c].before != NULL && !surface_is_link(&touches[c]))
            surface_scale_springs(s, factor, &touches[c]);
}

// ---- All touches of a sphere with a shape --------------------------------------------------------------------------------------

// What each remembers, in the state of this moment: nothing goes from one to another but what belongs to the component. `fills`: slots get point, normal and share of this moment, which are missing in a state that was given.
SCREE_BOTH void surface_recall(const surface_slots* s, bool fills, surface_touch* touches, int64_t count)
{
    for (int64_t c = 0; c < count; ++c) {
        double* slot = surface_own_slot(s, &touches[c]);
        touches[c].before = slot;
        touches[c].continues = slot != NULL;
        for (int k = 0; k < 3 && slot != NULL && fills; ++k) {
            slot[s->words + SLOT_POINT + k] = touches[c].point[k];
            slot[s->words + SLOT_NORMAL + k] = touches[c].at.n[k];
        }
        if (slot != NULL && fills)
            slot[s->words + SLOT_SHARE] = touches[c].share;
    }
    surface_share_normal(s, NULL, touches, count);
}

// What each remembers as the step goes on with it. What springs have lost is added to `lost`. True: some contacts may have ended, of which those that no other
// has taken over are surface_is_lost; the caller clears `next`.
SCREE_BOTH bool surface_remember(const surface_slots* s, const surface_beside* beside, surface_touch* touches, int64_t count, double lost[owners])
{
    int64_t held = 0, kept = 0, missing = 0;
    bool same = true;  // shares
    for (int64_t row = beside->first; row < beside->end; ++row)
        held += surface_slot_at(s, row) != NULL;
    if (held == 0) {
        surface_share_normal(s, beside, touches, count);
        return false;
    }
    for (int64_t c = 0; c < count; ++c) {
        const double* slot = surface_own_slot(s, &touches[c]);
        touches[c].before = slot;
        touches[c].continues = slot != NULL;
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
    for (int64_t row = beside->first; row < beside->end && kept < held; ++row) {
        const double* slot = surface_slot_at(s, row);
        if (slot == NULL || s->next[row] <= surface_taken || surface_find_feature(touches, count, slot[s->words + SLOT_FEATURE]) != NULL)
            continue;
        const int32_t component = surface_absorbed_by(s, beside, slot, touches, count);
        if (component >= 0)
            s->next[row] = surface_taken - component;
        same = same && component < 0;
    }
    for (int64_t c = 0; c < count && !same && s->grains; ++c) {
        bool first = true;
        for (int64_t other = 0; other < c; ++other)
            first = first && touches[other].component != touches[c].component;
        if (first)
            surface_keep_springs(s, beside, touches[c].component, touches, count, lost);
    }
    surface_share_normal(s, beside, touches, count);
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
