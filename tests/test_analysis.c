// analysis: every measure against a closed form or against a second, naive implementation written here.
#include "analysis_support.h"

#include "scree/files.h"
#include "scree/measure.h"
#include "sim_support.h"

static const double pi = 3.14159265358979323846;

// ---- Fields ------------------------------------------------------------------------------------------------------

// Spheres that are pressed into the round wall of a cylinder and its ends: contacts by a search are those of the simulation, and forces go over the right areas.
static void round_walls_have_areas(void** state)
{
    (void)state;
    const double x[] = {1.05, 1.05 + 0.8, 1.0, 1.05 - 0.8, 1.05, 2.0, 1.05, 1.05 - 0.8, 2.78, 1.05 + 0.8, 1.05, 0.22}, r[] = {0.3, 0.3, 0.3, 0.3};
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (const double[3]){2.1, 2.1, 3.0});
    def.container = SCREE_CONTAINER_CYLINDER;
    def.stiffness = 100.0;
    def.threads = 1;
    scree_sim* sim;
    scree_sim_contacts contacts;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 4, .dim = 3, .x = x, .r = r}, NULL, &sim));
    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
    assert_int_equal(contacts.count, 6);
    scree_snapshot now = scree_default_snapshot();
    now.box = def.box;
    now.container = SCREE_CONTAINER_CYLINDER;
    now.spheres = (scree_spheres){.count = 4, .dim = 3, .x = x, .r = r};
    now.contacts = &contacts;
    check_found_contacts(&now);
    scree_wall_stress stress;
    CHECK_OK(scree_measure_wall_stress(&now, 6, &stress));
    assert_int_equal(stress.contacts, 4);
    CHECK_CLOSE(stress.area, 2.0 * pi * 1.05 * 3.0, 1e-12);
    CHECK_CLOSE(stress.pressure, 4.0 * 100.0 * 0.05 / stress.area, 1e-10);
    CHECK_CLOSE(stress.force[0], 0.0, 1e-10);
    CHECK_OK(scree_measure_wall_stress(&now, 5, &stress));
    CHECK_CLOSE(stress.area, pi * 1.05 * 1.05, 1e-12);
    CHECK_CLOSE(stress.stress[2], 100.0 * 0.08 / stress.area, 1e-10);
    CHECK_OK(scree_measure_wall_stress(&now, 0, &stress));  // no flat wall there
    assert_true(stress.contacts == 0 && isnan(stress.area) && isnan(stress.pressure));
    scree_sim_destroy(sim);
}

static void threads_change_no_bit(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(3, 0);
    for (int kernel = 0; kernel < SCREE_KERNEL_COUNT; ++kernel) {
        made m;
        make_snapshot(&rng, 3, 30, 6, &m);
        scree_fields_def def = scree_default_fields_def();
        def.kernel = kernel;
        def.width = 0.7;
        def.cells[2] = 37;
        scree_fields one = fields_of(&m.now, &def);
        for (int threads = 2; threads <= 7; threads += 5) {
            m.now.threads = threads;
            scree_fields more = fields_of(&m.now, &def);
            size_t count = (size_t)one.count;
            assert_memory_equal(one.density, more.density, count * sizeof *one.density);
            assert_memory_equal(one.kinetic_stress, more.kinetic_stress, count * sizeof *one.kinetic_stress);
            assert_memory_equal(one.contact_stress, more.contact_stress, count * sizeof *one.contact_stress);
            scree_fields_free(&more);
        }
        scree_fields_free(&one);
    }
}

// ---- The network -------------------------------------------------------------------------------------------------

static scree_network network_of(const scree_snapshot* now)
{
    scree_network_def def = scree_default_network_def();
    scree_network n;
    CHECK_OK(scree_measure_network(now, &def, &n));
    return n;
}

// Normals of lattices, whose fabric is known; weights by force.
static void fabric_of_lattices(void** state)
{
    (void)state;
    static const struct {
        int dim, count;
        double normal[6][3], force[6], values[3], anisotropy, by_force[3], force_anisotropy;
    } known[] = {
        {3, 3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 2}, {1. / 3, 1. / 3, 1. / 3}, 0.0, {0.5, 0.25, 0.25}, 0.25},
        {3, 1, {{0, 0.6, 0.8}}, {3}, {1, 0, 0}, 1.0, {1, 0, 0}, 1.0},
        {3, 2, {{1, 0, 0}, {0, 1, 0}}, {1, 1}, {0.5, 0.5, 0}, 0.5, {0.5, 0.5, 0}, 0.5},
        {3, 6, {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}}, {1, 1, 1, 1, 1, 1}, {1. / 3, 1. / 3, 1. / 3}, 0.0, {1. / 3, 1. / 3, 1. / 3}, 0.0},
        {2, 3, {{1, 0, 0}, {0.5, 0.86602540378443864676, 0}, {-0.5, 0.86602540378443864676, 0}}, {1, 1, 1}, {0.5, 0.5, 0}, 0.0, {0.5, 0.5, 0}, 0.0},
        {2, 2, {{1, 0, 0}, {0, 1, 0}}, {3, 1}, {0.5, 0.5, 0}, 0.0, {0.75, 0.25, 0}, 0.5},
    };
    for (size_t e = 0; e < sizeof known / sizeof *known; ++e) {
        made m;
        scree_rng rng = scree_rng_make(4, e);
        make_snapshot(&rng, known[e].dim, 2, known[e].count, &m);
        for (int c = 0; c < known[e].count; ++c) {
            double length = 0.0;
            for (int k = 0; k < 3; ++k)
                length += known[e].normal[c][k] * known[e].normal[c][k];
            for (int k = 0; k < 3; ++k) {
                m.normal[c][k] = known[e].normal[c][k] / sqrt(length);
                m.force[c][k] = known[e].force[c] * m.normal[c][k];
            }
            m.ij[c][0] = 0;
            m.ij[c][1] = 1;
        }
        scree_network n = network_of(&m.now);
        for (int k = 0; k < 3; ++k) {
            CHECK_CLOSE(n.fabric.values[k], known[e].values[k], 1e-15);
            CHECK_CLOSE(n.force_fabric.values[k], known[e].by_force[k], 1e-15);
        }
        CHECK_CLOSE(n.fabric.anisotropy, known[e].anisotropy, 1e-15);
        CHECK_CLOSE(n.force_fabric.anisotropy, known[e].force_anisotropy, 1e-15);
        scree_network_free(&n);
    }
    // Of random normals the eigenvalues have the invariants of the tensor.
    scree_rng rng = scree_rng_make(5, 0);
    for (int round = 0; round < 20; ++round) {
        made m;
        make_snapshot(&rng, 2 + round % 2, 5, 30, &m);
        scree_network n = network_of(&m.now);
        double sum[2] = {0.0}, values[2] = {0.0}, (*t)[3] = n.fabric.tensor;
        for (int k = 0; k < 3; ++k) {
            sum[0] += t[k][k];
            values[0] += n.fabric.values[k];
            values[1] += n.fabric.values[k] * n.fabric.values[k];
            for (int l = 0; l < 3; ++l)
                sum[1] += t[k][l] * t[k][l];
        }
        double det = t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) - t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
                     t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
        CHECK_CLOSE(sum[0], 1.0, 1e-14);
        CHECK_CLOSE(values[0], sum[0], 1e-14);
        CHECK_CLOSE(values[1], sum[1], 1e-14);
        CHECK_CLOSE(n.fabric.values[0] * n.fabric.values[1] * n.fabric.values[2], det, 1e-14);
        assert_true(n.fabric.values[0] >= n.fabric.values[1] && n.fabric.values[1] >= n.fabric.values[2]);
        scree_network_free(&n);
    }
}

