// device: what a run on a device can have beside spheres and walls, with the bits of the processor's: loads that change with time.
#include "device_support.h"

#include "device/emulate.h"
#include "scree/loads.h"
#include "sim/sim_inner.h"

// ---- Loads -----------------------------------------------------------------------------------------------------------------

static void set(scree_sim* sim, scree_load kind, int32_t target, scree_signal value)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = (int32_t)kind;
    load.target = target;
    load.value = value;
    CHECK_OK(scree_sim_set_load(sim, &load));
}

static scree_signal sine(double amplitude, double frequency, int along)
{
    scree_signal s = {.kind = SCREE_SIGNAL_SINE, .frequency = frequency, .phase = 0.3};
    s.to[along] = amplitude;
    return s;
}

static scree_signal ramp(double from, double to, int along)
{
    scree_signal s = {.kind = SCREE_SIGNAL_RAMP, .over = 1.0};
    s.value[along] = from;
    s.to[along] = to;
    return s;
}

// Groups 0 to 3 in turn: 1 is pushed, 2 driven, 3 pushed and turned.
static device_system make_groups(int c)
{
    const int dim = c % 3 == 2 ? 2 : 3;
    const int32_t n = 110;
    device_system s = device_make(dim, n, c % 4 == 3 ? 8.0 : 2.0, dim == 3 ? 0.2 : 0.35, c % 2 == 1, c < 3 ? c : 0, 900 + (uint64_t)c);
    if (c >= 3)
        device_choose_law(&s, c - 3);
    s.group = calloc((size_t)n, sizeof *s.group);
    for (int32_t i = 0; i < n; ++i)
        s.group[i] = (uint16_t)(i % 4);
    if (c % 4 == 1)
        s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    if (c % 4 == 3)
        s.def.giants = 2.0;
    return s;
}

static void loads_act_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 8; ++c) {
        device_system s = make_groups(c);
        const int up = c % 3 == 2 ? 1 : 2;
        device_set_tiny(900 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        for (int k = 0; k < 2; ++k) {
            scree_sim* sim = both[k];
            set(sim, SCREE_LOAD_FORCE, 1, sine(2e-3, 3.0, 0));
            set(sim, SCREE_LOAD_FORCE, 3, ramp(0.0, 1e-3, 1));
            set(sim, SCREE_LOAD_VELOCITY, 2, ramp(-0.01, 0.02, 0));
            if (sim->law.turns) {
                set(sim, SCREE_LOAD_TORQUE, 3, sine(1e-4, 2.0, 2));
                set(sim, SCREE_LOAD_SPIN, 2, sine(0.2, 2.0, 2));
            }
            if (c % 2 == 0) {
                set(sim, SCREE_LOAD_GRAVITY, 0, ramp(-0.01, -0.05, up));
                set(sim, SCREE_LOAD_BOUNDARY_PATH, 0, sine(0.02, 2.0, 0));
            } else {
                set(sim, SCREE_LOAD_TURN, 0, ramp(0.0, 0.5, 2));
            }
        }
        char name[40];
        snprintf(name, sizeof name, "loads %d", c);
        device_compare_sims(name, both[0], both[1], 90);
        device_free(&s);
    }
    emulate_set(NULL);
}

static void servos_are_refused_by_name(void** state)
{
    (void)state;
    device_system s = device_make(3, 20, 1.0, 0.1, false, 1, 3);
    scree_sim* sim = device_start(&s, SCREE_DEVICE_EMULATE);
    scree_sim_load servo = scree_default_sim_load();
    servo.kind = SCREE_LOAD_SERVO_FORCE;
    servo.target = 0;
    servo.speed = 0.1;
    servo.value.value[0] = 1.0;
    CHECK_OK(scree_sim_set_load(sim, &servo));
    CHECK_FAILS(scree_sim_run(sim, 10), SCREE_ERR_UNSUPPORTED, "emulate", "servos");
    scree_sim_destroy(sim);
    device_free(&s);
}

static const test_case cases[] = {
    SAME_BITS(loads_act_as_on_the_processor),
    UNIT(servos_are_refused_by_name),
};

const test_group group_device_wide = {.name = "device_wide", .cases = cases, .count = sizeof cases / sizeof *cases};
