// The law terms of grain.h, contact by contact or several at a time: the text is included once for each width (lanes.h). At one lane beside a wider one its names end in _one (one_lane.h).
// What a law needs of two materials, the same in all lanes.
LANES_INLINE void grain_spread(const law_pair* with, lanes out[law_values])
{
    const double* values = &with->k;
    for (int v = 0; v < law_values; ++v)
        out[v] = ALL(values[v]);
}

// Several contacts (lanes.h). Velocities are of the first relative to the second. Numbers that the parts of the law do not need are not set.
typedef struct grain_in {
    const lanes* with;  // law_values: numbers of law_pair, read by WITH
    double step;
    lane_bits held;     // it was a contact in the step before
    lanes overlap;
    lanes overlap_half;  // in the middle of the step
    lanes deepest;       // the largest of the contacts that have their largest overlap in common; plastic laws only
    lanes radius;        // R*: reduced radius
    lanes inverse;       // sum of inverse masses. This and `along`: only if damped
    lanes along;         // along the normal at the end of the step: above 0 they part
    three n;            // from the second to the first, at the end and in the middle of the step; `half` of any length:
    three half;
    lanes half_per;      // 1 / its square
    three slide, slide_half;  // of the surfaces, across the normal
    three roll, roll_half;    // R* times difference of spins x n
    lanes twist, twist_half;   // difference of spins along n
    lanes twirl;         // mean of spins along n in the middle, over the length of `half`
    lanes* known;        // inverse of the last contacts and the dashpot that it gave; NULL: not kept
    const lanes* most;   // of the dashpot of the normal; NULL: no limit
} grain_in;

typedef struct grain_out {
    lane_bits holds;    // there is a contact
    lanes normal;        // force on the first along n
    three friction;     // force on the first across n
    three rolling;      // torque on the first is R* n x this
    lanes twisting;      // torque on the first along n
    lane_bits sliding;
    lanes rate[owners];  // dissipated per time, and
    lanes lost[owners];  // at once in this step. Only if law->parts.accounts
} grain_out;

// ---- Normal force ------------------------------------------------------------------------------------------------------

// JKR: with a = y^2 the overlap is y^4 / R* - 2 s y, s = sqrt(pi gamma / E*). Its larger root by Newton's method, from above: each step comes down, until it does not
// any more. y is that of the step before, or 0.
LANES_INLINE void grain_jkr_root(const lanes* overlap, const lanes* radius, const lanes* s, lanes* y)
{
    // From a place to the right of the least value, one step of Newton leads to the right of the root, as the function is convex.
    lanes start = *y + ROOT(ROOT(*radius * LARGER(*overlap, ALL(0.0)))), cube = 0.5 * *s * *radius;
    lane_bits small = start * start * start < 2.0 * cube;
    for (int more = 0; more < 1100 && lanes_any(&small); ++more) {
        start = PICK(small, LARGER(2.0 * start, cube / (cube + 1.0)), start);
        small = start * start * start < 2.0 * cube;
    }
    lane_bits going = ALL_SET;
    lanes at = start;
    for (int turn = 0; turn < 200 && lanes_any(&going); ++turn) {
        lanes third = at * at * at / *radius, next = at - ((at * third - 2.0 * *s * at) - *overlap) / (4.0 * third - 2.0 * *s);
        lane_bits comes = turn == 0 ? (next == next) : (next < at);
        going = going & comes;
        at = PICK(going, next, at);
    }
    *y = at;
}