static void forces_are_counted_over_their_mean(void** state)
{
    (void)state;
    made m;
    scree_rng rng = scree_rng_make(6, 0);
    make_snapshot(&rng, 3, 5, 4, &m);
    static const double size[4] = {1.0, 2.0, 3.0, 6.0};  // mean 3
    for (int c = 0; c < 4; ++c) {
        m.ij[c][0] = c;
        m.ij[c][1] = c + 1;
        const double across[3] = {-m.normal[c][1], m.normal[c][0], 0.0};  // what is not normal does not count
        for (int k = 0; k < 3; ++k)
            m.force[c][k] = size[c] * m.normal[c][k] + 5.0 * across[k];
    }
    scree_network_def def = scree_default_network_def();
    def.force_bins = 4;
    scree_network n;
    CHECK_OK(scree_measure_network(&m.now, &def, &n));
    CHECK_CLOSE(n.force_mean, 3.0, 1e-14);
    CHECK_CLOSE(n.force_max, 6.0, 1e-14);
    static const int64_t number[4] = {1, 1, 1, 1};  // 1/3, 2/3, 1, 2 in bins of 0.5; rounding may put 1 into either
    for (int b = 0; b < 4; ++b) {
        CHECK_CLOSE(n.edge[b], 0.5 * b, 1e-14);
        CHECK_CLOSE(n.probability[b], (double)n.number[b] / 4.0 / 0.5, 1e-14);
        if (b == 0 || b == 3)
            assert_int_equal(n.number[b], number[b]);
    }
    CHECK_CLOSE(n.edge[4], 2.0, 1e-14);
    assert_int_equal(n.number[1] + n.number[2], 2);
    scree_network_free(&n);
    for (int k = 0; k < 3; ++k)  // one that pulls
        m.force[0][k] = -1.0 * m.normal[0][k];
    CHECK_OK(scree_measure_network(&m.now, &def, &n));
    CHECK_CLOSE(n.force_mean, 2.5, 1e-14);
    CHECK_CLOSE(n.edge[0], -0.4, 1e-14);
    assert_int_equal(n.number[0], 1);
    double sum = 0.0;
    for (int b = 0; b < 4; ++b)
        sum += n.probability[b] * (n.edge[b + 1] - n.edge[b]);
    CHECK_CLOSE(sum, 1.0, 1e-14);
    scree_network_free(&n);
    def.force_from = 0.0;  // -0.4, 0.8, 1.2 and 2.4 of the mean
    def.force_to = 2.0;
    CHECK_OK(scree_measure_network(&m.now, &def, &n));
    assert_true(n.outside == 2 && n.number[0] == 0 && n.number[1] == 1 && n.number[2] == 1 && n.number[3] == 0);
    CHECK_CLOSE(n.probability[1], 0.5, 1e-14);
    CHECK_CLOSE(n.edge[4], 2.0, 0.0);
    scree_network_free(&n);
    def.force_from = 3.0;
    CHECK_FAILS(scree_measure_network(&m.now, &def, &n), SCREE_ERR_ARGUMENT, "3", "2");
    def = scree_default_network_def();
    m.contacts.force = NULL;
    CHECK_OK(scree_measure_network(&m.now, &def, &n));
    assert_true(n.bins == 0 && isnan(n.force_mean) && n.force_fabric.values[0] == 0.0 && n.fabric.values[0] > 0.0);
    scree_network_free(&n);
}

// The same by spreading labels again and again, in a box that is repeated 2 n + 1 times along the axis: a cluster winds if it gets to an image of itself.
static void naive_clusters(const made* m, int axis, int32_t* label, bool* winds)
{
    enum { copies = 5 };
    int32_t n = m->now.spheres.count, at[most * copies];
    for (int32_t i = 0; i < n * copies; ++i)
        at[i] = i;
    for (bool again = true; again;) {
        again = false;
        for (int64_t c = 0; c < m->contacts.count; ++c)
            for (int t = 0; t < copies && m->ij[c][1] >= 0; ++t) {
                int to = ((t + m->shift[c][axis]) % copies + copies) % copies;
                int32_t *a = &at[m->ij[c][0] + n * t], *b = &at[m->ij[c][1] + n * to];
                if (*a != *b) {
                    *a = *b = *a < *b ? *a : *b;
                    again = true;
                }
            }
    }
    for (int32_t i = 0; i < n; ++i) {
        winds[i] = false;
        for (int t = 1; t < copies; ++t)
            winds[i] = winds[i] || at[i + n * t] == at[i];
        label[i] = n;
        for (int32_t j = 0; j < n; ++j)
            for (int t = 0; t < copies; ++t)
                if (at[j + n * t] == at[i] && j < label[i])
                    label[i] = j;
    }
}

static void clusters_agree_with_the_naive_way(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(8, 0);
    int rounds = (int)(100 * test_effort()), winding = 0;
    for (int round = 0; round < rounds; ++round) {
        made m;
        int32_t n = 2 + (int32_t)scree_rng_below(&rng, 12);
        make_snapshot(&rng, 2 + round % 2, n, (int64_t)scree_rng_below(&rng, 14), &m);
        scree_network found = network_of(&m.now);
        int64_t pairs = 0;
        for (int64_t c = 0; c < m.contacts.count; ++c)
            pairs += m.ij[c][1] >= 0;
        assert_int_equal(found.contacts, pairs);
        CHECK_CLOSE(found.coordination, 2.0 * (double)pairs / n, 0.0);
        for (int k = 0; k < m.now.spheres.dim; ++k) {
            int32_t label[most];
            bool winds[most];
            naive_clusters(&m, k, label, winds);
            for (int32_t i = 0; i < n; ++i) {
                bool wanted = winds[i];
                int32_t size = 0, faces = 0;
                for (int32_t j = 0; j < n; ++j) {
                    assert_true((found.cluster[i] == found.cluster[j]) == (label[i] == label[j]));
                    size += label[i] == label[j];
                }
                for (int64_t c = 0; c < m.contacts.count; ++c)
                    if (m.ij[c][1] < 0 && (-1 - m.ij[c][1]) / 2 == k && label[m.ij[c][0]] == label[i])
                        faces |= 1 << (-1 - m.ij[c][1]) % 2;
                if (!m.now.box.periodic[k])
                    wanted = faces == 3;
                assert_int_equal(found.cluster_size[found.cluster[i]], size);
                assert_int_equal(found.cluster_axes[found.cluster[i]] >> k & 1, wanted);
                assert_true(found.percolates[k] || !wanted);
                winding += wanted;
            }
        }
        scree_network_free(&found);
    }
    assert_true(winding > 10);
}

