// The walk through one class, compiled by walk_plain.c and walk_avx2.c. Each defines WALK_CLASS and WALK_SELECT (the functions' names), near_children, near_spheres and count_below before
// it includes this.
#define FOR_EACH_KIND static inline __attribute__((always_inline))

typedef struct visit_next {
    double square, r_max;  // of the bounds of its centres: from the query
    int32_t level;
    int64_t node;
} visit_next;

// The distance of centres, less the largest radius, up to which a node may have an answer.
FOR_EACH_KIND double reach_of(const walk* w)
{
    return (w->bound + w->x[3]) + w->slack;
}

// ---- What a sphere answers ------------------------------------------------------------------------------------------

FOR_EACH_KIND void add_hit(walk* w, int64_t place, double value, ask_kind kind)
{
    const scree_bvh* bvh = w->bvh;
    hit_row* to = w->to;
    if (w->status == SCREE_OK && to->count == to->capacity)
        w->status = SCREE_RESERVE(to->hit, to->capacity, to->count + 64);
    if (kind == ASK_NEAREST && w->status == SCREE_OK && to->count == to->value_capacity)
        w->status = SCREE_RESERVE(to->value, to->value_capacity, to->capacity);
    if (w->status != SCREE_OK)
        return;
    scree_hit hit = {.j = bvh->id[place], .value = value};
    for (int k = 0; k < 3 && bvh->turns != NULL; ++k)
        hit.shift[k] = w->shift[k] - bvh->turns[place][k];
    if (kind == ASK_NEAREST)
        to->value[to->count] = value;
    to->hit[to->count++] = hit;
}

// Of a ray, the first alone.
FOR_EACH_KIND void add_first(walk* w, int64_t place, double value)
{
    hit_row* to = w->to;
    add_hit(w, place, value, ASK_RAY);
    if (w->status == SCREE_OK && to->count - w->begin == 2) {
        if (walk_comes_before(&to->hit[w->begin + 1], &to->hit[w->begin], true))
            to->hit[w->begin] = to->hit[w->begin + 1];
        --to->count;
    }
    if (w->status == SCREE_OK)
        w->bound = to->hit[w->begin].value;
}

// t where the ray enters a sphere; below 0: it does not.
FOR_EACH_KIND double enters(const walk* w, const double x[4])
{
    double m[3], b = 0.0, c = 0.0, a = 0.0;
    for (int k = 0; k < 3; ++k) {
        m[k] = (x[k] - w->x[k]) + w->offset[k];
        b += m[k] * w->direction[k];
        c += m[k] * m[k];
        a += w->direction[k] * w->direction[k];
    }
    c -= x[3] * x[3];
    if (c <= 0.0)
        return 0.0;
    double rest = b * b - a * c;
    return b > 0.0 && rest >= 0.0 ? c / (b + sqrt(rest)) : -1.0;
}

// Distance of a centre from the box.
FOR_EACH_KIND double from_box(const walk* w, const double x[4])
{
    double square = 0.0;
    for (int k = 0; k < w->bvh->dim; ++k) {
        double at = x[k] + w->offset[k], out = fmax(fmax(w->lower[k] - at, at - w->upper[k]), 0.0);
        square += out * out;
    }
    return sqrt(square);
}

FOR_EACH_KIND bool is_masked(const walk* w, int64_t place)
{
    return w->bvh->mask != NULL && (w->bvh->mask[place] & w->mask) == 0;
}

FOR_EACH_KIND void test_leaf(walk* w, int64_t i, ask_kind kind)
{
    const bvh_leaf* leaf = &w->bvh->leaf[i];
    if (kind == ASK_WITHIN || kind == ASK_NEAREST) {
        double square[bvh_fan];
        unsigned near = near_spheres(leaf, w->x, w->offset, kind == ASK_NEAREST ? w->bound + w->slack : w->bound, square);
        for (; near != 0; near &= near - 1) {
            const int e = __builtin_ctz(near);
            const int64_t place = i * bvh_fan + e;
            if (is_masked(w, place))
                continue;
            double value = sqrt(square[e]) - (w->x[3] + leaf->r[e]);
            if (kind == ASK_NEAREST && !(value <= w->bound && value < w->most))
                continue;
            add_hit(w, place, value, kind);
            if (kind == ASK_NEAREST && w->k == 1)
                w->bound = value;
        }
        if (kind == ASK_NEAREST && w->to->count >= 2 * w->k + 16)
            WALK_SELECT(w);
        return;
    }
    for (int e = 0; e < bvh_fan && !isnan(leaf->r[e]); ++e) {
        const int64_t place = i * bvh_fan + e;
        const double x[4] = {leaf->x[0][e], leaf->x[1][e], leaf->x[2][e], leaf->r[e]};
        if (is_masked(w, place))
            continue;
        double value = kind == ASK_BOX ? from_box(w, x) : enters(w, x);
        if (kind == ASK_BOX ? !(value <= x[3]) : value < 0.0 || value > w->bound)
            continue;
        if (kind == ASK_BOX || w->all)
            add_hit(w, place, value, kind);
        else
            add_first(w, place, value);
    }
}