// Energy of JKR: 0 where a contact ends, so that parts of a mesh that join or separate there keep it. At a = 0 it is lower
// by that of the end, 0.4 E* s^3 R* y with y^3 = s R* / 2, the least y of a contact. Newton's method finds that from above.
LANES_INLINE void grain_jkr_energy(const lanes* young, const lanes* radius, const lanes* s, const lanes* y, lanes* out)
{
    lanes y2 = *y * *y, y4 = y2 * y2, y7 = y4 * y2 * *y, y10 = y4 * y4 * y2, r = *radius, cube = 0.5 * *s * r;
    lane_bits going = *y > ALL(0.0);
    lanes end = *y;
    for (int turn = 0; turn < 100 && lanes_any(&going); ++turn) {
        lanes next = (2.0 * end + cube / (end * end)) / 3.0;
        going = going & (next < end);
        end = PICK(going, next, end);
    }
    *out = *young * (((8.0 * y10 / (15.0 * r * r) - 8.0 * *s * y7 / (3.0 * r)) + 2.0 * *s * *s * y4) - 0.4 * *s * *s * *s * r * end);
}

typedef struct grain_normal {
    lanes elastic;  // force without damping
    lanes a;        // radius of the contact area
    lanes dashpot;
    lanes more;     // what is added to the force for the limit of friction
    lanes energy;
} grain_normal;

// Overlap of the plastic law, Luding 2008. `largest` is that of the past, and goes on.
LANES_INLINE void grain_plastic(const grain_in* in, lanes* largest, grain_normal* out)
{
    lanes k1 = WITH(in, k), k2 = WITH(in, k2), kc = WITH(in, kc), overlap = in->overlap, full = WITH(in, depth) * in->radius;
    lanes most = LARGER(*largest, in->deepest), share = most / full;
    lanes k = k1 + (k2 - k1) * PICK(share < 1.0, share, ALL(1.0));
    lanes rest = PICK(most < full, (1.0 - k1 / k) * most, (1.0 - k1 / k2) * full);
    lanes unload = k * (overlap - rest), load = k1 * overlap, pull = -(kc * overlap);
    lane_bits loads = (unload >= load) & (most < full), pulls = unload <= pull;
    // Along the limit of cohesion the largest overlap shrinks, so that the limit is on its line of unloading: k (overlap - rest) = -kc overlap, where k and rest are those
    // of the largest overlap itself.
    lanes shrunk = 0.5 * overlap + ROOT(0.25 * overlap * overlap + (k1 + kc) * overlap * full / (k2 - k1));
    most = PICK(pulls & (k2 > k1) & (shrunk < most), shrunk, most);
    *largest = most;
    out->elastic = PICK(loads, load, PICK(pulls, pull, unload));
    share = most / full;
    out->energy = 0.5 * out->elastic * out->elastic / (k1 + (k2 - k1) * PICK(share < 1.0, share, ALL(1.0)));
    out->more = kc * overlap;
}

// The dashpot of a linear contact, of constant restitution. Among equal spheres it is always the same one, and its root is not taken twice.
LANES_INLINE void grain_dashpot(const grain_in* in, lanes* out)
{
    if (in->known != NULL) {
        lane_bits other = in->inverse != in->known[0];
        if (!lanes_any(&other)) {
            *out = in->known[1];
            return;
        }
    }
    *out = WITH(in, c) / ROOT(in->inverse);
    if (in->known != NULL) {
        in->known[0] = in->inverse;
        in->known[1] = *out;
    }
}