// Two bonded bodies that touch, and a sphere without bonds on them: bonds break, contacts stay. The second body winds around the box.
static void fragments_by_hand(void** state)
{
    (void)state;
    enum { n = 9 };
    const double x[2 * n] = {1, 1, 2, 1, 3, 1, 1, 2, 3, 2, 5, 2, 7, 2, 9, 2, 2, 2}, r[n] = {0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5}, mass[n] = {1, 1, 2, 1, 4, 4, 4, 4, 7};
    const int64_t ij[8][2] = {{0, 1}, {1, 2}, {0, 3}, {1, 3}, {4, 5}, {5, 6}, {6, 7}, {4, 7}};
    const int8_t shift[8][3] = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {-1, 0, 0}};
    int64_t broken_at[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    uint8_t cause[8] = {0};
    scree_sim_bonds bonds = {.count = 8, .ij = ij, .shift = shift, .broken_at = broken_at, .cause = cause};
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(2, (const double[2]){8, 3});
    now.box.lower[0] = 1.5;
    now.box.upper[0] = 9.5;
    now.box.periodic[0] = true;
    now.spheres = (scree_spheres){.count = n, .dim = 2, .x = x, .r = r};
    now.mass = mass;
    now.bonds = &bonds;
    scree_contact_table touching;
    CHECK_OK(scree_find_contacts(&now, 0.01, &touching));
    now.contacts = &touching.contacts;
    scree_network_def def = scree_default_network_def();
    scree_network network;
    for (int by_bonds = 0; by_bonds < 2; ++by_bonds) {
        def.clusters = by_bonds;
        CHECK_OK(scree_measure_network(&now, &def, &network));
        assert_true(network.percolates[0]);
        assert_int_equal(network.clusters, by_bonds ? 3 : 1);
        assert_int_equal(network.cluster_max, by_bonds ? 4 : n);
        assert_true(!by_bonds || (network.cluster_axes[0] == 0 && network.cluster_axes[1] == 1));
        scree_network_free(&network);
    }
    scree_fragments found;
    CHECK_OK(scree_measure_fragments(&now, &found));
    assert_true(found.bonded == 8 && found.fragments == 2 && found.fragment_max == 4 && found.bonds == 8 && found.bonds_broken == 0 && found.fragment[8] == -1 && found.fragment[7] == 1);
    CHECK_CLOSE(found.fragment_share_max, 16.0 / 21.0, 1e-15);
    scree_fragments_free(&found);
    broken_at[1] = 5;  // sphere 2 loses its only bond, the second body falls into two
    broken_at[4] = 7;
    broken_at[6] = 7;
    cause[1] = SCREE_BOND_SHEAR;
    cause[4] = cause[6] = SCREE_BOND_TENSION;
    CHECK_OK(scree_measure_fragments(&now, &found));
    static const int32_t fragment[n] = {0, 0, 1, 0, 2, 3, 3, 2, -1}, size[4] = {3, 1, 2, 2};
    assert_memory_equal(found.fragment, fragment, sizeof fragment);
    assert_memory_equal(found.size, size, sizeof size);
    assert_true(found.fragments == 4 && found.fragment_max == 3 && found.bonds == 5 && found.bonds_broken == 3 && found.bonds_broken_tension == 2 && found.bonds_broken_shear == 1);
    CHECK_CLOSE(found.fragment_share_max, 8.0 / 21.0, 1e-15);
    CHECK_CLOSE(found.mass[0], 3.0, 1e-15);
    scree_fragments_free(&found);
    CHECK_OK(scree_measure_network(&now, &def, &network));
    assert_true(network.clusters == 5 && network.cluster_max == 3 && !network.percolates[0]);
    scree_network_free(&network);
    const int64_t wrong[1][2] = {{3, 9}};
    bonds.ij = wrong;
    bonds.count = 1;
    CHECK_FAILS(scree_measure_fragments(&now, &found), SCREE_ERR_ARGUMENT, "bond 0", "3", "9");
    now.bonds = NULL;
    CHECK_FAILS(scree_measure_fragments(&now, &found), SCREE_ERR_ARGUMENT, "bonds");
    CHECK_FAILS(scree_measure_network(&now, &def, &network), SCREE_ERR_ARGUMENT, "bonds");
    def.clusters = 2;
    CHECK_FAILS(scree_measure_network(&now, &def, &network), SCREE_ERR_ARGUMENT, "clusters", "2");
    scree_contact_table_free(&touching);
}

// Rattlers of listed contacts are those of scree_measure_contacts, which searches for them.
static void rattlers_are_those_of_measure(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(9, 0);
    int fewer = 0;
    for (int round = 0; round < 20; ++round) {
        made m;
        make_snapshot(&rng, 2, 12, 0, &m);
        for (int i = 0; i < 12; ++i)
            m.r[i] = 0.7;
        m.now.box = scree_box_sized(2, (const double[2]){4.0, 4.0});
        m.now.box.periodic[0] = round % 2 == 0;
        for (int i = 0; i < 24; ++i)
            m.x[i] = draw_between(&rng, 0.0, 4.0);
        scree_measure_def def = scree_default_measure_def();
        def.box = m.now.box;
        def.gap = 0.0;
        scree_contact_counts wanted;
        CHECK_OK(scree_measure_contacts(&def, m.now.spheres, &wanted));
        scree_index_def index_def = scree_default_index_def();
        index_def.box = m.now.box;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&index_def, &index));
        CHECK_OK(scree_index_update(index, m.now.spheres));
        CHECK_OK(scree_index_pairs(index, &pairs));
        int64_t count = 0;
        for (int64_t p = 0; p < pairs.count; ++p, ++count)
            for (int k = 0; k < 2; ++k) {
                m.ij[count][k] = pairs.ij[p][k];
                m.shift[count][k] = pairs.shift != NULL ? pairs.shift[p][k] : 0;
            }
        for (int i = 0; i < 12; ++i)
            for (int b = 0; b < 4; ++b) {
                double gap = (b % 2 == 0 ? m.x[2 * i + b / 2] : 4.0 - m.x[2 * i + b / 2]) - m.r[i];
                if (!m.now.box.periodic[b / 2] && gap < 0.0) {
                    m.ij[count][0] = i;
                    m.ij[count++][1] = -1 - b;
                }
            }
        assert_true(count < most);
        m.contacts.count = count;
        scree_network found = network_of(&m.now);
        assert_int_equal(found.rattlers, wanted.rattlers);
        assert_memory_equal(found.rattler, wanted.rattler, 12);
        assert_int_equal(found.wall_contacts, wanted.wall_contacts);
        CHECK_CLOSE(found.coordination, wanted.coordination, 0.0);
        CHECK_CLOSE(found.backbone_coordination, wanted.backbone_coordination, 0.0);
        CHECK_CLOSE(found.mechanical_coordination, wanted.mechanical_coordination, 0.0);
        assert_true(found.contacts_min == 3 && found.no_contact == wanted.no_contact && found.one_contact == wanted.one_contact);
        scree_network_free(&found);
        scree_contact_counts_free(&wanted);
        const double tangential[most][3] = {{0.0}};  // contacts of a law with friction: two hold a sphere
        def.least_contacts = 2;
        CHECK_OK(scree_measure_contacts(&def, m.now.spheres, &wanted));
        m.contacts.tangential = tangential;
        found = network_of(&m.now);
        assert_true(found.contacts_min == 2 && found.rattlers == wanted.rattlers && found.backbone_contacts == wanted.backbone_near);
        fewer += found.rattlers < 12;
        scree_network_free(&found);
        scree_contact_counts_free(&wanted);
        m.contacts.tangential = NULL;
        scree_index_destroy(index);
    }
    assert_true(fewer > 10);
}

// ---- Groups, mixing ----------------------------------------------------------------------------------------------

static void groups_by_hand(void** state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, r[] = {0.5, 1.0, 0.5}, v[] = {1, 0, 0, 0, 2, 0, 3, 0, 0}, mass[] = {2, 3, 2};
    const double spin[] = {0, 0, 2, 1, 1, 1, 0, 0, 0};
    const int32_t group[] = {2, 0, 2};
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(3, (const double[3]){10, 10, 10});
    now.spheres = (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r};
    now.v = v;
    now.mass = mass;
    now.spin = spin;
    now.group = group;
    now.gravity[2] = -10.0;
    scree_group_table t;
    CHECK_OK(scree_measure_groups(&now, &t));
    assert_int_equal(t.count, 3);
    assert_true(t.groups[1].count == 0 && isnan(t.groups[1].centre[0]) && t.groups[1].temperature == 0.0);
    assert_int_equal(t.groups[2].count, 2);
    assert_int_equal(t.groups[2].group, 2);
    CHECK_CLOSE(t.groups[2].mass, 4.0, 0.0);
    CHECK_CLOSE(t.groups[2].centre[0], 4.0, 1e-15);
    CHECK_CLOSE(t.groups[2].momentum[0], 8.0, 1e-15);
    CHECK_CLOSE(t.groups[2].energy_kinetic, 10.0, 1e-14);
    CHECK_CLOSE(t.groups[2].energy_rotation, 0.5 * 0.4 * 2 * 0.25 * 4.0, 1e-15);
    CHECK_CLOSE(t.groups[2].energy_gravity, 2 * 10 * 3 + 2 * 10 * 9, 1e-12);
    CHECK_CLOSE(t.groups[2].temperature, 1.0 / 3.0, 1e-15);  // velocities 1 and 3 about 2, in 3D
    CHECK_CLOSE(t.groups[0].energy_rotation, 0.5 * 0.4 * 3 * 3, 1e-15);
    scree_group_table_free(&t);
}

