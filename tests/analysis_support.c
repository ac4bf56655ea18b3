#include "analysis_support.h"

double draw_between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

void make_snapshot(scree_rng* rng, int dim, int32_t n, int64_t contacts, made* m)
{
    memset(m, 0, sizeof *m);
    m->now = scree_default_snapshot();
    m->now.box = scree_box_open(dim);
    for (int k = 0; k < dim; ++k) {
        m->now.box.lower[k] = draw_between(rng, -3.0, 3.0);
        m->now.box.upper[k] = m->now.box.lower[k] + draw_between(rng, 2.0, 6.0);
        m->now.box.periodic[k] = scree_rng_below(rng, 2) == 1;
    }
    const scree_box* box = &m->now.box;
    for (int32_t i = 0; i < n; ++i) {
        m->r[i] = draw_between(rng, 0.1, 0.4);
        m->mass[i] = draw_between(rng, 0.5, 2.0);
        m->group[i] = (int32_t)scree_rng_below(rng, 3);
        for (int k = 0; k < dim; ++k) {
            m->x[i * dim + k] = draw_between(rng, box->lower[k], box->upper[k]);
            m->v[i * dim + k] = draw_between(rng, -1.0, 1.0);
        }
    }
    for (int64_t c = 0; c < contacts; ++c) {
        m->ij[c][0] = (int64_t)scree_rng_below(rng, (uint64_t)n);
        m->ij[c][1] = (int64_t)scree_rng_below(rng, (uint64_t)n);
        int axis = (int)scree_rng_below(rng, (uint64_t)dim);
        if (c % 4 == 0 && !box->periodic[axis])
            m->ij[c][1] = -1 - (2 * axis + (int)scree_rng_below(rng, 2));
        m->overlap[c] = draw_between(rng, 0.0, 0.1);
        double square = 0.0;
        for (int k = 0; k < dim; ++k) {
            m->shift[c][k] = (int8_t)(box->periodic[k] && m->ij[c][1] >= 0 ? (int)scree_rng_below(rng, 3) - 1 : 0);
            m->normal[c][k] = draw_between(rng, -1.0, 1.0);
            m->force[c][k] = draw_between(rng, -1.0, 1.0);
            square += m->normal[c][k] * m->normal[c][k];
        }
        for (int k = 0; k < dim; ++k)
            m->normal[c][k] /= sqrt(square);
    }
    m->contacts = (scree_sim_contacts){.count = contacts, .ij = (const int64_t(*)[2])m->ij, .shift = (const int8_t(*)[3])m->shift, .overlap = m->overlap,
                                       .normal = (const double(*)[3])m->normal, .force = (const double(*)[3])m->force};
    m->now.spheres = (scree_spheres){.count = n, .dim = dim, .x = m->x, .r = m->r};
    m->now.mass = m->mass;
    m->now.v = m->v;
    m->now.group = m->group;
    m->now.contacts = &m->contacts;
    m->now.threads = 1;
}

scree_fields fields_of(const scree_snapshot* now, const scree_fields_def* def)
{
    scree_fields f;
    CHECK_OK(scree_measure_fields(now, def, &f));
    return f;
}

void check_found_contacts(const scree_snapshot* now)
{
    scree_contact_table found;
    CHECK_OK(scree_find_contacts(now, 0.0, &found));
    const scree_sim_contacts *a = &found.contacts, *b = now->contacts;
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->pair_count, b->pair_count);
    assert_true(a->force == NULL);
    for (int64_t c = 0; c < a->count; ++c) {
        int64_t with = 0;
        while (with < b->count && !(a->ij[c][0] == b->ij[with][0] && a->ij[c][1] == b->ij[with][1] &&
                                    (b->shift == NULL || a->ij[c][1] < 0 || memcmp(a->shift[c], b->shift[with], 3) == 0)))
            ++with;
        assert_true(with < b->count);
        CHECK_CLOSE(a->overlap[c], b->overlap[with], 1e-12);
        for (int k = 0; k < 3; ++k)
            CHECK_CLOSE(a->normal[c][k], b->normal[with][k], 1e-12);
    }
    scree_contact_table_free(&found);
}