LANES_INLINE void grain_normal_force(law_parts parts, const grain_in* in, grain_layout l, lanes* words, grain_normal* out)
{
    lanes none = ALL(0.0);
    lane_bits touches = in->overlap > none;
    out->more = none;
    out->energy = none;
    out->a = none;
    out->elastic = none;
    switch (parts.normal) {
    case NORMAL_HERTZ:
    case NORMAL_DMT:
        out->a = ROOT(in->radius * KEEP(touches, in->overlap));
        out->elastic = WITH(in, hertz) * out->a * in->overlap;
        out->energy = 0.4 * out->elastic * in->overlap;
        if (parts.normal == NORMAL_DMT) {
            lanes pull = WITH(in, pull) * in->radius;
            out->elastic = out->elastic - KEEP(touches, pull);
            out->energy = out->energy - KEEP(touches, pull * in->overlap);
            out->more = 2.0 * pull;
        }
        break;
    case NORMAL_JKR: {
        lanes s = WITH(in, root), young = WITH(in, young), y = words[l.radius];
        grain_jkr_root(&in->overlap, &in->radius, &s, &y);
        lanes cube = y * y * y;
        out->a = y * y;
        out->elastic = 4.0 / 3.0 * young * cube * cube / in->radius - 4.0 * young * s * cube;
        out->more = 2.0 * WITH(in, pull) * in->radius;
        if (parts.accounts)
            grain_jkr_energy(&young, &in->radius, &s, &y, &out->energy);
        break;
    }
    case NORMAL_PLASTIC:
        grain_plastic(in, &words[l.normal], out);
        break;
    default:
        out->elastic = WITH(in, k) * in->overlap;
        out->energy = 0.5 * out->elastic * in->overlap;
        break;
    }
    if (parts.twisting == TWISTING_MARSHALL && !grain_is_curved(parts.normal))
        out->a = ROOT(in->radius * KEEP(touches, in->overlap));
    out->dashpot = none;
    switch (parts.damping) {
    case DAMPING_NONE:
        break;
    case DAMPING_CONSTANT:
        out->dashpot = WITH(in, g);
        break;
    case DAMPING_RESTITUTION:
        if (grain_is_curved(parts.normal))
            out->dashpot = WITH(in, c) * ROOT(out->a / in->inverse);
        else
            grain_dashpot(in, &out->dashpot);
        break;
    case DAMPING_VISCOELASTIC:
        out->dashpot = WITH(in, g) * out->a;
        break;
    }
    if (in->most != NULL)
        out->dashpot = PICK(out->dashpot > *in->most, *in->most, out->dashpot);
    if (parts.bridge && parts.normal != NORMAL_JKR) {
        out->elastic = KEEP(touches, out->elastic);
        out->energy = KEEP(touches, out->energy);
        out->dashpot = KEEP(touches, out->dashpot);
        out->more = KEEP(touches, out->more);
        if (parts.normal == NORMAL_PLASTIC)  // only liquid holds: when they touch again, a new contact begins
            words[l.normal] = KEEP(touches, words[l.normal]);
    }
}

// Whether there is a contact: laws that reach across a gap hold a contact that there was.
LANES_INLINE void grain_holds(law_parts parts, const grain_in* in, lane_bits* out)
{
    lane_bits touches = in->overlap > ALL(0.0);
    if (!grain_reaches(parts)) {
        *out = ALL_SET;  // or it would not be asked
        return;
    }
    *out = touches;
    if (parts.normal == NORMAL_JKR) {
        // Down to the overlap -1.5 s (s R* / 2)^(1/3), where there is no root any more.
        lanes s = WITH(in, root), gap = -in->overlap / (1.5 * s);
        *out = touches | (in->held & (gap * gap * gap < 0.5 * s * in->radius));
    }
    if (parts.bridge)
        *out = *out | (in->held & (-in->overlap < WITH(in, rupture)));
}

// ---- Springs with a slider ---------------------------------------------------------------------------------------------

// A vector to the plane across n, its length kept.
LANES_INLINE void grain_turn(three* f, const three* n)
{
    lanes before = DOT(*f, *f), across = DOT(*f, *n);
    three in_plane = MINUS(*f, TIMES(across, *n));
    lanes after = DOT(in_plane, in_plane), scale = KEEP(after > ALL(0.0), ROOT(before / after));
    *f = TIMES(scale, in_plane);
}

// Half of the angle by which the contact turns about its normal in a step: by the mean of the two spins.
LANES_INLINE void grain_half_angle(const grain_in* in, lanes* out)
{
    *out = (0.5 * in->step) * in->twirl * DOT(in->half, in->n);
}

typedef struct grain_slider {
    lanes k;        // stiffness now, and in the step before
    lanes k_before;
    lanes k_half;   // with which it grows
    lanes dashpot;
    lanes limit;    // of the force if it sticks, and
    lanes slipping; // if it slides
} grain_slider;