// Over all assignments of the groups to the spheres both indices are 1 on average, exactly.
static void mixing_of_all_assignments(void** state)
{
    (void)state;
    enum { n = 9 };
    const double r[n] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    double x[2 * n], lacey = 0.0, neighbours = 0.0;
    scree_rng rng = scree_rng_make(10, 0);
    for (int i = 0; i < 2 * n; ++i)
        x[i] = draw_between(&rng, 0.0, 3.0);
    int32_t group[n];
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(2, (const double[2]){3, 3});
    now.box.periodic[0] = true;
    now.spheres = (scree_spheres){.count = n, .dim = 2, .x = x, .r = r};
    now.group = group;
    now.threads = 1;
    scree_mixing_def def = scree_default_mixing_def();
    def.cells[0] = 2;
    def.cells[1] = 2;
    def.gap = 0.5;
    int count = 0;
    for (int mask = 0; mask < 1 << n; ++mask) {
        int ones = 0;
        for (int i = 0; i < n; ++i)
            ones += group[i] = mask >> i & 1;
        if (ones != 4)
            continue;
        scree_mixing m;
        CHECK_OK(scree_measure_mixing(&now, &def, &m));
        lacey += m.lacey;
        neighbours += m.neighbours;
        ++count;
    }
    assert_int_equal(count, 126);
    CHECK_CLOSE(lacey / count, 1.0, 1e-13);
    CHECK_CLOSE(neighbours / count, 1.0, 1e-13);
}

// Spheres of many sizes: labels at random, and spheres with their labels at random places. The index by number of such systems is not 1 where labels go by size.
static void mixing_of_many_sizes(void** state)
{
    (void)state;
    enum { n = 600, rounds = 60 };
    static double x[2 * n], r[n], mass[n];
    static int32_t group[n];
    scree_rng rng = scree_rng_make(12, 0);
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(2, (const double[2]){30, 30});
    now.box.periodic[0] = now.box.periodic[1] = true;
    now.spheres = (scree_spheres){.count = n, .dim = 2, .x = x, .r = r};
    now.group = group;
    now.threads = 1;
    scree_mixing_def def = scree_default_mixing_def();
    for (int by_size = 0; by_size < 2; ++by_size)
        for (int with_mass = 0; with_mass < 2; ++with_mass) {
            double lacey = 0.0, unlike = 0.0, expected = 0.0;
            now.mass = with_mass ? mass : NULL;
            for (int round = 0; round < rounds; ++round) {
                for (int i = 0; i < n; ++i) {
                    r[i] = pow(2.0, 2.0 * scree_rng_uniform(&rng)) * 0.2;
                    mass[i] = (r[i] < 0.4 ? 3.0 : 1.0) * r[i] * r[i];
                    group[i] = by_size ? r[i] > 0.5 : (int32_t)scree_rng_below(&rng, 3);
                    for (int k = 0; k < 2; ++k)
                        x[2 * i + k] = draw_between(&rng, 0.0, 30.0);
                }
                scree_mixing m;
                CHECK_OK(scree_measure_mixing(&now, &def, &m));
                assert_true(m.cells[0] == m.cells[1] && m.cells[0] >= 3 && m.cells[0] <= 4);
                lacey += m.lacey / rounds;
                unlike += (double)m.unlike;
                expected += m.unlike_expected * (double)m.pairs;
            }
            CHECK_CLOSE(lacey, 1.0, 0.02);
            CHECK_CLOSE(unlike / expected, 1.0, by_size ? 0.03 : 0.01);  // by size: of points that overlap, not only the ends go by size
        }
}

static void mixing_with_known_answers(void** state)
{
    (void)state;
    enum { side = 12, n = side * side };
    double x[2 * n], r[n];
    int32_t group[n];
    for (int i = 0; i < n; ++i) {
        x[2 * i] = i % side + 0.5;
        x[2 * i + 1] = i / side + 0.5;
        r[i] = 0.5;
    }
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(2, (const double[2]){side, side});
    now.spheres = (scree_spheres){.count = n, .dim = 2, .x = x, .r = r};
    now.group = group;
    now.threads = 1;
    scree_mixing_def def = scree_default_mixing_def();
    def.gap = 0.1;
    def.cells[0] = def.cells[1] = 4;
    scree_mixing m;
    for (int i = 0; i < n; ++i)
        group[i] = i % side >= side / 2;
    CHECK_OK(scree_measure_mixing(&now, &def, &m));
    CHECK_CLOSE(m.lacey, 0.0, 1e-14);  // all cells are pure
    CHECK_CLOSE(m.variance, 0.5, 1e-14);
    assert_int_equal(m.occupied, 16);
    assert_int_equal(m.pairs, 2 * side * (side - 1));
    assert_int_equal(m.unlike, side);
    for (int i = 0; i < n; ++i)  // a chessboard: more than random
        group[i] = (i % side + i / side) % 2;
    def.cells[0] = def.cells[1] = 6;
    CHECK_OK(scree_measure_mixing(&now, &def, &m));
    CHECK_CLOSE(m.variance, 0.0, 1e-14);
    CHECK_CLOSE(m.lacey, 1.0 / (1.0 - 35.0 / (n - 1.0)), 1e-13);
    CHECK_CLOSE(m.neighbours, 1.0 / (1.0 - 71.0 / (n - 1.0)), 1e-13);
    def.cells[0] = def.cells[1] = 0;
    def.gap = NAN;
    CHECK_OK(scree_measure_mixing(&now, &def, &m));
    assert_int_equal(m.cells[0], 2);  // sqrt(144 / 30)
    CHECK_CLOSE(m.gap, 0.5, 0.0);
    now.group = NULL;
    CHECK_OK(scree_measure_mixing(&now, &def, &m));
    assert_true(isnan(m.lacey) && isnan(m.neighbours));
}

// ---- Repose, flow ------------------------------------------------------------------------------------------------

static scree_repose repose_of(const scree_snapshot* now, const scree_repose_def* def)
{
    scree_repose found;
    CHECK_OK(scree_measure_repose(now, def, &found));
    return found;
}

