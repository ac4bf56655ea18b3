// The walk through one class, compiled by walk_plain.c and walk_avx2.c. Each defines WALK_CLASS and WALK_SELECT (the functions' names) and near_children, near_spheres, values_of, put_children
// and count_below before it includes this.
//
// Whether a node is near is unpredictable, and a mispredicted branch costs as much as the test of a node. If a good bound is known, the walk therefore goes level by level and appends the
// near children to a list without branches. Otherwise it goes depth first, nearest child first, because the spheres found there may exclude the others.
#define FOR_EACH_KIND static inline __attribute__((always_inline))

// The distance of centres, less the largest radius, up to which a node may have an answer.
FOR_EACH_KIND double reach_of(const walk* w)
{
    return (w->bound + w->x[3]) + w->slack;
}

// ---- What a sphere answers ------------------------------------------------------------------------------------------

FOR_EACH_KIND void put(walk* w, int64_t place, double value)
{
    if (w->status == SCREE_OK && w->row.count >= w->row.capacity)
        w->status = walk_make_room(&w->row, 1);
    if (w->status != SCREE_OK)
        return;
    w->row.value[w->row.count] = value;
    w->row.seen[w->row.count++] = (walk_seen){(uint32_t)place, {w->shift[0], w->shift[1], w->shift[2]}};
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

FOR_EACH_KIND unsigned unmasked(const uint32_t mask[bvh_fan], uint32_t with)
{
    unsigned bits = 0;
    for (int e = 0; e < bvh_fan; ++e)
        bits |= (unsigned)((mask[e] & with) != 0) << e;
    return bits;
}

// Within, nearest.
FOR_EACH_KIND void test_near(walk* w, int64_t i, ask_kind kind)
{
    const bvh_leaf* leaf = &w->bvh->leaf[i];
    double square[bvh_fan], value[bvh_fan];
    unsigned near = near_spheres(leaf, w->x, w->offset, kind == ASK_NEAREST ? w->bound + w->slack : w->bound, square);
    if (near == 0)
        return;
    if (w->bvh->mask != NULL)
        near &= unmasked(w->bvh->mask + i * bvh_fan, w->mask);
    if (kind == ASK_WITHIN && w->counts) {
        w->row.count += __builtin_popcount(near);
        return;
    }
    if (w->status == SCREE_OK && w->row.count >= w->row.capacity)
        w->status = walk_make_room(&w->row, 1);
    if (w->status != SCREE_OK)
        return;
    unsigned best = values_of(leaf, w->x[3], square, w->bound, w->most, value);
    if (kind == ASK_NEAREST)
        near &= best;
    double* to = w->row.value + w->row.count;
    walk_seen* seen = w->row.seen + w->row.count;
    const walk_seen here = {(uint32_t)(i * bvh_fan), {w->shift[0], w->shift[1], w->shift[2]}};
    for (unsigned e = 0, count = 0; e < bvh_fan; ++e) {
        to[count] = value[e];
        seen[count] = here;
        seen[count].place += e;
        count += near >> e & 1;
    }
    const int count = __builtin_popcount(near);
    w->row.count += count;
    for (int e = 0; kind == ASK_NEAREST && w->k == 1 && e < count; ++e)
        w->bound = to[e] < w->bound ? to[e] : w->bound;
}

FOR_EACH_KIND void test_leaf(walk* w, int64_t i, ask_kind kind)
{
    if (kind == ASK_WITHIN || kind == ASK_NEAREST) {
        test_near(w, i, kind);
        return;
    }
    const bvh_leaf* leaf = &w->bvh->leaf[i];
    const unsigned bits = w->bvh->mask != NULL ? unmasked(w->bvh->mask + i * bvh_fan, w->mask) : ~0u;
    for (int e = 0; e < bvh_fan && !isnan(leaf->r[e]); ++e) {
        const double x[4] = {leaf->x[0][e], leaf->x[1][e], leaf->x[2][e], leaf->r[e]};
        if ((bits >> e & 1) == 0)
            continue;
        double value = kind == ASK_BOX ? from_box(w, x) : enters(w, x);
        if (kind == ASK_BOX ? !(value <= x[3]) : value < 0.0 || value > w->bound)
            continue;
        put(w, i * bvh_fan + e, value);
        if (kind == ASK_RAY && !w->all)
            w->bound = value;
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

// False: there are too many for the list, and nothing has been done.
FOR_EACH_KIND bool walk_levels(walk* w, const bvh_class* of, const double at[3], ask_kind kind)
{
    enum { most = 256 };
    const scree_bvh* bvh = w->bvh;
    uint32_t lists[2][most + bvh_fan], *list = lists[0], *next = lists[1];
    int count = 1;
    list[0] = 0;
    for (int32_t level = of->levels; level > 0; --level) {
        const bvh_node* nodes = &bvh->node[of->level[level]];
        int found = 0;
        for (int e = 0; e < count; ++e) {
            const bvh_node* node = &nodes[list[e]];
            double square[bvh_fan];
            unsigned near = near_children(node, at, reach_of(w), square);
            if (bvh->mask != NULL)
                near &= unmasked(node->mask, w->mask);
            found = put_children(next, found, near, list[e] * bvh_fan);
            if (found > most)
                return false;
        }
        w->work += count * bvh_fan;
        uint32_t* kept = list;
        list = next;
        next = kept;
        count = found;
    }
    w->work += count * bvh_fan;
    for (int e = 0; e < count; ++e) {
        test_near(w, of->leaf + list[e], kind);
        if (kind == ASK_NEAREST && w->row.count >= w->k + w->k / 2 + 16)
            WALK_SELECT(w);
    }
    return true;
}

typedef struct visit_next {
    double square, r_max;  // of the bounds of its centres: from the query
    int32_t level;
    int64_t node;
} visit_next;

FOR_EACH_KIND void walk_kind(walk* w, const bvh_class* of, ask_kind kind)
{
    const scree_bvh* bvh = w->bvh;
    const double at[3] = {w->x[0] - w->offset[0], w->x[1] - w->offset[1], w->x[2] - w->offset[2]};
    const bool by_distance = kind == ASK_WITHIN || kind == ASK_NEAREST;
    if (by_distance && !w->loose && walk_levels(w, of, at, kind))
        return;
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
            if (kind == ASK_NEAREST && w->row.count > w->k + w->k / 2 + 4)
                WALK_SELECT(w);
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
        if (bvh->mask != NULL)
            near &= unmasked(node->mask, w->mask);
        const int begin = depth;
        for (; near != 0; near &= near - 1) {
            const int e = __builtin_ctz(near);
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

// The rank of a value is the number of smaller ones, counted without branches. Equal values share a rank, so the sum of the ranks is too small; they are then sorted by comparisons.
void WALK_SELECT(walk* w)
{
    enum { counted = 128 };
    walk_row* row = &w->row;
    if (w->once)
        walk_keep_once(w);
    const int64_t count = row->count;
    int64_t sum = -1;
    if (count == 1) {
        sum = 0;
    } else if (count <= counted) {
        int place[counted];
        sum = 0;
        for (int64_t e = 0; e < count; ++e)
            sum += place[e] = count_below(row->value, count, row->value[e]);
        if (sum == count * (count - 1) / 2) {
            for (int64_t e = 0; e < count; ++e) {
                row->spare_value[place[e]] = row->value[e];
                row->spare_seen[place[e]] = row->seen[e];
            }
            row->count = count < w->k ? count : w->k;
            double* value = row->value;
            walk_seen* seen = row->seen;
            row->value = row->spare_value;
            row->seen = row->spare_seen;
            row->spare_value = value;
            row->spare_seen = seen;
        }
    }
    if (sum != count * (count - 1) / 2)
        walk_sort(w, WALK_BY_VALUE, w->k);
    if (row->count == w->k && row->value[w->k - 1] < w->bound)
        w->bound = row->value[w->k - 1];
}