// The force of a spring turns with its contact, to the end of the step. The normal in the middle of the step bisects the
// way of the normal, so that the rotation from the old normal to n takes f to f - (f.n) half / (half.n). Then f turns
// about n, to first order, and its length is restored: together an error of the third order.
LANES_INLINE void grain_follow(law_parts parts, const grain_in* in, three* f)
{
    if (parts.levels == LEVELS_HALF) {
        lanes square = DOT(*f, *f), along = DOT(in->half, in->n), angle;
        lanes across = KEEP(along > ALL(0.0), DOT(*f, in->n) / along);
        grain_half_angle(in, &angle);
        angle = angle + angle;
        *f = MINUS(*f, TIMES(across, in->half));
        *f = PLUS(*f, TIMES(angle, CROSS(in->n, *f)));
        lanes now = DOT(*f, *f), scale = KEEP(now > ALL(0.0), ROOT(square / now));
        *f = TIMES(scale, *f);
    } else if (parts.levels == LEVELS_MODERN) {
        grain_turn(f, &in->n);
    }
}

// By what a spring is stretched in the step, from the velocity in its middle. It turns to the end of the step: from the
// normal in the middle to n, along the mean of both, then about n by half of the angle, to second order.
LANES_INLINE void grain_stretch(law_parts parts, const grain_in* in, const three* velocity_half, three* out)
{
    if (parts.levels != LEVELS_HALF) {
        *out = TIMES(in->step, *velocity_half);
        return;
    }
    lanes along = DOT(in->half, in->n), across = 0.5 * DOT(*velocity_half, in->n), angle;
    lanes half = KEEP(along > ALL(0.0), across / along);
    grain_half_angle(in, &angle);
    three f = MINUS(MINUS(*velocity_half, TIMES(across, in->n)), TIMES(half, in->half));
    lanes sine = in->step * angle, cosine = in->step - (0.5 * angle) * sine;
    *out = PLUS(TIMES(cosine, f), TIMES(sine, CROSS(in->n, f)));
}

// What the step adds to the force of a spring. k is the stiffness now, k_before that of the step before, and k_half, with
// which the spring grows, the smaller one of those in the middle and at the end of the step.
LANES_INLINE void grain_grow(law_parts parts, const grain_in* in, const lanes* k, const lanes* k_before, const lanes* k_half, const three* stretch, three* f)
{
    three trial = *f;
    if (grain_is_curved(parts.normal)) {
        lanes fell = PICK(*k < *k_before, *k / *k_before, ALL(1.0));
        trial = TIMES(fell, trial);
    }
    trial = MINUS(trial, TIMES(*k_half, *stretch));
    if (parts.levels == LEVELS_CLASSIC)
        trial = MINUS(trial, TIMES(DOT(trial, in->n), in->n));
    *f = trial;
}

// By which part of the force beyond the limit a spring gives way in a step: all of it without a dashpot.
LANES_INLINE void grain_giving(const grain_in* in, const grain_slider* s, lanes* out)
{
    lanes growth = in->step * s->k_half, sum = s->dashpot + growth;
    *out = PICK(sum > ALL(0.0), SHARE(growth, sum), ALL(1.0));
}

