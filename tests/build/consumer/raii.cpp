// The header for C++: spheres are read and their contacts printed, and objects go through all their ways of changing hands. Nothing is left behind.
#include <scree/scree.hpp>

#include <cstdio>
#include <cstring>
#include <type_traits>

static_assert(!std::is_copy_constructible_v<scree::index> && !std::is_copy_assignable_v<scree::sphere_set>);
static_assert(std::is_nothrow_move_constructible_v<scree::index> && std::is_nothrow_move_assignable_v<scree::sphere_set>);

static scree::sphere_set read(const char* path)
{
    return scree::make<scree::sphere_set>(scree_read_spheres, path, nullptr);
}

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    try {
        (void)read("nothing.csv");
        return 3;
    } catch (const scree::error& problem) {
        if (problem.status() != SCREE_ERR_IO || std::strstr(problem.what(), "nothing.csv") == nullptr)
            return 4;
    }
    try {
        scree::sphere_set set = read(argv[1]), moved = std::move(set);
        if (set->count != 0 || moved->count != 3)
            return 5;
        set = std::move(moved);
        scree::check(scree_read_spheres(argv[1], nullptr, moved.out()));
        scree::check(scree_read_spheres(argv[1], nullptr, moved.out()));  // what was there goes
        scree_index_def def = scree_default_index_def();
        auto index = scree::make<scree::index>(scree_index_create, &def);
        scree::index other = std::move(index);
        if (index.get() != nullptr)
            return 6;
        index = std::move(other);
        other.reset(scree::make<scree::index>(scree_index_create, &def).release());
        scree::check(scree_index_update(index, scree_sphere_set_view(set)));
        scree_pairs pairs;
        scree::check(scree_index_pairs(index, &pairs));
        auto list = scree::make<scree::found_pairs>(scree_find_pairs, &def, scree_points_of(scree_sphere_set_view(set)));
        if (list->count != pairs.count)
            return 7;
        std::printf("%d spheres, %d pair: %d %d\n", static_cast<int>(set->count), static_cast<int>(pairs.count), static_cast<int>(list->ij[0][0]), static_cast<int>(list->ij[0][1]));
    } catch (const scree::error& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return scree_memory_held() == 0 ? 0 : 8;
}