static void slopes_and_heaps_with_known_angles(void** state)
{
    (void)state;
    enum { side = 20, n = 2 * side * side };
    static double x[3 * n], r[n];
    scree_rng rng = scree_rng_make(11, 0);
    for (int i = 0; i < n; ++i) {  // a plane of random spheres, and as many anywhere below it
        double a = draw_between(&rng, 0.0, side), b = draw_between(&rng, 0.0, side), top = 3.0 + 0.3 * a + 0.4 * b;
        r[i] = draw_between(&rng, 0.2, 0.5);
        x[3 * i] = a;
        x[3 * i + 2] = b;
        x[3 * i + 1] = top - r[i] - (i % 2 == 0 ? 0.0 : draw_between(&rng, 1.0, 2.0));
    }
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(3, (const double[3]){side, 30, side});
    now.spheres = (scree_spheres){.count = n, .dim = 3, .x = x, .r = r};
    scree_repose_def def = scree_default_repose_def();
    def.up = 1;
    def.column = 0.5;
    scree_repose found = repose_of(&now, &def);
    assert_true(found.points > side * side / 2);
    // Columns with only lower spheres are off the plane; without these it is exact.
    now.spheres.count = 2;
    for (int i = 0; i < n; i += 2) {
        memcpy(x + 3 * (i / 2), x + 3 * i, 3 * sizeof *x);
        r[i / 2] = r[i];
    }
    now.spheres.count = n / 2;
    found = repose_of(&now, &def);
    CHECK_CLOSE(found.angle, atan(0.5), 1e-13);
    CHECK_CLOSE(found.error, 0.0, 1e-13);
    CHECK_CLOSE(found.slope[0], 0.3, 1e-13);
    CHECK_CLOSE(found.slope[1], 0.4, 1e-13);
    CHECK_CLOSE(found.height, 3.0, 1e-12);

    // A line with scatter of known size in 2D: the textbook's formula.
    double line[2 * 40], small[40], sxx = 0.0;
    for (int i = 0; i < 40; ++i) {
        line[2 * i] = i + 0.5;
        line[2 * i + 1] = 2.0 + 0.5 * i + (i / 2 % 2 == i % 2 ? 0.25 : -0.25);
        small[i] = 0.1;
        sxx += (i - 19.5) * (i - 19.5);
    }
    scree_snapshot flat = scree_default_snapshot();
    flat.box = scree_box_sized(2, (const double[2]){40, 40});
    flat.spheres = (scree_spheres){.count = 40, .dim = 2, .x = line, .r = small};
    def = scree_default_repose_def();
    def.column = 1.0;
    found = repose_of(&flat, &def);
    assert_int_equal(found.points, 40);
    CHECK_CLOSE(found.slope[0], 0.5, 0.01);
    double scatter = found.residual * found.residual * 40.0 / 38.0, steep = found.slope[0];
    CHECK_CLOSE(found.residual, 0.25, 1e-3);
    CHECK_CLOSE(found.error, sqrt(scatter / sxx) / (1.0 + steep * steep), 1e-12);

    // A cone around the axis of its spheres.
    for (int i = 0; i < side * side; ++i) {
        double a = i % side - 0.5 * (side - 1), b = i / side - 0.5 * (side - 1);
        r[i] = 0.5;
        x[3 * i] = a + 0.5 * side;
        x[3 * i + 1] = b + 0.5 * side;
        x[3 * i + 2] = 12.0 - 0.7 * sqrt(a * a + b * b);
    }
    now.spheres.count = side * side;
    def = scree_default_repose_def();
    def.surface = SCREE_SURFACE_HEAP;
    found = repose_of(&now, &def);
    CHECK_CLOSE(found.angle, atan(0.7), 1e-12);
    CHECK_CLOSE(found.slope[0], 0.7, 1e-12);
    CHECK_CLOSE(found.height, 12.5, 1e-11);
    CHECK_CLOSE(found.axis[0], 10.0, 1e-12);
    CHECK_CLOSE(found.axis[1], 10.0, 1e-12);
    now.spheres.count = 2;
    CHECK_FAILS(scree_measure_repose(&now, &def, &found), SCREE_ERR_ARGUMENT, "3");
    assert_true(found.points == 0);
    now.spheres.count = side;  // all of them at one y
    def.surface = SCREE_SURFACE_SLOPE;
    CHECK_FAILS(scree_measure_repose(&now, &def, &found), SCREE_ERR_ARGUMENT, "line");
}

// A low cone with single grains around it on the ground, on the bare floor and on a floor of beads, one more grain below it and one above: none of them is part of the slope.
static void grains_around_a_heap_are_no_slope(void** state)
{
    (void)state;
    enum { side = 40 };
    static double x[3 * (2 * side * side + 2)], r[2 * side * side + 2];
    for (int floor_of_beads = 0; floor_of_beads < 2; ++floor_of_beads) {
        int32_t n = 0;
        double high = floor_of_beads ? 1.3 : 0.5;
        for (int i = 0; i < side * side; ++i) {
            double a = i % side - 0.5 * (side - 1), b = i / side - 0.5 * (side - 1), q = sqrt(a * a + b * b), z[2] = {q < 9.0 ? high + 0.4 * (9.0 - q) : high, 0.5};
            for (int k = q < 9.0 || (i % 3 == 0 && q < 19.0) ? 0 : 1; k < 1 + floor_of_beads; ++k, ++n) {
                x[3 * n] = a;
                x[3 * n + 1] = b;
                x[3 * n + 2] = z[k];
                r[n] = 0.5;
            }
        }
        scree_snapshot now = scree_default_snapshot();
        now.box = scree_box_sized(3, (const double[3]){side, side, 50});
        for (int k = 0; k < 2; ++k) {
            now.box.lower[k] = -0.5 * side;
            now.box.upper[k] = 0.5 * side;
        }
        now.box.lower[2] = -10.0;
        now.spheres = (scree_spheres){.count = n, .dim = 3, .x = x, .r = r};
        scree_repose_def def = scree_default_repose_def();
        def.surface = SCREE_SURFACE_HEAP;
        def.column = 1.0;
        scree_repose found = repose_of(&now, &def), all = found;
        CHECK_CLOSE(found.angle, atan(0.4), 1e-12);
        CHECK_CLOSE(found.height, high + 0.5 + 3.6, 1e-11);
        CHECK_CLOSE(found.axis[0], 0.0, 1e-12);
        CHECK_CLOSE(found.axis[1], 0.0, 1e-12);
        def.low = 0.0;
        def.high = 1.0;
        found = repose_of(&now, &def);
        CHECK_CLOSE(found.angle, atan(0.4), 1e-12);
        assert_true(found.points > all.points);
        // One that flies and one that has fallen below: they change the height and the ground, unless they are outside of the region.
        for (int k = 0; k < 2; ++k) {
            x[3 * (n + k)] = x[3 * (n + k) + 1] = 0.5;
            x[3 * (n + k) + 2] = k == 0 ? 30.0 : -8.0;
            r[n + k] = 0.5;
        }
        now.spheres.count = n + 2;
        def.low = def.high = NAN;
        assert_true(fabs(repose_of(&now, &def).angle - atan(0.4)) > 0.1);
        def.lower[2] = 0.0;
        def.upper[2] = 20.0;
        found = repose_of(&now, &def);
        assert_int_equal(found.points, all.points);
        CHECK_CLOSE(found.angle, all.angle, 0.0);
        def.lower[0] = 0.0;  // half of the heap, about its own centre of mass
        found = repose_of(&now, &def);
        assert_true(found.points > 0 && found.points < all.points && found.axis[0] > 1.0);
        def.lower[1] = 3.0;
        def.upper[1] = 2.0;
        CHECK_FAILS(scree_measure_repose(&now, &def, &found), SCREE_ERR_ARGUMENT, "3", "2", "y");
        def.upper[1] = NAN;
        CHECK_FAILS(scree_measure_repose(&now, &def, &found), SCREE_ERR_ARGUMENT, "nan", "y");
        def.lower[1] = def.upper[1] = 100.0;
        CHECK_FAILS(scree_measure_repose(&now, &def, &found), SCREE_ERR_ARGUMENT, "0 points");
    }
}

static void what_crosses_a_plane_is_counted(void** state)
{
    (void)state;
    const double r[5] = {0.1, 0.1, 0.1, 0.1, 0.1}, mass[5] = {1, 2, 4, 8, 16};
    const double before[10] = {1, 1, 1, 2, 5, 3, 9.5, 4, 0.5, 5}, after[10] = {3, 1, 1.5, 2, 1, 3, 0.5, 4, 9.5, 5};
    scree_snapshot a = scree_default_snapshot();
    a.box = scree_box_sized(2, (const double[2]){10, 10});
    a.spheres = (scree_spheres){.count = 5, .dim = 2, .x = before, .r = r};
    a.mass = mass;
    scree_snapshot b = a;
    b.spheres.x = after;
    scree_flow flow;
    CHECK_OK(scree_measure_flow(&a, &b, 0, 2.0, &flow));
    assert_int_equal(flow.forward, 2);  // the first, and the last from wall to wall
    assert_int_equal(flow.backward, 2);
    CHECK_CLOSE(flow.mass, 1.0 + 16.0 - 4.0 - 8.0, 0.0);
    a.box.periodic[0] = b.box.periodic[0] = true;  // the last two take the short way, across the face
    CHECK_OK(scree_measure_flow(&a, &b, 0, 2.0, &flow));
    CHECK_CLOSE(flow.mass, 1.0 - 4.0, 0.0);
    CHECK_OK(scree_measure_flow(&a, &b, 0, 0.0, &flow));
    assert_true(flow.forward == 1 && flow.backward == 1);
    CHECK_CLOSE(flow.mass, 8.0 - 16.0, 0.0);
    CHECK_OK(scree_measure_flow(&a, &b, 1, 2.0, &flow));
    assert_true(flow.forward == 0 && flow.backward == 0 && flow.mass == 0.0);
    CHECK_FAILS(scree_measure_flow(&a, &b, 2, 2.0, &flow), SCREE_ERR_ARGUMENT, "2");
    CHECK_FAILS(scree_measure_flow(&a, &b, 0, 11.0, &flow), SCREE_ERR_ARGUMENT, "x", "11");
    b.spheres.count = 4;
    CHECK_FAILS(scree_measure_flow(&a, &b, 0, 2.0, &flow), SCREE_ERR_ARGUMENT, "5", "4");
}

