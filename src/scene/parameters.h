// The parameters of contacts: keys of `contact`, for all contacts, and of entries of `pairs`, for two materials. This list is the only place that knows them all:
// the table of keys and the table by pair of materials are made of it.
//
//     ROW(key, member of scree_sim_pair, unit, default, range as text, range, laws, part, need, use, meaning)
//
// laws: with which of them the key means something. part: the part of the law that uses it. need: NEEDED by every pair that can meet as soon as one pair has
// it; the others have a default (scree_default_sim_pair). use: what else the scene must have, and must not have, for the key to have an effect; a key without effect is
// rejected.
#ifndef SCREE_SCENE_PARAMETERS_H
#define SCREE_SCENE_PARAMETERS_H

// Contact laws by their numbers in scree_sim_law_name, as bits.
enum { LAW_LINEAR = 1, LAW_RECORD = 2, LAW_HERTZ = 4, LAW_JKR = 8, LAW_DMT = 16, LAW_PLASTIC = 32 };
enum { LAWS_FLAT = LAW_LINEAR | LAW_RECORD, LAWS_CURVED = LAW_HERTZ | LAW_JKR | LAW_DMT, LAWS_ALL = 63, LAWS_RUBBING = LAWS_ALL - LAW_RECORD, LAWS_WET = LAWS_RUBBING - LAW_JKR };

typedef enum scene_part { PART_NORMAL = 0, PART_TANGENTIAL, PART_ROLLING, PART_TWISTING, PART_COUNT } scene_part;

enum { OPTIONAL = 0, NEEDED = 1 };

// What a scene may have beside parameters: tangential springs that follow from Young's moduli; twisting: marshall; dimension: 2.
enum { HAS_MINDLIN = 1, HAS_MARSHALL = 2, HAS_DISCS = 4 };

typedef struct scene_use {
    unsigned beside[2];  // somewhere in contact or pairs there is a key of the first set, and one of the second; 0: none is needed. Bits: 1u << OF_friction
    unsigned unless;     // and the scene has none of HAS_
} scene_use;

#define USE(one, other, none_of) {.beside = {one, other}, .unless = (none_of)}
#define ALWAYS USE(0, 0, 0)
#define BESIDE(set) USE(set, 0, 0)
#define KEY(key) (1u << OF_##key)
#define SPRINGS (KEY(friction) | KEY(rolling_friction) | KEY(twisting_friction))  // their stiffness is a multiple of the tangential one
#define DASHPOTS (KEY(friction) | KEY(rolling_damping) | KEY(twisting_damping))   // and so is their damping
#define LOSSES (KEY(damping) | KEY(restitution) | KEY(viscous_time))              // of which the tangential one is a multiple

// Those whose numbers for all contacts are members of scree_sim_def.
#define SCENE_PARAMETERS_OF_SIM(ROW) \
    ROW(stiffness, stiffness, "force/length", "", "above 0", ABOVE_0, LAWS_FLAT, PART_NORMAL, NEEDED, ALWAYS, "of the spring") \
    ROW(k1, stiffness, "force/length", "", "above 0", ABOVE_0, LAW_PLASTIC, PART_NORMAL, NEEDED, ALWAYS, "plastic: stiffness of the first loading") \
    ROW(damping, damping, "mass/time", "", "0 or more", FROM_0, LAWS_ALL, PART_NORMAL, NEEDED, ALWAYS, "of the dashpot; no entry may then have a restitution") \
    ROW(restitution, restitution, "", "", "above 0, at most 1", SHARE, LAWS_ALL, PART_NORMAL, NEEDED, ALWAYS, "coefficient of restitution, which sets the damping")

