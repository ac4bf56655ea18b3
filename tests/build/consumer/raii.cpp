// The header for C++: spheres are read and their contacts printed; every class is moved, assigned and destroyed; a film and a page are written, and others removed. No memory is left.
#include <scree/scree.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

static scree::sphere_set read(const char* path)
{
    return scree::make<scree::sphere_set>(scree_read_spheres, path, nullptr);
}

// An empty object of a class, moved to and fro.
template <class One> bool moves()
{
    static_assert(!std::is_copy_constructible_v<One> && !std::is_copy_assignable_v<One> && std::is_nothrow_move_constructible_v<One> && std::is_nothrow_move_assignable_v<One>);
    One one, other = std::move(one);
    one = std::move(other);
    return one.out() != nullptr;
}

template <class... All> bool all_move()
{
    return (moves<All>() && ...);
}

static bool exists(const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "rb");
    return file != nullptr && std::fclose(file) == 0;
}

// Film and page: with end() they are there, without it not. Beside the program, and removed again.
static bool writes_in_pieces(const scree_sphere_set* set, const std::string& beside)
{
    const std::string film_path = beside + "-film.png", page = beside + "-page.html";
    std::vector<uint8_t> rgba(16 * 16 * 4, 255);
    scree_film_def def = scree_default_film_def();
    def.width = def.height = 16;
    def.frames = 1;
    for (bool whole : {false, true}) {
        auto film = scree::make<scree::film>(scree_film_begin, film_path.c_str(), &def);
        scree::check(scree_film_add(film, rgba.data()));
        auto view = scree::make<scree::view>(scree_view_begin, page.c_str(), nullptr);
        scree::check(scree_view_add(view, 0.0, set));
        if (whole) {
            film.end();
            view.end();
        }
        film = scree::film();  // as its destructor does
        view = scree::view();
        if (exists(film_path) != whole || exists(page) != whole)
            return false;
    }
    return std::remove(film_path.c_str()) == 0 && std::remove(page.c_str()) == 0;
}

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    try {
        if (!all_move<scree::bvh, scree::candidates, scree::event_system, scree::index, scree::neighbour_lists, scree::par, scree::par_pairs, scree::polygon_sim, scree::report, scree::run,
                      scree::scene, scree::run_summary, scree::scene_setup, scree::sim, scree::sizes, scree::surface, scree::film, scree::view, scree::body_set, scree::checkpoint,
                      scree::bond_order, scree::contact_counts, scree::contact_table, scree::displacement_table, scree::fields, scree::fragments, scree::frame_times, scree::group_table, scree::growth,
                      scree::hierarchy, scree::hits, scree::measures, scree::nearest, scree::network, scree::outline_set, scree::packing, scree::pair_distribution, scree::porosity, scree::found_pairs, scree::rods, scree::run_curves,
                      scree::shapes, scree::size_curve, scree::sphere_set, scree::structure_factor, scree::surface_rows, scree::triangles, scree::voxels>())
            return 9;
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
        if (!writes_in_pieces(set, argv[0]))
            return 10;
        std::printf("%d spheres, %d pair: %d %d\n", static_cast<int>(set->count), static_cast<int>(pairs.count), static_cast<int>(list->ij[0][0]), static_cast<int>(list->ij[0][1]));
    } catch (const scree::error& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return scree_memory_held() == 0 ? 0 : 8;
}