// Spheres go straight on in a tilted box, by up to 0.45 of each vector of the cell, wrapped at every face: what they cross is known from where they are without wrapping.
static void planes_of_tilted_boxes_are_crossed(void** state)
{
    (void)state;
    enum { n = 300 };
    static const double side[3] = {4.0, 5.0, 3.0}, tilt[3] = {1.7, -1.1, 2.2}, lower[3] = {-1.0, 2.0, 0.5};
    double x[2][3 * n], r[n], mass[n], s[2][3 * n];
    uint64_t next = 12345;
    for (int i = 0; i < 3 * n; ++i)
        for (int m = 0; m < 2; ++m) {
            next = next * 6364136223846793005u + 1442695040888963407u;
            double u = (double)(next >> 11) * 0x1p-53;
            s[m][i] = m == 0 ? u : s[0][i] + 0.9 * (u - 0.5);
        }
    for (int m = 0; m < 2; ++m)
        for (int i = 0; i < n; ++i) {
            double w[3];
            for (int k = 0; k < 3; ++k)
                w[k] = s[m][3 * i + k] - floor(s[m][3 * i + k]);
            x[m][3 * i] = lower[0] + side[0] * w[0] + tilt[0] * w[1] + tilt[1] * w[2];
            x[m][3 * i + 1] = lower[1] + side[1] * w[1] + tilt[2] * w[2];
            x[m][3 * i + 2] = lower[2] + side[2] * w[2];
            for (int k = 0; k < 2 && m == 1; ++k)  // as frames have them: each coordinate may be in another image of the cell
                x[m][3 * i + k] += (i % 3 - 1) * (k == 0 ? side[0] : 0.0);
            r[i] = 0.01;
            mass[i] = 1.0 + i % 4;
        }
    scree_snapshot a = scree_default_snapshot();
    a.box = scree_box_sized(3, side);
    for (int k = 0; k < 3; ++k) {
        a.box.lower[k] += lower[k];
        a.box.upper[k] += lower[k];
        a.box.periodic[k] = true;
        a.box.tilt[k] = tilt[k];
    }
    a.spheres = (scree_spheres){.count = n, .dim = 3, .x = x[0], .r = r};
    a.mass = mass;
    scree_snapshot b = a;
    b.spheres.x = x[1];
    for (int axis = 0; axis < 3; ++axis) {
        scree_flow flow;
        double at = 0.37, sum = 0.0;
        int64_t forward = 0, backward = 0;
        for (int i = 0; i < n; ++i) {
            int64_t times = (int64_t)(floor(s[1][3 * i + axis] - at) - floor(s[0][3 * i + axis] - at));
            forward += times > 0;
            backward += times < 0;
            sum += (double)times * mass[i];
        }
        CHECK_OK(scree_measure_flow(&a, &b, axis, lower[axis] + at * side[axis], &flow));
        assert_true(forward > 20 && backward > 20);
        assert_int_equal(flow.forward, forward);
        assert_int_equal(flow.backward, backward);
        CHECK_CLOSE(flow.mass, sum, 0.0);
    }
    scree_flow flow;
    b.box.tilt[0] = 1.8;
    CHECK_FAILS(scree_measure_flow(&a, &b, 0, 0.0, &flow), SCREE_ERR_UNSUPPORTED, "1.7", "1.8");
    CHECK_OK(scree_measure_flow(&a, &b, 2, 1.0, &flow));
}

// ---- Files -------------------------------------------------------------------------------------------------------