#define SCENE_PARAMETERS_OF_PAIR(ROW) \
    ROW(viscous_time, viscous_time, "time", "", "above 0", ABOVE_0, LAWS_CURVED, PART_NORMAL, NEEDED, ALWAYS, "viscoelastic damping: the time A of Kuwabara and Kono") \
    ROW(friction, friction, "", "0", "0 or more", FROM_0, LAWS_RUBBING, PART_TANGENTIAL, NEEDED, ALWAYS, "coefficient of friction; 0: none") \
    ROW(friction_dynamic, friction_dynamic, "", "", "above 0", ABOVE_0, LAWS_RUBBING, PART_TANGENTIAL, OPTIONAL, BESIDE(KEY(friction)), "coefficient of sliding contacts, at most friction; default: the same") \
    ROW(tangential_stiffness, tangential_stiffness, "", "", "above 0, at most 100", RATIO, LAWS_RUBBING, PART_TANGENTIAL, OPTIONAL, USE(SPRINGS, 0, HAS_MINDLIN), "tangential: linear: ratio to the normal stiffness; default 2/7") \
    ROW(tangential_damping, tangential_damping, "", "1", "0 or more", FROM_0, LAWS_RUBBING, PART_TANGENTIAL, OPTIONAL, USE(DASHPOTS, LOSSES, 0), "ratio to the normal damping") \
    ROW(rolling_friction, rolling_friction, "", "0", "0 or more", FROM_0, LAWS_RUBBING, PART_ROLLING, OPTIONAL, ALWAYS, "rolling resistance: largest torque over normal force and reduced radius") \
    ROW(rolling_stiffness, rolling_stiffness, "", "1", "above 0", ABOVE_0, LAWS_RUBBING, PART_ROLLING, OPTIONAL, BESIDE(KEY(rolling_friction)), "ratio to the tangential stiffness") \
    ROW(rolling_damping, rolling_damping, "", "0", "0 or more", FROM_0, LAWS_RUBBING, PART_ROLLING, OPTIONAL, USE(KEY(rolling_friction), LOSSES, 0), "ratio to the tangential damping") \
    ROW(twisting_friction, twisting_friction, "length", "0", "0 or more", FROM_0, LAWS_RUBBING, PART_TWISTING, OPTIONAL, USE(0, 0, HAS_MARSHALL | HAS_DISCS), "twisting resistance: largest torque over normal force") \
    ROW(twisting_stiffness, twisting_stiffness, "force length", "", "above 0", ABOVE_0, LAWS_RUBBING, PART_TWISTING, OPTIONAL, USE(KEY(twisting_friction), 0, HAS_MARSHALL | HAS_DISCS), \
        "twisting: spring: torque per radian; default: tangential stiffness times squared reduced radius") \
    ROW(twisting_damping, twisting_damping, "", "0", "0 or more", FROM_0, LAWS_RUBBING, PART_TWISTING, OPTIONAL, USE(KEY(twisting_friction), LOSSES, HAS_MARSHALL | HAS_DISCS), \
        "twisting: spring: ratio to the tangential damping times squared reduced radius") \
    ROW(surface_energy, surface_energy, "energy/area", "0", "0 or more", FROM_0, LAW_JKR | LAW_DMT, PART_NORMAL, OPTIONAL, ALWAYS, "jkr, dmt: half the work of adhesion") \
    ROW(bridge_volume, bridge_volume, "volume", "", "0 or more", FROM_0, LAWS_WET, PART_NORMAL, OPTIONAL, BESIDE(KEY(surface_tension)), "volume of the liquid bridge of a contact; default: no bridges") \
    ROW(surface_tension, surface_tension, "force/length", "", "0 or more", FROM_0, LAWS_WET, PART_NORMAL, OPTIONAL, BESIDE(KEY(bridge_volume)), "of that liquid") \
    ROW(wetting_angle, wetting_angle, "angle", "0", "0 to 1.57", ANGLE, LAWS_WET, PART_NORMAL, OPTIONAL, BESIDE(KEY(bridge_volume)), "of that liquid, in radians") \
    ROW(k2, k2, "force/length", "", "above 0", ABOVE_0, LAW_PLASTIC, PART_NORMAL, OPTIONAL, ALWAYS, "plastic: stiffness of unloading at full depth, at least k1; default k1") \
    ROW(kc, kc, "force/length", "0", "0 or more", FROM_0, LAW_PLASTIC, PART_NORMAL, OPTIONAL, ALWAYS, "plastic: strength of cohesion") \
    ROW(plastic_depth, plastic_depth, "", "", "above 0, at most 1", SHARE, LAW_PLASTIC, PART_NORMAL, OPTIONAL, BESIDE(KEY(k2)), \
        "plastic: overlap at which unloading reaches k2, as phi_f of Luding: k2 / (k2 - k1) times this times twice the reduced radius")

#define SCENE_PARAMETERS(ROW) SCENE_PARAMETERS_OF_SIM(ROW) SCENE_PARAMETERS_OF_PAIR(ROW)

// Their numbers: OF_friction.
#define NUMBER_OF(key, member, unit, usual, text, range, for_laws, of_part, need, of_use, meaning) OF_##key,
enum { SCENE_PARAMETERS(NUMBER_OF) parameters };
#undef NUMBER_OF

#endif