// The force of spring, dashpot and slider. `f` is that of the spring alone: of grain_grow, and then after the step; `before` is that of grain_follow. What is lost in a step is
// the work that the spring takes up less what its energy grows by.
//
//     --[ spring | dashpot ]--[ slider ]--    Spring and dashpot share their length, and the slider is behind them. While it slides with a force F at the limit, what they stretch by is not the
//                                             velocity v but (f - F) / g, f the force of the spring and g the dashpot: so f tends to F. In a step, implicitly:
//     f after = f + share (F - (f - g v)), f the spring as if it had not slid, share = k step / (g + k step). Then f - g v has the direction of F, which a later look at the contact finds again.
// Where the limit is 0 nothing holds the spring, and it is released.
//
// LAMMPS gives the spring F + g v, with the whole velocity.
LANES_INLINE void grain_slide(law_parts parts, bool advance, const grain_in* in, const grain_slider* s, const three* velocity, const three* stretch, const three* before, three* f,
                              three* force, lane_bits* slides, lanes* rate, lanes* lost)
{
    const lanes none = ALL(0.0);
    three viscous = TIMES(s->dashpot, *velocity), total = MINUS(*f, viscous);
    lanes square = DOT(total, total);
    lanes limit = PICK(*slides, s->slipping, s->limit);
    lane_bits slid = *slides;
    *slides = square > limit * limit;
    if (!advance)
        *slides = *slides | (slid & (square > none));  // its force is at the limit, to rounding
    *force = total;
    three kept = *f;
    if (lanes_any(slides)) {
        lanes scale = PICK(*slides, SHARE(s->slipping, ROOT(square)), ALL(1.0));
        *force = TIMES(scale, total);
        if (parts.levels != LEVELS_HALF || parts.damping == DAMPING_NONE) {
            kept = PLUS(*force, viscous);
        } else if (advance) {
            lanes share;
            grain_giving(in, s, &share);
            kept = PLUS(*f, TIMES(share, MINUS(*force, total)));
            kept = TIMES(KEEP(s->slipping > none, ALL(1.0)), kept);
        }
        kept = PICK_THREE(*slides, kept, *f);
    }
    if (parts.accounts) {
        three still = MINUS(kept, *force), mean = PLUS(*before, kept);
        lanes grown = KEEP(s->k > none, DOT(kept, kept) / s->k) - KEEP(s->k_before > none, DOT(*before, *before) / s->k_before);
        *rate = DOT(still, *velocity);
        if (advance)
            *lost = KEEP(s->k > none, -0.5 * (DOT(mean, *stretch) + grown));
    }
    *f = kept;
}

// The same for a torque about the normal. LAMMPS remembers the angle, so that the torque follows every change of the stiffness, and takes the sign of a limited torque
// from the spin.
LANES_INLINE void grain_twist(law_parts parts, bool advance, const grain_in* in, const grain_slider* s, lanes* torque, lanes* out, lanes* rate, lanes* lost)
{
    const lanes none = ALL(0.0);
    lanes before = *torque;
    if (advance) {
        lane_bits rescaled = parts.levels == LEVELS_MODERN ? s->k_before > none : s->k < s->k_before;
        *torque = before * PICK(rescaled, s->k / s->k_before, ALL(1.0)) - s->k_half * in->step * in->twist_half;
    }
    lanes viscous = s->dashpot * in->twist, total = *torque - viscous, size = ROOT(total * total);
    lane_bits slides = size > s->limit;
    *out = PICK(slides, total * (s->limit / size), total);
    if (parts.levels == LEVELS_MODERN)
        *out = PICK(slides, PICK(in->twist_half > none, -s->limit, KEEP(in->twist_half < none, s->limit)), total);
    lanes kept = *out + viscous;
    if (parts.levels == LEVELS_HALF && parts.damping != DAMPING_NONE) {
        lanes share;
        grain_giving(in, s, &share);
        kept = KEEP(s->limit > none, *torque + share * (*out - total));
    }
    kept = PICK(slides, kept, *torque);
    if (parts.accounts) {
        lanes grown = KEEP(s->k > none, kept * kept / s->k) - KEEP(s->k_before > none, before * before / s->k_before);
        *rate = (kept - *out) * in->twist;
        if (advance)
            *lost = KEEP(s->k > none, -0.5 * (in->step * (before + kept) * in->twist_half + grown));
    }
    *torque = kept;
}

// ---- All of it ---------------------------------------------------------------------------------------------------------