static void contacts_are_read(void** state)
{
    (void)state;
    const char* path = in_folder("contacts.csv");
    put_text(path, "i,j,overlap,nx,ny,nz,fx,fy,fz,tangential_x,sx,sy,sz\n3,7,0.25,0,0.6,-0.8,1,2,3,9,0,-1,1\n4,-6,0.5,1,0,0,4,5,6,9,0,0,0\n");
    scree_contact_table t;
    CHECK_OK(scree_read_contacts(path, NULL, &t));
    const scree_sim_contacts* c = &t.contacts;
    assert_true(c->count == 2 && c->pair_count == 1 && c->ij[0][0] == 3 && c->ij[0][1] == 7 && c->ij[1][1] == -6);
    assert_true(c->shift[0][1] == -1 && c->shift[0][2] == 1 && c->overlap[1] == 0.5 && c->normal[0][2] == -0.8 && c->force[1][2] == 6.0);
    scree_contact_table_free(&t);
    EACH_ALLOCATION_FAILS(scree_read_contacts(path, NULL, &t), assert_true(t.contacts.ij == NULL));
    scree_contact_table_free(&t);
    put_text(path, "i,j,overlap,nx,ny,nz,fx,fy,fz\n");
    CHECK_OK(scree_read_contacts(path, NULL, &t));
    assert_true(t.contacts.count == 0 && t.contacts.shift == NULL);
    scree_contact_table_free(&t);
    static const struct {
        const char *text, *parts;
    } wrong[] = {
        {"", "contacts.csv:1"},
        {"i,j,kind,depth,nx,ny,fx,fy\n", "contacts.csv:1 | 'overlap'"},
        {"i,j,overlap,nx,ny,nz,fx,fy,fz,sx\n", "contacts.csv:1 | 'sy'"},
        {"i,j,overlap,nx,ny,nz,fx,fy,fz,i\n", "contacts.csv:1 | 'i'"},
        {"i,j,overlap,nx,ny,nz,fx,fy,fz\n1,2,0,0,0,1,0,0,soft\n", "contacts.csv:2 | 'soft'"},
        {"i,j,overlap,nx,ny,nz,fx,fy,fz\n1,2,0,0,0,1,0,0,0\n-1,2,0,0,0,1,0,0,0\n", "contacts.csv:3 | -1"},
        {"i,j,overlap,nx,ny,nz,fx,fy,fz\n1,2.5,0,0,0,1,0,0,0\n", "contacts.csv:2 | 2.5"},
        {"i,j,overlap,nx,ny,nz,fx,fy,fz\n1,2,nan,0,0,1,0,0,0\n", "contacts.csv:2 | nan"},
        {"i,j,overlap,nx,ny,nz,fx,fy,fz\n1,2,0\n", "contacts.csv:2 | 3 | 9"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        put_text(path, wrong[k].text);
        CHECK_FAILS(scree_read_contacts(path, NULL, &t), SCREE_ERR_FORMAT, wrong[k].parts);
        assert_true(t.contacts.ij == NULL);
    }
    CHECK_FAILS(scree_read_contacts(in_folder("nosuch.csv"), NULL, &t), SCREE_ERR_IO, "nosuch.csv");
}

// ---- Displacement ------------------------------------------------------------------------------------------------

// Ballistic spheres, wrapped at every face of a box that shears and stretches and whose tilt is brought back by whole sides: a sphere that keeps its place in the cell has not moved.
static void displacements_leave_the_cell_out(void** state)
{
    (void)state;
    enum { n = 20, steps = 50 };
    static const double side[3] = {2.0, 1.5, 1.0}, rate[6] = {0.01, -0.004, 0.002, 0.05, -0.03, 0.02}, u[3] = {0.09, -0.07, 0.05};
    for (int dim = 2; dim <= 3; ++dim) {
        double x[2][3 * n], r[n], place[3 * n], moved[3 * n] = {0.0};
        int32_t group[n];
        scree_rng rng = scree_rng_make(31, (uint64_t)dim);
        for (int e = 0; e < 3 * n; ++e)
            place[e] = scree_rng_uniform(&rng) - 0.5;
        scree_box box[2];
        for (int f = 0; f <= steps; ++f) {
            // Edge vectors h[0], h[1], h[2] as they go on, and the same lattice with short ones.
            const double h[3][3] = {{side[0] + rate[0] * f, 0, 0}, {rate[3] * f, side[1] + rate[1] * f, 0}, {dim == 3 ? rate[4] * f : 0.0, dim == 3 ? rate[5] * f : 0.0, side[2] + rate[2] * f}};
            double tilt[3] = {h[1][0], h[2][0], h[2][1]}, times = rint(tilt[2] / h[1][1]);
            tilt[2] -= times * h[1][1];
            tilt[1] -= times * h[1][0];
            tilt[0] -= rint(tilt[0] / h[0][0]) * h[0][0];
            tilt[1] -= rint(tilt[1] / h[0][0]) * h[0][0];
            scree_box* now = &box[f % 2];
            *now = scree_box_open(dim);
            for (int k = 0; k < dim; ++k) {
                now->lower[k] = 3.0 - 0.5 * h[k][k];
                now->upper[k] = 3.0 + 0.5 * h[k][k];
                now->periodic[k] = true;
            }
            memcpy(now->tilt, tilt, dim == 3 ? sizeof tilt : sizeof *tilt);
            for (int i = 0; i < n; ++i) {
                r[i] = 0.01;
                group[i] = i % 2;
                double along[3] = {0.0};  // an odd sphere moves by u in each step: that is so much of the present edge vectors
                for (int k = dim - 1; k >= 0 && i % 2 == 1 && f > 0; --k) {
                    along[k] = u[k];
                    for (int later = k + 1; later < dim; ++later)
                        along[k] -= h[later][k] * along[later];
                    along[k] /= h[k][k];
                }
                double* to = x[f % 2] + i * dim;
                for (int k = 0; k < dim; ++k) {
                    place[3 * i + k] += along[k];
                    to[k] = 3.0;
                }
                for (int m = 0; m < dim; ++m)
                    for (int k = 0; k <= m; ++k)
                        to[k] += h[m][k] * place[3 * i + m];
            }
            CHECK_OK(scree_box_wrap_centres(now, n, x[f % 2], NULL));
            if (f == 0)
                continue;
            scree_snapshot moment[2] = {scree_default_snapshot(), scree_default_snapshot()};
            for (int k = 0; k < 2; ++k) {
                int which = k == 0 ? (f + 1) % 2 : f % 2;
                moment[k].box = box[which];
                moment[k].spheres = (scree_spheres){.count = n, .dim = dim, .x = x[which], .r = r};
                moment[k].group = group;
            }
            scree_displacement_table found;
            CHECK_OK(scree_measure_displacement(&moment[0], &moment[1], moved, &found));
            double square = 0.0;
            assert_int_equal(found.count, 2);
            for (int k = 0; k < dim; ++k) {
                square += f * f * u[k] * u[k];
                CHECK_CLOSE(found.groups[1].mean[k], f * u[k], 1e-11);
                CHECK_CLOSE(found.groups[1].square[k], f * f * u[k] * u[k], 1e-11);
                CHECK_CLOSE(found.all.mean[k], 0.5 * f * u[k], 1e-11);
            }
            CHECK_CLOSE(found.groups[0].msd, 0.0, 1e-20);
            CHECK_CLOSE(found.groups[1].msd, square, 1e-11);
            CHECK_CLOSE(found.all.msd, 0.5 * square, 1e-11);
            assert_true(found.all.count == n && found.groups[0].count == n / 2 && found.all.square[2] == (dim == 2 ? 0.0 : found.all.square[2]));
            scree_displacement_table_free(&found);
            CHECK_OK(scree_measure_displacement(&moment[0], &moment[1], NULL, &found));  // of this step alone
            CHECK_CLOSE(found.groups[1].msd, square / (f * f), 1e-11);
            scree_displacement_table_free(&found);
            if (f < steps)
                continue;
            double before = moved[0];
            moved[1] = NAN;
            CHECK_FAILS(scree_measure_displacement(&moment[0], &moment[1], moved, &found), SCREE_ERR_ARGUMENT, "nan", "y", "sphere 0");
            assert_true(moved[0] == before && found.groups == NULL);
            moment[1].spheres.count = n - 1;
            CHECK_FAILS(scree_measure_displacement(&moment[0], &moment[1], NULL, &found), SCREE_ERR_ARGUMENT, "20", "19");
            moment[1] = moment[0];
            moment[1].box.tilt[0] = 0.0;
            moment[1].box.tilt[1] = moment[1].box.tilt[2] = 0.0;
            moment[1].box.periodic[1] = false;
            CHECK_FAILS(scree_measure_displacement(&moment[0], &moment[1], NULL, &found), SCREE_ERR_ARGUMENT, "axis y", "before");
            EACH_ALLOCATION_FAILS(scree_measure_displacement(&moment[0], &moment[0], NULL, &found), assert_true(found.groups == NULL));
            scree_displacement_table_free(&found);
        }
    }
}

// ---- What goes wrong ---------------------------------------------------------------------------------------------

// Two spheres that touch through the face y of a tilted box: the image of sphere 1 is straight below sphere 0.
static void tilts_count_in_contacts(void** state)
{
    (void)state;
    const double x[6] = {1.0, 0.2, 1.0, 2.0, 3.4, 1.0}, r[2] = {0.45, 0.45}, size[3] = {4.0, 4.0, 4.0};
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(3, size);
    now.box.periodic[0] = now.box.periodic[1] = now.box.periodic[2] = true;
    now.box.tilt[0] = 1.0;
    now.spheres = (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r};
    scree_contact_table table;
    CHECK_OK(scree_find_contacts(&now, 0.0, &table));
    assert_int_equal(table.contacts.count, 1);
    double side = table.contacts.ij[0][0] == 0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k)
        CHECK_CLOSE(table.contacts.normal[0][k], k == 1 ? side : 0.0, 1e-12);
    scree_sim_contacts with = table.contacts;
    const double force[1][3] = {{side * 3.0, side * 5.0, 0.0}};
    with.force = force;
    now.contacts = &with;
    scree_fields_def def = scree_default_fields_def();
    def.cells[0] = def.cells[2] = 1;
    def.cells[1] = 3;
    def.width = 0.3;
    scree_fields fields;
    CHECK_OK(scree_measure_fields(&now, &def, &fields));
    double sum[4] = {0.0, 0.0, 0.0, 0.0};  // f d, with d = (0, 0.8, 0), over the volume
    for (int c = 0; c < 3; ++c) {
        sum[0] += fields.contact_stress[c][1][1] / 3.0;
        sum[1] += fields.contact_stress[c][0][1] / 3.0;
        sum[2] += fabs(fields.contact_stress[c][0][0]);
        sum[3] += fabs(fields.contact_stress[c][1][0]);
    }
    CHECK_CLOSE(sum[0], 5.0 * 0.8 / 64.0, 1e-12);
    CHECK_CLOSE(sum[1], 3.0 * 0.8 / 64.0, 1e-12);
    CHECK_CLOSE(sum[2], 0.0, 1e-12);
    CHECK_CLOSE(sum[3], 0.0, 1e-12);
    scree_fields_free(&fields);
    scree_contact_table_free(&table);
}

