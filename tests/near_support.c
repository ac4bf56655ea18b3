#include "near_support.h"

#include "geom/pair.h"

int compare_near_rows(const void* a, const void* b)
{
    const near_row *p = a, *q = b;
    if (p->j != q->j)
        return p->j < q->j ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (p->shift[k] != q->shift[k])
            return p->shift[k] < q->shift[k] ? -1 : 1;
    return 0;
}

enum { room = 400000 };

static near_work near_of_method(const method_table* method, const void* self, const items* it, const double xr[4], int32_t own, near_row* out)
{
    static int32_t ij[room][2];
    static int8_t shift[room][3];
    bool periodic = it->periodic[0] || it->periodic[1] || it->periodic[2];
    sink to = {.ij = ij, .shift = periodic ? shift : NULL, .room = room};
    method->near(self, xr, own, &to);
    assert_true(to.count <= room);
    for (int64_t h = 0; h < to.count; ++h) {
        assert_int_equal(ij[h][0], own);
        out[h] = (near_row){.j = ij[h][1]};
        if (periodic)
            memcpy(out[h].shift, shift[h], sizeof out[h].shift);
    }
    return (near_work){.found = to.count, .tests = to.tests};
}

static int64_t near_of_loop(const items* it, int32_t n, const bool* in, const double xr[4], int32_t own, near_row* out)
{
    int64_t count = 0;
    int most[3] = {0, 0, 0};
    for (int k = 0; k < it->dim; ++k)
        if (it->periodic[k])
            most[k] = 2 + (int)fmax(0.0, (xr[3] + it->r_max + it->gap) / it->length[k]);
    for (int32_t j = 0; j < n; ++j)
        for (int a = -most[0]; a <= most[0] && (in == NULL || in[j]); ++a)
            for (int b = -most[1]; b <= most[1]; ++b)
                for (int c = -most[2]; c <= most[2]; ++c) {
                    const double offset[3] = {a * it->length[0], b * it->length[1], c * it->length[2]};
                    if ((j == own && a == 0 && b == 0 && c == 0) || !scree_is_pair(xr, it->xr[j], offset, it->gap))
                        continue;
                    assert_true(count < room);
                    out[count++] = (near_row){.j = j, .shift = {(int8_t)a, (int8_t)b, (int8_t)c}};
                }
    return count;
}

near_work check_near(const method_table* method, const void* self, const items* it, int32_t n, const bool* in, const double xr[4], int32_t own,
                     const char* where)
{
    static near_row found[room], wanted[room];
    near_work work = near_of_method(method, self, it, xr, own, found);
    int64_t wanted_count = near_of_loop(it, n, in, xr, own, wanted);
    qsort(found, (size_t)work.found, sizeof *found, compare_near_rows);
    for (int64_t h = 0; h < work.found && h < wanted_count; ++h) {
        const near_row *f = &found[h], *w = &wanted[h];
        if (compare_near_rows(f, w) != 0)
            fail_msg("%s: near %.17g %.17g %.17g r %.17g: row %lld is %d (%d %d %d) and should be %d (%d %d %d)", where, xr[0], xr[1], xr[2],
                     xr[3], (long long)h, f->j, f->shift[0], f->shift[1], f->shift[2], w->j, w->shift[0], w->shift[1], w->shift[2]);
    }
    if (work.found != wanted_count)
        fail_msg("%s: near %.17g %.17g %.17g r %.17g: %lld found and should be %lld", where, xr[0], xr[1], xr[2], xr[3],
                 (long long)work.found, (long long)wanted_count);
    return work;
}