LANES_INLINE void grain_bridge(const grain_in* in, lanes* pull)
{
    lanes gap = LARGER(-in->overlap, ALL(0.0)), s = gap * ROOT(in->radius) * WITH(in, per_root);
    *pull = KEEP(WITH(in, rupture) > ALL(0.0), WITH(in, bridge) * in->radius / (1.0 + 1.05 * s + 2.5 * s * s));
}

// A law with a header of its own (own_laws.h): contact by contact. `dashpot`: with it.
#if defined(SCREE_ONE_LANE) || defined(LANES_ONE)
LANES_INLINE lane_bits grain_own(law_parts parts, bool advance, bool dashpot, const grain_in* in, lanes* words, lanes* force)
{
    contact_in contact;
    contact_out found;
    contact.with = (const law_pair*)(const void*)in->with;
    contact.overlap = in->overlap;
    contact.damped = dashpot && parts.damping != DAMPING_NONE;
    contact.along = contact.damped ? in->along : 0.0;
    contact.dashpot = !contact.damped ? 0.0 : parts.damping == DAMPING_RESTITUTION ? WITH(in, c) / ROOT(in->inverse) : WITH(in, g);
    contact.advance = advance;
    if (own_is_directed(parts.normal)) {
        contact.n[0] = in->n.x;
        contact.n[1] = in->n.y;
        contact.n[2] = in->n.z;
    }
    const lane_bits holds = own_eval(parts.normal, &contact, words, &found);
    *force = found.normal;
    return holds;
}
#endif

// The normal force without its dashpot. `words` are a copy: what follows from the overlap is written there.
LANES_INLINE void grain_elastic(law_parts parts, const grain_in* in, lanes* words, lanes* out)
{
    grain_normal n;
#if defined(SCREE_ONE_LANE) || defined(LANES_ONE)
    if (law_is_own(parts.normal)) {
        grain_own(parts, false, false, in, words, out);
        return;
    }
#endif
    grain_normal_force(parts, in, grain_layout_of(parts), words, &n);
    *out = n.elastic;
    if (parts.bridge) {
        lanes pull;
        grain_bridge(in, &pull);
        *out = n.elastic - pull;
    }
}

// What one part of the law leaves to the next.
typedef struct grain_middle {
    lanes cap;               // force to which friction is limited, over its coefficient
    lanes dashpot;           // of the normal
    lanes a, a_before, a_half;  // radius of the contact area: now, in the step before, in the middle of the step. Only of laws whose springs need it
    three friction, rolling;          // springs of the step before, turned to the end of this one, and
    three friction_end, rolling_end;  // grown, before they are limited
    three slide_stretch, roll_stretch;  // by what they are stretched in this step
} grain_middle;

