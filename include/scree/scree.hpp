// scree/scree.hpp: the C interface for C++17: objects that free themselves, and exceptions in place of statuses. Nothing to link beyond the libraries of scree.
//
//     scree::sphere_set set;
//     scree::check(scree_read_spheres("bed.vtp", nullptr, set.out()));
//     scree_index_def def = scree_default_index_def();
//     def.box = set->box;
//     auto index = scree::make<scree::index>(scree_index_create, &def);
//     scree::check(scree_index_update(index, scree_sphere_set_view(set)));
//
// A handle owns an object (scree_index*), a value a struct with arrays (scree_sphere_set), and a file one that is written in pieces (scree_film*). All can be moved and not copied, and are passed to C
// functions as they are; out() is for output parameters, and frees what was there before. A file is complete after end(); without it the destructor removes what was written:
//
//     auto film = scree::make<scree::film>(scree_film_begin, "film.png", &def);
//     scree::check(scree_film_add(film, rgba));
//     film.end();
//
// Everything else is called as in C.
#ifndef SCREE_SCREE_HPP
#define SCREE_SCREE_HPP

#include "scree/scree.h"

#include <stdexcept>
#include <utility>

namespace scree {

// A call that failed: the message of scree_error_message(), and its status.
class error : public std::runtime_error {
public:
    explicit error(scree_status status) : std::runtime_error(scree_error_message()), status_(status) {}
    scree_status status() const noexcept { return status_; }

private:
    scree_status status_;
};

// Throws what a call on this thread has left behind, if it failed.
inline void check(scree_status status)
{
    if (status != SCREE_OK)
        throw error(status);
}

// An object that is created and destroyed.
template <class T, void (*Destroy)(T*)> class handle {
public:
    handle() noexcept = default;
    explicit handle(T* object) noexcept : object_(object) {}
    handle(handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    handle& operator=(handle&& other) noexcept
    {
        if (this != &other)
            reset(std::exchange(other.object_, nullptr));
        return *this;
    }
    ~handle() { Destroy(object_); }

    T* get() const noexcept { return object_; }
    operator T*() const noexcept { return object_; }
    T** out() noexcept
    {
        reset();
        return &object_;
    }
    void reset(T* object = nullptr) noexcept { Destroy(std::exchange(object_, object)); }
    T* release() noexcept { return std::exchange(object_, nullptr); }  // the caller then destroys the object

private:
    T* object_ = nullptr;
};

// A file that is written in pieces. It is there only after end(), which throws if a call before it failed.
template <class T, scree_status (*End)(T*, scree_status)> class file {
public:
    file() noexcept = default;
    file(file&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    file& operator=(file&& other) noexcept
    {
        if (this != &other) {
            cancel();
            object_ = std::exchange(other.object_, nullptr);
        }
        return *this;
    }
    ~file() { cancel(); }

    T* get() const noexcept { return object_; }
    operator T*() const noexcept { return object_; }
    T** out() noexcept
    {
        cancel();
        return &object_;
    }
    void end() { check(End(std::exchange(object_, nullptr), SCREE_OK)); }
    void cancel() noexcept { (void)End(std::exchange(object_, nullptr), SCREE_ERR_CANCELLED); }  // removes what was written

private:
    T* object_ = nullptr;
};

// A struct that owns arrays.
template <class T, void (*Free)(T*)> class value {
public:
    value() noexcept = default;
    value(value&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
    value& operator=(value&& other) noexcept
    {
        if (this != &other) {
            Free(&value_);
            value_ = std::exchange(other.value_, T{});
        }
        return *this;
    }
    ~value() { Free(&value_); }

    T* get() noexcept { return &value_; }
    const T* get() const noexcept { return &value_; }
    operator T*() noexcept { return &value_; }
    operator const T*() const noexcept { return &value_; }
    T* operator->() noexcept { return &value_; }
    const T* operator->() const noexcept { return &value_; }
    T* out() noexcept
    {
        Free(&value_);
        value_ = T{};
        return &value_;
    }

private:
    T value_{};
};

// The output of a function, its last parameter: auto index = make<scree::index>(scree_index_create, &def).
template <class Made, class Function, class... Arguments> Made make(Function function, Arguments&&... arguments)
{
    Made made;
    check(function(std::forward<Arguments>(arguments)..., made.out()));
    return made;
}

using bvh = handle<scree_bvh, scree_bvh_destroy>;
using candidates = handle<scree_candidates, scree_candidates_destroy>;
using event_system = handle<scree_event_system, scree_event_destroy>;
using index = handle<scree_index, scree_index_destroy>;
using neighbour_lists = handle<scree_neighbour_lists, scree_neighbour_lists_destroy>;
using par = handle<scree_par, scree_par_destroy>;
using par_pairs = handle<scree_par_pairs, scree_par_pairs_destroy>;
using polygon_sim = handle<scree_polygon_sim, scree_polygon_sim_destroy>;
using report = handle<scree_report, scree_report_destroy>;
using run = handle<scree_run, scree_run_destroy>;
using scene = handle<scree_scene, scree_scene_destroy>;
using run_summary = handle<scree_run_summary, scree_run_summary_destroy>;
using scene_setup = handle<scree_scene_setup, scree_scene_setup_destroy>;
using sim = handle<scree_sim, scree_sim_destroy>;
using sizes = handle<scree_sizes, scree_sizes_destroy>;
using surface = handle<scree_surface, scree_surface_destroy>;

using film = file<scree_film, scree_film_end>;
using view = file<scree_view, scree_view_end>;

using body_set = value<scree_body_set, scree_body_set_free>;
using bond_order = value<scree_bond_order, scree_bond_order_free>;
using checkpoint = value<scree_checkpoint, scree_checkpoint_free>;
using contact_counts = value<scree_contact_counts, scree_contact_counts_free>;
using contact_table = value<scree_contact_table, scree_contact_table_free>;
using displacement_table = value<scree_displacement_table, scree_displacement_table_free>;
using fields = value<scree_fields, scree_fields_free>;
using fragments = value<scree_fragments, scree_fragments_free>;
using frame_times = value<scree_frame_times, scree_frame_times_free>;
using group_table = value<scree_group_table, scree_group_table_free>;
using growth = value<scree_growth, scree_growth_free>;
using hierarchy = value<scree_hierarchy, scree_hierarchy_free>;
using hits = value<scree_hits, scree_hits_free>;
using measures = value<scree_measures, scree_measures_free>;
using nearest = value<scree_nearest, scree_nearest_free>;
using network = value<scree_network, scree_network_free>;
using outline_set = value<scree_outline_set, scree_outline_set_free>;
using packing = value<scree_packing, scree_packing_free>;
using pair_distribution = value<scree_pair_distribution, scree_pair_distribution_free>;
using porosity = value<scree_porosity, scree_porosity_free>;
using found_pairs = value<scree_found_pairs, scree_found_pairs_free>;
using rods = value<scree_rods, scree_rods_free>;
using run_curves = value<scree_run_curves, scree_run_curves_free>;
using shapes = value<scree_shapes, scree_shapes_free>;
using size_curve = value<scree_size_curve, scree_size_curve_free>;
using sphere_set = value<scree_sphere_set, scree_sphere_set_free>;
using structure_factor = value<scree_structure_factor, scree_structure_factor_free>;
using surface_rows = value<scree_surface_rows, scree_surface_rows_free>;
using triangles = value<scree_triangles, scree_triangles_free>;
using voxels = value<scree_voxels, scree_voxels_free>;

}  // namespace scree
#endif