// ---- Nodes ------------------------------------------------------------------------------------------------------------

// Whether a child may have an answer; of a ray from which t on.
FOR_EACH_KIND bool may_answer(const walk* w, const bvh_node* node, int e, ask_kind kind, double* from)
{
    const double more = node->r_max[e] + w->slack;
    double to = w->bound;
    *from = 0.0;
    for (int k = 0; k < w->bvh->dim; ++k) {
        if (kind == ASK_BOX) {
            if (w->lower[k] - w->offset[k] > node->upper[k][e] + more || w->upper[k] - w->offset[k] < node->lower[k][e] - more)
                return false;
            continue;
        }
        double low = ((node->lower[k][e] - w->x[k]) + w->offset[k]) - more, high = ((node->upper[k][e] - w->x[k]) + w->offset[k]) + more;
        if (w->direction[k] == 0.0) {
            if (low > 0.0 || high < 0.0)
                return false;
            continue;
        }
        double one = low / w->direction[k], other = high / w->direction[k];
        *from = fmax(*from, fmin(one, other) * (1.0 - 1e-12));
        to = fmin(to, fmax(one, other) * (1.0 + 1e-12));
    }
    return *from <= to;
}

// Nearer ones are looked into first, since what they give may rule out the others.
FOR_EACH_KIND void walk_kind(walk* w, const bvh_class* of, ask_kind kind)
{
    const scree_bvh* bvh = w->bvh;
    const double at[3] = {w->x[0] - w->offset[0], w->x[1] - w->offset[1], w->x[2] - w->offset[2]};
    const bool masked = bvh->mask != NULL, by_distance = kind == ASK_WITHIN || kind == ASK_NEAREST;
    visit_next stack[bvh_levels_most * bvh_fan];
    int depth = 0;
    stack[depth++] = (visit_next){0.0, INFINITY, of->levels, 0};
    while (depth > 0 && w->status == SCREE_OK) {
        const visit_next now = stack[--depth];
        if (kind == ASK_NEAREST) {
            double reach = reach_of(w) + now.r_max;
            if (!(reach > 0.0 && now.square <= reach * reach))
                continue;
        } else if (kind == ASK_RAY && now.square > w->bound) {
            continue;
        }
        w->work += bvh_fan;
        if (now.level == 0) {
            test_leaf(w, of->leaf + now.node, kind);
            continue;
        }
        const bvh_node* node = &bvh->node[of->level[now.level] + now.node];
        double square[bvh_fan];
        unsigned near = 0;
        if (by_distance) {
            near = near_children(node, at, reach_of(w), square);
        } else {
            for (int e = 0; e < bvh_fan && !isnan(node->r_max[e]); ++e)
                near |= (unsigned)may_answer(w, node, e, kind, &square[e]) << e;
        }
        const int begin = depth;
        for (; near != 0; near &= near - 1) {
            const int e = __builtin_ctz(near);
            if (masked && (node->mask[e] & w->mask) == 0)
                continue;
            int to = depth++;
            for (; kind != ASK_WITHIN && kind != ASK_BOX && to > begin && stack[to - 1].square < square[e]; --to)
                stack[to] = stack[to - 1];
            stack[to] = (visit_next){square[e], node->r_max[e], now.level - 1, now.node * bvh_fan + e};
        }
    }
}

void WALK_CLASS(walk* w, const bvh_class* of)
{
    switch (w->kind) {
    case ASK_WITHIN:
        walk_kind(w, of, ASK_WITHIN);
        break;
    case ASK_NEAREST:
        walk_kind(w, of, ASK_NEAREST);
        break;
    case ASK_BOX:
        walk_kind(w, of, ASK_BOX);
        break;
    case ASK_RAY:
        walk_kind(w, of, ASK_RAY);
        break;
    }
}

// The place of each is the number of smaller ones, counted without branches; of equal ones this is one place for all, so that the sum of the places is too small, and then they are sorted.
void WALK_SELECT(walk* w)
{
    enum { counted = 128 };
    hit_row* to = w->to;
    const int64_t count = to->count, kept = count < w->k ? count : w->k;
    int64_t sum = 0;
    if (count <= counted) {
        int place[counted];
        scree_hit sorted[counted];
        for (int64_t e = 0; e < count; ++e)
            sum += place[e] = count_below(to->value, count, to->value[e]);
        if (sum == count * (count - 1) / 2) {
            for (int64_t e = 0; e < count; ++e)
                sorted[place[e]] = to->hit[e];
            memcpy(to->hit, sorted, (size_t)kept * sizeof *sorted);
        }
    }
    if (count > counted || sum != count * (count - 1) / 2)
        walk_sort(to->hit, count, true);
    for (int64_t e = 0; e < kept; ++e)
        to->value[e] = to->hit[e].value;
    to->count = kept;
    if (kept == w->k && to->value[kept - 1] < w->bound)
        w->bound = to->value[kept - 1];
}
