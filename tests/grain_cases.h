// Systems of one to sixty spheres whose motion is known in closed form, as a table that any simulation can run: the plain reference (grain_plain.h) and the
// library.
//
//     grain_run_cases(&grain_plain_stepper, "slide ");    // those whose names begin so; NULL: all
//
// A case makes a system, and checks the trajectory that a stepper made of it: frames every system.every steps, from step 0 on.
#ifndef TESTS_GRAIN_CASES_H
#define TESTS_GRAIN_CASES_H

#include "grain_plain.h"

#include <stddef.h>

typedef struct grain_frame {
    int64_t step;
    double time;
    grain_sphere* spheres;  // the system's count
    grain_energies energies;
} grain_frame;

typedef struct grain_trajectory {
    const grain_system* system;  // as it began
    bool has_energies;           // the stepper knows them
    int64_t count;
    grain_frame* frames;
} grain_trajectory;

enum { GRAIN_CASE_SPHERES = 64, GRAIN_CASE_NUMBERS = 6 };

// What a case does is in `make` and `check`; `p` are its numbers, with the meaning that `make` says.
typedef struct grain_case grain_case;
struct grain_case {
    const char* name;
    void (*make)(const double* p, grain_system* system);  // system has room for GRAIN_CASE_SPHERES spheres, and default values
    void (*check)(const double* p, const grain_trajectory* trajectory);
    double p[GRAIN_CASE_NUMBERS];
};

extern const grain_case grain_cases[];
extern const size_t grain_case_count;

// A simulation: an adapter is these four functions.
typedef struct grain_stepper {
    const char* name;
    void* (*begin)(const grain_system* system);  // NULL: it does not have what the system asks for, and the case is left out
    void (*run)(void* sim, int64_t steps);
    bool (*look)(void* sim, grain_sphere* spheres, grain_energies* energies);  // false: it does not know the energies
    void (*end)(void* sim);
} grain_stepper;

extern const grain_stepper grain_plain_stepper;

// Runs the cases whose names begin with `begins` (NULL: all) and checks them; returns how many were run. Stops at the first that fails, with its name.
int grain_run_cases(const grain_stepper* stepper, const char* begins);

// The total of the energies stays what it was to this share of `scale`, where the stepper knows energies.
void grain_check_energy(const grain_trajectory* trajectory, double scale, double tolerance);

// What holds for every law: momentum, angular momentum and energy of two unequal spheres that meet obliquely, and that another frame (turned, mirrored, moving)
// or another numbering changes nothing else; the energy of many spheres in boxes. Returns how many laws were run.
int grain_check_invariants(const grain_stepper* stepper);

// The laws that these checks use; number from 0 on. NULL: there is none of that number.
const char* grain_example_law(int number, grain_law* law);

// Two spheres, r 1 and 0.3, that meet obliquely and spin; and `count` spheres in a box with gravity (walls) or without (periodic). The same numbers for the
// same seed.
void grain_make_pair(uint64_t seed, int dim, grain_system* system);
void grain_make_crowd(uint64_t seed, int dim, int count, grain_side side, grain_system* system);

// One run, to be freed by grain_trajectory_free. count is 0 if the stepper does not have what the system asks for.
grain_trajectory grain_run(const grain_stepper* stepper, const grain_system* system);
void grain_trajectory_free(grain_trajectory* trajectory);

#endif