// The law in three parts, each of which ends on a root that the next one needs, so that a caller can take one part of many contacts before the next. `parts` is law->parts; a
// constant where speed counts. `advance`: words go on by a step; else they are looked at.
//
// First the normal force, and what contacts remember as it is in the middle of the step.
LANES_INLINE void grain_begin(law_parts parts, bool advance, const grain_in* in, lanes* words, grain_middle* middle, grain_out* out)
{
    const grain_layout l = grain_layout_of(parts);
    const lanes none = ALL(0.0);
    const bool damped = parts.damping != DAMPING_NONE, accounts = parts.accounts;
    grain_normal n;
#if defined(SCREE_ONE_LANE) || defined(LANES_ONE)
    if (law_is_own(parts.normal)) {
        out->holds = grain_own(parts, advance, true, in, words, &out->normal);
        return;
    }
#endif
    grain_holds(parts, in, &out->holds);
    lanes largest = parts.normal == NORMAL_PLASTIC ? words[l.normal] : none;
    grain_normal_force(parts, in, l, words, &n);
    lanes force = n.elastic;
    if (damped)
        force = n.elastic - n.dashpot * in->along;
    if (parts.no_pull)
        force = LARGER(force, KEEP(n.elastic < none, n.elastic));
    for (int owner = 0; owner < owners && accounts; ++owner)
        out->rate[owner] = out->lost[owner] = none;
    if (accounts && damped)
        out->rate[OWNER_NORMAL] = (n.elastic - force) * in->along;
    if (accounts && advance && parts.normal == NORMAL_JKR)
        out->lost[OWNER_NORMAL] = KEEP(NOT(in->held), 0.5 * n.elastic * in->overlap - n.energy);
    if (parts.normal == NORMAL_PLASTIC && advance) {
        if (accounts) {
            grain_in past = *in;
            grain_normal then;
            past.overlap = past.deepest = LARGER(words[l.normal + 1], none);  // 0: across a gap there is no force
            grain_plastic(&past, &largest, &then);
            out->lost[OWNER_NORMAL] = 0.5 * (then.elastic + n.elastic) * (LARGER(in->overlap, none) - past.overlap) - (n.energy - then.energy);
        }
        words[l.normal + 1] = in->overlap;
    }
    out->normal = force;
    if (!grain_turns(parts) && l.radius < 0)
        return;
    lanes cap = force + n.more;
    middle->cap = parts.levels == LEVELS_HALF ? LARGER(cap, none) : LARGER(cap, -cap);
    middle->dashpot = n.dashpot;
    if (l.radius >= 0) {
        lanes a = n.a, a_before = parts.normal == NORMAL_JKR ? words[l.radius] * words[l.radius] : words[l.radius], a_half = a;
        if (advance)
            words[l.radius] = parts.normal == NORMAL_JKR ? ROOT(a) : a;
        a_before = PICK(in->held, a_before, a);
        if (advance && parts.levels == LEVELS_HALF && grain_turns(parts)) {
            // Of JKR the mean of both ends.
            a_half = parts.normal == NORMAL_JKR ? 0.5 * (a + a_before) : ROOT(in->radius * LARGER(in->overlap_half, none));
            a_half = PICK(a_half < a, a_half, a);
        }
        middle->a = a;
        middle->a_before = a_before;
        middle->a_half = a_half;
    }
    if (parts.tangential) {
        three f = {words[l.friction], words[l.friction + 1], words[l.friction + 2]};
        if (advance)
            grain_follow(parts, in, &f);
        middle->friction = f;
    }
    if (parts.rolling) {
        three f = {words[l.rolling], words[l.rolling + 1], words[l.rolling + 2]};
        if (advance)
            grain_follow(parts, in, &f);
        middle->rolling = f;
    }
}

// Tangential stiffness: now, in the step before, in the middle of the step.
LANES_INLINE void grain_stiffness(law_parts parts, const grain_in* in, const grain_middle* middle, lanes* kt, lanes* kt_before, lanes* kt_half)
{
    lanes k = WITH(in, kt);
    const bool curved = grain_is_curved(parts.normal);
    *kt = curved ? k * middle->a : k;
    *kt_before = curved ? k * middle->a_before : k;
    *kt_half = curved ? k * middle->a_half : k;
}

// Second, springs grow.
LANES_INLINE void grain_springs(law_parts parts, bool advance, const grain_in* in, grain_middle* middle)
{
    lanes kt, kt_before, kt_half;
    if (!parts.tangential && !parts.rolling)
        return;
    grain_stiffness(parts, in, middle, &kt, &kt_before, &kt_half);
    if (parts.tangential) {
        three f = middle->friction;
        if (advance) {
            grain_stretch(parts, in, &in->slide_half, &middle->slide_stretch);
            grain_grow(parts, in, &kt, &kt_before, &kt_half, &middle->slide_stretch, &f);
        }
        middle->friction_end = f;
    }
    if (parts.rolling) {
        lanes ratio = WITH(in, kr), k = ratio * kt, k_before = ratio * kt_before, k_half = ratio * kt_half;
        three f = middle->rolling;
        if (advance) {
            grain_stretch(parts, in, &in->roll_half, &middle->roll_stretch);
            grain_grow(parts, in, &k, &k_before, &k_half, &middle->roll_stretch, &f);
        }
        middle->rolling_end = f;
    }
}