static void what_is_invalid_is_refused(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(12, 0);
    made m;
    make_snapshot(&rng, 3, 5, 4, &m);
    scree_fields_def def = scree_default_fields_def();
    scree_network_def network_def = scree_default_network_def();
    scree_fields f;
    scree_network n;
    scree_group_table t;
    scree_wall_stress stress;
#define REFUSED(change, undo, ...)                                                                                     \
    do {                                                                                                               \
        change;                                                                                                        \
        CHECK_FAILS(scree_measure_fields(&m.now, &def, &f), SCREE_ERR_ARGUMENT, __VA_ARGS__);                          \
        undo;                                                                                                          \
    } while (0)
    REFUSED(def.cells[1] = 0, def.cells[1] = 10, "y", "0");
    REFUSED(def.cells[2] = 10001, def.cells[2] = 10, "z", "10001");
    REFUSED(def.kernel = 2, def.kernel = 0, "2");
    REFUSED(def.width = 0.0, def.width = NAN, "width", "0");
    REFUSED(def.width = 99.0, def.width = NAN, "width", "99", "x");
    REFUSED(m.mass[3] = -1.0, m.mass[3] = 1.0, "sphere 3", "-1");
    REFUSED(m.v[4] = NAN, m.v[4] = 0.0, "sphere 1", "y", "nan");
    REFUSED(m.group[2] = -5, m.group[2] = 0, "sphere 2", "-5");
    REFUSED(m.ij[2][1] = 5, m.ij[2][1] = 1, "contact 2", "5", "4");
    REFUSED(m.ij[2][0] = -1, m.ij[2][0] = 0, "contact 2", "-1");
    REFUSED(m.force[1][2] = INFINITY, m.force[1][2] = 0.0, "contact 1", "z", "inf");
    REFUSED(m.contacts.normal = NULL, m.contacts.normal = (const double(*)[3])m.normal, "normal");
    double upper = m.now.box.upper[1];
    REFUSED(m.now.box.upper[1] = INFINITY; m.now.box.periodic[1] = false, m.now.box.upper[1] = upper, "y", "inf");
    REFUSED(m.now.struct_size = 3, m.now.struct_size = sizeof m.now, "3");
    REFUSED(m.now.threads = -2, m.now.threads = 1, "-2");
#undef REFUSED
    network_def.force_bins = -1;
    CHECK_FAILS(scree_measure_network(&m.now, &network_def, &n), SCREE_ERR_ARGUMENT, "force_bins", "-1");
    network_def = scree_default_network_def();
    network_def.least_contacts = -2;
    CHECK_FAILS(scree_measure_network(&m.now, &network_def, &n), SCREE_ERR_ARGUMENT, "least_contacts", "-2");
    network_def.force_bins = 0;
    m.now.contacts = NULL;
    CHECK_FAILS(scree_measure_network(&m.now, &network_def, &n), SCREE_ERR_ARGUMENT, "contacts");
    CHECK_FAILS(scree_measure_wall_stress(&m.now, 7, &stress), SCREE_ERR_ARGUMENT, "contacts");
    CHECK_FAILS(scree_measure_wall_stress(&m.now, -1, &stress), SCREE_ERR_ARGUMENT, "-1");
    scree_mixing_def mixing_def = scree_default_mixing_def();
    scree_mixing mixing;
    mixing_def.gap = -1.0;
    CHECK_FAILS(scree_measure_mixing(&m.now, &mixing_def, &mixing), SCREE_ERR_ARGUMENT, "gap", "-1");
    scree_repose_def repose_def = scree_default_repose_def();
    scree_repose repose;
    repose_def.low = 0.9;
    repose_def.high = 0.1;
    CHECK_FAILS(scree_measure_repose(&m.now, &repose_def, &repose), SCREE_ERR_ARGUMENT, "0.9", "0.1");
    repose_def = scree_default_repose_def();
    repose_def.up = 3;
    CHECK_FAILS(scree_measure_repose(&m.now, &repose_def, &repose), SCREE_ERR_ARGUMENT, "up", "3");
    // None at all is fine.
    m.now.spheres.count = 0;
    CHECK_OK(scree_measure_fields(&m.now, &def, &f));
    CHECK_CLOSE(f.density[0], 0.0, 0.0);
    scree_fields_free(&f);
    CHECK_OK(scree_measure_groups(&m.now, &t));
    assert_int_equal(t.count, 0);
    scree_group_table_free(&t);
    CHECK_OK(scree_measure_mixing(&m.now, &(scree_mixing_def){.struct_size = sizeof(scree_mixing_def), .gap = NAN}, &mixing));
    assert_true(isnan(mixing.lacey));
}

static bool stop_at_once(void* context, double done)
{
    (void)context;
    (void)done;
    return false;
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(13, 0);
    made m;
    make_snapshot(&rng, 3, 30, 20, &m);
    scree_fields_def fields_def = scree_default_fields_def();
    scree_network_def network_def = scree_default_network_def();
    scree_mixing_def mixing_def = scree_default_mixing_def();
    scree_repose_def repose_def = scree_default_repose_def();
    scree_fields fields;
    scree_network network;
    scree_group_table groups;
    scree_mixing mixing;
    scree_repose repose;
    EACH_ALLOCATION_FAILS(scree_measure_fields(&m.now, &fields_def, &fields), assert_true(fields.density == NULL));
    scree_fields_free(&fields);
    scree_contact_table table;
    EACH_ALLOCATION_FAILS(scree_find_contacts(&m.now, 0.1, &table), assert_true(table.contacts.ij == NULL));
    scree_contact_table_free(&table);
    EACH_ALLOCATION_FAILS(scree_measure_network(&m.now, &network_def, &network), assert_true(network.cluster == NULL));
    scree_network_free(&network);
    const int64_t ij[3][2] = {{0, 1}, {1, 5}, {7, 29}};
    m.now.bonds = &(scree_sim_bonds){.count = 3, .ij = ij};
    scree_fragments fragments;
    EACH_ALLOCATION_FAILS(scree_measure_fragments(&m.now, &fragments), assert_true(fragments.fragment == NULL && fragments.fragments == 0));
    assert_true(fragments.fragments == 2 && fragments.bonded == 5 && fragments.bonds == 3);
    scree_fragments_free(&fragments);
    EACH_ALLOCATION_FAILS(scree_measure_groups(&m.now, &groups), assert_true(groups.groups == NULL));
    scree_group_table_free(&groups);
    EACH_ALLOCATION_FAILS(scree_measure_mixing(&m.now, &mixing_def, &mixing), assert_true(mixing.pairs == 0));
    EACH_ALLOCATION_FAILS(scree_measure_repose(&m.now, &repose_def, &repose), assert_true(repose.points == 0));
    m.now.watch = (scree_watch){.tick = stop_at_once};
    CHECK_FAILS(scree_measure_fields(&m.now, &fields_def, &fields), SCREE_ERR_CANCELLED);
}

static const test_case cases[] = {
    UNIT(round_walls_have_areas),
    THREADS(threads_change_no_bit),
    UNIT(fabric_of_lattices),
    UNIT(forces_are_counted_over_their_mean),
    PROPERTY(clusters_agree_with_the_naive_way),
    UNIT(fragments_by_hand),
    UNIT(rattlers_are_those_of_measure),
    UNIT(groups_by_hand),
    UNIT(mixing_of_all_assignments),
    UNIT(mixing_of_many_sizes),
    UNIT(mixing_with_known_answers),
    UNIT(slopes_and_heaps_with_known_angles),
    UNIT(grains_around_a_heap_are_no_slope),
    UNIT(what_crosses_a_plane_is_counted),
    UNIT(planes_of_tilted_boxes_are_crossed),
    ALLOCATION(displacements_leave_the_cell_out),
    ALLOCATION(contacts_are_read),
    UNIT(tilts_count_in_contacts),
    UNIT(what_is_invalid_is_refused),
    ALLOCATION(each_allocation_may_fail),
};

const test_group group_analysis = {.name = "analysis", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