// Third, what dashpots add and how all is limited.
LANES_INLINE void grain_end(law_parts parts, bool advance, const grain_in* in, const grain_middle* middle, lanes* words, grain_out* out)
{
    const grain_layout l = grain_layout_of(parts);
    const lanes none = ALL(0.0);
    const bool damped = parts.damping != DAMPING_NONE;
    lanes cap = none, kt = none, kt_before = none, kt_half = none, gt = none;
    if (grain_turns(parts)) {
        cap = middle->cap;
        grain_stiffness(parts, in, middle, &kt, &kt_before, &kt_half);
        gt = damped ? WITH(in, gt) * middle->dashpot : none;
    }
    out->sliding = none > none;
    if (parts.tangential) {
        grain_slider s = {.k = kt, .k_before = kt_before, .k_half = kt_half, .dashpot = gt, .limit = WITH(in, mu) * cap, .slipping = WITH(in, mu_dynamic) * cap};
        three f = middle->friction_end;
        out->sliding = words[l.friction + 3] > none;
        grain_slide(parts, advance, in, &s, &in->slide, &middle->slide_stretch, &middle->friction, &f, &out->friction, &out->sliding, &out->rate[OWNER_TANGENTIAL], &out->lost[OWNER_TANGENTIAL]);
        if (advance) {
            words[l.friction] = f.x;
            words[l.friction + 1] = f.y;
            words[l.friction + 2] = f.z;
            if (parts.bridge)  // nor does anything slide across a gap
                out->sliding = out->sliding & (in->overlap > none);
            words[l.friction + 3] = KEEP(out->sliding, ALL(1.0));
        }
    }
    if (parts.rolling) {
        lanes ratio = WITH(in, kr), limit = WITH(in, mu_r) * cap;
        grain_slider s = {.k = ratio * kt, .k_before = ratio * kt_before, .k_half = ratio * kt_half, .dashpot = WITH(in, gr) * gt, .limit = limit, .slipping = limit};
        three f = middle->rolling_end;
        lane_bits slides = none > none;
        grain_slide(parts, advance, in, &s, &in->roll, &middle->roll_stretch, &middle->rolling, &f, &out->rolling, &slides, &out->rate[OWNER_ROLLING], &out->lost[OWNER_ROLLING]);
        if (advance) {
            words[l.rolling] = f.x;
            words[l.rolling + 1] = f.y;
            words[l.rolling + 2] = f.z;
        }
    }
    if (parts.twisting != TWISTING_NONE) {
        grain_slider s;
        if (parts.twisting == TWISTING_MARSHALL) {
            lanes a = middle->a, a_before = middle->a_before, a_half = middle->a_half;
            s = (grain_slider){.k = kt * (0.5 * a * a), .k_before = kt_before * (0.5 * a_before * a_before), .k_half = kt_half * (0.5 * a_half * a_half), .dashpot = gt * (0.5 * a * a),
                               .limit = 2.0 / 3.0 * WITH(in, mu) * a * cap};
        } else {
            lanes own = WITH(in, ktw), square = in->radius * in->radius;
            lane_bits given = own > none;
            s = (grain_slider){.k = PICK(given, own, kt * square), .k_before = PICK(given, own, kt_before * square), .k_half = PICK(given, own, kt_half * square), .dashpot = WITH(in, gtw) * gt * square, .limit = WITH(in, mu_tw) * cap};
        }
        lanes torque = words[l.twisting];
        grain_twist(parts, advance, in, &s, &torque, &out->twisting, &out->rate[OWNER_TWISTING], &out->lost[OWNER_TWISTING]);
        if (advance)
            words[l.twisting] = torque;
    }
    if (parts.bridge) {
        lanes pull;
        grain_bridge(in, &pull);
        out->normal = out->normal - pull;
        if (parts.normal != NORMAL_PLASTIC && advance)
            words[l.normal] = in->overlap;
    }
}

