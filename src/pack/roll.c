// One sphere rolls down a heap: no forces, no time, only geometry.
//
// Its centre c stays outside of obstacles: the spheres of radius R_j = r + r_j around the centres of the heap, and walls. It follows the steepest
// descent that they allow. With n_a the normals of the touched obstacles and e the direction up, this is the projection of -e on all v with
// n_a . v >= 0. Few of the obstacles push: none (it falls along a line), one (it rolls over a sphere along a great circle) or two (it rolls along
// the circle in which two obstacles intersect). When the projection is 0, it rests: e is a sum of normals with weights >= 0, so its centre
// is above the triangle of three supports (in 2D between two), or it lies on the floor.
//
//        (c)->.                 one support: a great circle, left at the equator or when something else is touched
//       .---.  \                two: c = p + rho (w cos t + u sin t), w uphill in the plane of the circle, u level
//      (  a  )  v
//       '---' (c)               Each obstacle k is met where |c - s_k|^2 = R_k^2: C + A cos t + B sin t = 0, in closed form
//
// A path also ends where one of its supports no longer pushes. For two the angle of the normals is constant, K = n_a . n_b, and the push of a
// is n_a . e - K n_b . e over 1 - K^2. n . e is linear in the height (in the square of the distance from the centre, with def.centre), so this
// is also a height that can be computed in advance. Round walls are spheres seen from inside and only change signs. The only path without a closed
// form is between a sphere and an upright cylinder: it is searched in small parts, and each contact is refined.
//
// Termination: every path but a fruitless one lowers the centre, and after some fruitless ones in a row the sphere gives up (*rests is false; the
// caller lets it fall from another position). Straight above a support, where the descent has no direction, it is pushed aside by 1e-6 r.
//
// Rounding: obstacles nearer than tol = 1e-10 r are touched. An obstacle that is touched but does not push is met again only 2 tol deeper, so that it
// does not stop the same path twice. At rest the centre is placed on its supports once more by Newton's method; only rounding remains.
// Cost per path: the obstacles within `step` of the surface, which are searched again when the sphere has moved by that distance.
// W. M. Visscher, M. Bolsterli, Nature 239 (1972) 504; C. H. Bennett, J. Appl. Phys. 43 (1972) 2727.
#include "pack/roll.h"

#include <math.h>
#include <string.h>

enum {
    most_contacts = 32,
    most_fruitless = 24,
    most_nudges = 4,
    most_moves = 1000000,
    tube_parts = 48,
};
static const double level = 1e-12;  // a slope that is none
static const double pi = 3.14159265358979323846;

// ---- Vectors and obstacles -----------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void add(double c[3], const double a[3], double t, const double b[3])  // c = a + t b
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[k] + t * b[k];
}

static void cross(double c[3], const double a[3], const double b[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Length before; a vector of length 0 stays.
static double normalise(double a[3])
{
    double length = sqrt(dot(a, a));
    for (int k = 0; k < 3 && length > 0.0; ++k)
        a[k] /= length;
    return length;
}

// Gap between centre and obstacle, and the direction away from it.
static double gap_of(const obstacle* ob, const double c[3], double normal[3])
{
    if (ob->kind == OBSTACLE_PLANE) {
        memcpy(normal, ob->s, 3 * sizeof *normal);
        return dot(ob->s, c) - ob->R;
    }
    add(normal, c, -1.0, ob->s);
    if (ob->kind == OBSTACLE_TUBE)
        normal[2] = 0.0;
    double distance = normalise(normal);
    if (ob->kind == OBSTACLE_SPHERE)
        return distance - ob->R;
    for (int k = 0; k < 3; ++k)
        normal[k] = -normal[k];
    return ob->R - distance;
}

static void up_at(const roller* ro, const double c[3], double e[3])
{
    memcpy(e, (double[3]){0.0, 0.0, 1.0}, 3 * sizeof *e);
    if (ro->central) {
        memcpy(e, c, 3 * sizeof *e);
        if (normalise(e) == 0.0)
            e[2] = 1.0;
    }
}

double roll_height(const roller* ro, const double x[3])
{
    return ro->central ? dot(x, x) : x[2];
}

// ---- Where to ------------------------------------------------------------------------------------------------------

typedef struct contact {
    obstacle ob;
    double n[3];
    double up;   // n . e
} contact;

typedef struct contacts {
    int count;
    contact at[most_contacts];
    double e[3];
} contacts;

typedef enum way { WAY_REST, WAY_FALL, WAY_OVER_ONE, WAY_OVER_TWO, WAY_NOWHERE } way;  // NOWHERE: level, but on a point or edge

static const obstacle* obstacle_at(const roller* ro, int64_t k)
{
    return k < ro->wall_count ? &ro->walls[k] : &ro->h->near[k - ro->wall_count];
}

static int64_t obstacle_count(const roller* ro)
{
    return ro->wall_count + ro->h->near_count;
}

static void find_contacts(const roller* ro, const double c[3], contacts* touch)
{
    touch->count = 0;
    up_at(ro, c, touch->e);
    for (int64_t k = 0; k < obstacle_count(ro) && touch->count < most_contacts; ++k) {
        contact* t = &touch->at[touch->count];
        if (gap_of(obstacle_at(ro, k), c, t->n) > ro->tol)
            continue;
        t->ob = *obstacle_at(ro, k);
        t->up = dot(t->n, touch->e);
        ++touch->count;
    }
}

static bool is_open(const contacts* touch, const double v[3])
{
    for (int k = 0; k < touch->count; ++k)
        if (dot(touch->at[k].n, v) < -level)
            return false;
    return true;
}

static void exchange(contact* a, contact* b)
{
    contact t = *a;
    *a = *b;
    *b = t;
}

// The way of steepest descent, with those who push first in the list of contacts.
static way choose_way(const roller* ro, contacts* touch)
{
    double v[3];
    bool falls = true;
    for (int a = 0; a < touch->count && falls; ++a) {
        const obstacle* ob = &touch->at[a].ob;
        // A fall from beside a sphere, almost, cuts it by R up^2 / 2: not by more than touching allows.
        falls = touch->at[a].up <= (ob->kind == OBSTACLE_SPHERE ? sqrt(ro->tol / ob->R) : level);
    }
    if (falls)
        return WAY_FALL;
    for (int a = 0; a < touch->count; ++a) {
        const contact* t = &touch->at[a];
        add(v, (double[3]){-touch->e[0], -touch->e[1], -touch->e[2]}, t->up, t->n);
        if (t->up <= level || !is_open(touch, v))
            continue;
        exchange(&touch->at[a], &touch->at[0]);
        if (dot(v, v) > 1e-18)
            return WAY_OVER_ONE;
        const obstacle* ob = &touch->at[0].ob;
        bool in_the_middle = ro->central && dot(ob->s, ob->s) <= 1e-18 * ob->R * ob->R;  // all around it is equally low
        return ob->kind == OBSTACLE_SPHERE && !in_the_middle ? WAY_NOWHERE : WAY_REST;
    }
    for (int a = 0; a < touch->count && ro->dim == 3; ++a)
        for (int b = 0; b < a; ++b) {
            const contact *ta = &touch->at[a], *tb = &touch->at[b];
            double K = dot(ta->n, tb->n), sine = 1.0 - K * K;
            if (!(sine > 1e-9))  // it sits between the two
                continue;
            double push_a = (ta->up - K * tb->up) / sine, push_b = (tb->up - K * ta->up) / sine;
            if (push_a < -level || push_b < -level)
                continue;
            add(v, (double[3]){-touch->e[0], -touch->e[1], -touch->e[2]}, push_a, ta->n);
            add(v, v, push_b, tb->n);
            if (!is_open(touch, v))
                continue;
            exchange(&touch->at[b], &touch->at[0]);  // b < a, so that a stays where it is
            exchange(&touch->at[a], &touch->at[1]);
            return dot(v, v) > 1e-18 ? WAY_OVER_TWO : WAY_NOWHERE;
        }
    return WAY_REST;
}

// ---- Paths ---------------------------------------------------------------------------------------------------------

typedef enum path_kind { PATH_LINE, PATH_CIRCLE, PATH_TUBE } path_kind;

// Along a parameter t from 0: a length on lines, an angle beyond `begin` on circles, a share on tubes.
typedef struct path {
    path_kind kind;
    double p[3], w[3], u[3], rho, begin;  // line: from p along u
    double end;                           // where it is left or ends
    double s[3], R, d, azimuth, from, to; // tube around p: over the sphere s at the distance d of its axis
} path;

static void path_point(const path* pa, double t, double c[3])
{
    if (pa->kind == PATH_LINE) {
        add(c, pa->p, t, pa->u);
    } else if (pa->kind == PATH_CIRCLE) {
        add(c, pa->p, pa->rho * cos(pa->begin + t), pa->w);
        add(c, c, pa->rho * sin(pa->begin + t), pa->u);
    } else {  // steps become finer towards the end, where the curve turns to fall
        double turn = pa->from + (pa->to - pa->from) * sin(0.5 * pi * t), half = sin(0.5 * turn), beside = pa->rho - pa->d;
        double square = pa->R * pa->R - beside * beside - 4.0 * pa->rho * pa->d * half * half;
        c[0] = pa->p[0] + pa->rho * cos(pa->azimuth + turn);
        c[1] = pa->p[1] + pa->rho * sin(pa->azimuth + turn);
        c[2] = pa->s[2] + sqrt(fmax(square, 0.0));
    }
}

// A circle around p through c, w uphill. False: too small to be one.
static bool circle_through(path* pa, const double m[3], const double c[3])
{
    double d[3];
    if (!(normalise(pa->w) > 1e-14) || !(pa->rho > 0.0))
        return false;
    cross(pa->u, m, pa->w);
    add(d, c, -1.0, pa->p);
    double x = dot(d, pa->w), y = dot(d, pa->u);
    for (int k = 0; k < 3 && y < 0.0; ++k)
        pa->u[k] = -pa->u[k];
    pa->kind = PATH_CIRCLE;
    pa->begin = atan2(fabs(y), x);
    return true;
}

static bool path_over_one(const roller* ro, const contact* a, const double c[3], path* pa)
{
    double m[3], far = 0.0;
    memcpy(pa->p, a->ob.s, sizeof pa->p);
    pa->rho = a->ob.R;
    memcpy(pa->w, (double[3]){0.0, 0.0, 1.0}, sizeof pa->w);
    if (ro->central) {
        memcpy(pa->w, a->ob.s, sizeof pa->w);
        far = sqrt(dot(pa->w, pa->w));
        if (!(far > 0.0))
            return false;
        for (int k = 0; k < 3; ++k)
            pa->w[k] /= far;
    }
    cross(m, pa->w, a->n);
    if (!(normalise(m) > 0.0) || !circle_through(pa, m, c))
        return false;
    double leave = a->ob.kind == OBSTACLE_BOWL ? pi : ro->central ? (a->ob.R < far ? acos(-a->ob.R / far) : pi) : 0.5 * pi;
    pa->end = fmax(leave - pa->begin, 0.0);
    return true;
}

static bool path_in_tube(const contact* a, const contact* tube, const double c[3], path* pa)
{
    if (a->ob.kind != OBSTACLE_SPHERE)
        return false;
    *pa = (path){.kind = PATH_TUBE, .rho = tube->ob.R, .R = a->ob.R, .end = 1.0};
    memcpy(pa->p, tube->ob.s, sizeof pa->p);
    memcpy(pa->s, a->ob.s, sizeof pa->s);
    double dx = pa->s[0] - pa->p[0], dy = pa->s[1] - pa->p[1];
    pa->d = sqrt(dx * dx + dy * dy);
    pa->azimuth = atan2(dy, dx);
    pa->from = remainder(atan2(c[1] - pa->p[1], c[0] - pa->p[0]) - pa->azimuth, 2.0 * pi);
    double square = pa->R * pa->R - (pa->rho - pa->d) * (pa->rho - pa->d), most = 4.0 * pa->rho * pa->d;  // see path_point
    if (!(most > 0.0) || square < 0.0)
        return false;
    pa->to = copysign(square < most ? 2.0 * asin(sqrt(square / most)) : pi, pa->from);
    return fabs(pa->to) > fabs(pa->from);
}

// The height, linear in e . n, at which the push of a is over, as the cosine on the circle.
static double leave_at(const roller* ro, const contact* a, const contact* b, double K, double height, const double c[3], double amplitude,
                       double middle)
{
    double factor = ro->central ? 0.5 : 1.0, size = ro->central ? sqrt(dot(c, c)) : 1.0, slope[2], up[2];
    const contact* both[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        const obstacle* ob = &both[k]->ob;
        slope[k] = ob->kind == OBSTACLE_SPHERE ? factor / ob->R : ob->kind == OBSTACLE_BOWL ? -factor / ob->R : 0.0;
        up[k] = both[k]->up * size;
    }
    double push = up[0] - K * up[1], rate = slope[0] - K * slope[1];
    if (!(rate > 0.0))
        return -1.0;  // never on the way down
    return (height - fmax(push, 0.0) / rate - middle) / amplitude;
}

static bool path_over_two(const roller* ro, const contact* a, const contact* b, const double c[3], path* pa)
{
    if (a->ob.kind == OBSTACLE_TUBE || b->ob.kind == OBSTACLE_TUBE)
        return a->ob.kind == OBSTACLE_TUBE ? path_in_tube(b, a, c, pa) : path_in_tube(a, b, c, pa);
    if (a->ob.kind == OBSTACLE_PLANE) {
        const contact* t = a;
        a = b;
        b = t;
    }
    if (a->ob.kind == OBSTACLE_PLANE)
        return false;
    double m[3], t;
    if (b->ob.kind == OBSTACLE_PLANE) {
        memcpy(m, b->ob.s, sizeof m);
        t = b->ob.R - dot(m, a->ob.s);
    } else {
        add(m, b->ob.s, -1.0, a->ob.s);
        double D = normalise(m);
        if (!(D > 0.0))
            return false;
        t = ((a->ob.R - b->ob.R) * (a->ob.R + b->ob.R) / D + D) / 2.0;
    }
    add(pa->p, a->ob.s, t, m);
    pa->rho = sqrt(fmax((a->ob.R - t) * (a->ob.R + t), 0.0));
    const double* uphill = ro->central ? pa->p : (const double[3]){0.0, 0.0, 1.0};
    add(pa->w, uphill, -dot(uphill, m), m);
    double steep = sqrt(dot(pa->w, pa->w));
    if (!circle_through(pa, m, c))
        return false;
    double amplitude = (ro->central ? 2.0 : 1.0) * pa->rho * steep, middle = ro->central ? dot(pa->p, pa->p) + pa->rho * pa->rho : pa->p[2];
    double K = dot(a->n, b->n), height = roll_height(ro, c);
    double cosine = fmax(leave_at(ro, a, b, K, height, c, amplitude, middle), leave_at(ro, b, a, K, height, c, amplitude, middle));
    pa->end = fmax(acos(fmin(fmax(cosine, -1.0), 1.0)) - pa->begin, 0.0);
    return true;
}

// ---- Who is met ----------------------------------------------------------------------------------------------------

static double meet_on_line(const path* pa, const obstacle* ob, double R)
{
    double q[3], b, square;
    if (ob->kind == OBSTACLE_PLANE) {
        b = dot(ob->s, pa->u);
        return b < 0.0 ? fmax((dot(ob->s, pa->p) - R) / -b, 0.0) : INFINITY;
    }
    if (ob->kind == OBSTACLE_TUBE)
        return INFINITY;  // it falls along the wall
    add(q, pa->p, -1.0, ob->s);
    b = dot(q, pa->u);
    square = dot(q, q) - R * R;
    double root = b * b - square;
    if (ob->kind == OBSTACLE_BOWL)
        return fmax(-b + sqrt(fmax(root, 0.0)), 0.0);
    if (b >= 0.0 || root <= 0.0)
        return INFINITY;
    return fmax(square / (-b + sqrt(root)), 0.0);
}

// C + A cos + B sin falls through 0.
static double fall_through_zero(const path* pa, double C, double A, double B)
{
    double H = sqrt(A * A + B * B), cosine = cos(pa->begin), sine = sin(pa->begin);
    bool inside = C + A * cosine + B * sine <= 0.0;
    if (inside && B * cosine - A * sine < 0.0)
        return 0.0;
    if (!(fabs(C) < H))
        return INFINITY;
    double t = fmod(atan2(B, A) + acos(-C / H) - pa->begin, 2.0 * pi);
    return t < 0.0 ? t + 2.0 * pi : t;
}

// The distance from the axis of a cylinder is no such function: advance repeatedly as far as its second derivative allows.
static double meet_tube(const path* pa, const obstacle* ob, double R, double end)
{
    double q[2] = {pa->p[0] - ob->s[0], pa->p[1] - ob->s[1]};
    double size = sqrt(q[0] * q[0] + q[1] * q[1]), bend = 2.0 * pa->rho * (size + 2.0 * pa->rho);
    for (double t = 0.0; t < end;) {
        double cosine = cos(pa->begin + t), sine = sin(pa->begin + t), room = R * R, fall = 0.0;
        for (int k = 0; k < 2; ++k) {
            double x = q[k] + pa->rho * (pa->w[k] * cosine + pa->u[k] * sine);
            room -= x * x;
            fall -= 2.0 * x * pa->rho * (pa->u[k] * cosine - pa->w[k] * sine);
        }
        if (room <= 1e-15 * R * R) {
            if (fall <= 0.0)
                return t;
            room = 0.0;
        }
        t += (fall + sqrt(fall * fall + 2.0 * bend * room)) / bend + 1e-15;
    }
    return INFINITY;
}

static double meet_on_circle(const path* pa, const obstacle* ob, double R, double end)
{
    double q[3];
    if (ob->kind == OBSTACLE_TUBE)
        return meet_tube(pa, ob, R, end);
    if (ob->kind == OBSTACLE_PLANE)
        return fall_through_zero(pa, dot(ob->s, pa->p) - R, pa->rho * dot(ob->s, pa->w), pa->rho * dot(ob->s, pa->u));
    add(q, pa->p, -1.0, ob->s);
    double C = dot(q, q) + (pa->rho - R) * (pa->rho + R), A = 2.0 * pa->rho * dot(q, pa->w), B = 2.0 * pa->rho * dot(q, pa->u);
    if (ob->kind == OBSTACLE_BOWL)
        return fall_through_zero(pa, -C, -A, -B);
    return C >= 0.0 && C * C >= A * A + B * B ? INFINITY : fall_through_zero(pa, C, A, B);
}

static double room_on_tube(const path* pa, const obstacle* ob, double R, double t)
{
    double c[3], n[3];
    obstacle other = *ob;
    other.R = R;
    path_point(pa, t, c);
    return gap_of(&other, c, n);
}

static double narrow(const path* pa, const obstacle* ob, double R, double free, double taken)
{
    for (int k = 0; k < 80 && taken - free > 1e-17; ++k) {
        double middle = 0.5 * (free + taken);
        *(room_on_tube(pa, ob, R, middle) > 0.0 ? &free : &taken) = middle;
    }
    return free;
}

static double meet_on_tube(const path* pa, const obstacle* ob, double R, double end)
{
    double before = room_on_tube(pa, ob, R, 0.0), least = INFINITY, last = 0.0;
    if (before <= 0.0 && room_on_tube(pa, ob, R, 1e-6 * end) < before)
        return 0.0;
    for (int k = 1; k <= tube_parts; ++k) {
        double t = end * k / tube_parts, room = room_on_tube(pa, ob, R, t);
        if (room <= 0.0 && before > 0.0)
            return narrow(pa, ob, R, last, t);
        if (room > before && before < least && k > 1) {  // a least value in between may be below 0
            double low = end * (k - 2) / tube_parts, high = t;
            for (int g = 0; g < 60; ++g) {
                double x = low + (high - low) / 3.0, y = high - (high - low) / 3.0;
                if (room_on_tube(pa, ob, R, x) < room_on_tube(pa, ob, R, y))
                    high = y;
                else
                    low = x;
            }
            if (room_on_tube(pa, ob, R, low) <= 0.0)
                return narrow(pa, ob, R, end * (k - 2) / tube_parts, low);
        }
        least = before;
        before = room;
        last = t;
    }
    return INFINITY;
}

// How far the path can go before anything is met, but not beyond `reach` in length.
static double path_length(const roller* ro, const path* pa, const contacts* touch, int pushing, double reach)
{
    double end = pa->end;
    if (pa->kind == PATH_LINE)
        end = fmin(end, reach);
    if (pa->kind == PATH_CIRCLE)
        end = fmin(end, reach / pa->rho);
    for (int halves = 0; pa->kind == PATH_TUBE && halves < 60; ++halves) {
        double a[3], b[3], d[3], length = 0.0;
        path_point(pa, 0.0, a);
        for (int k = 1; k <= 4; ++k) {
            path_point(pa, end * k / 4.0, b);
            add(d, b, -1.0, a);
            length += sqrt(dot(d, d));
            memcpy(a, b, sizeof a);
        }
        if (length <= 0.8 * reach)
            break;
        end *= 0.5;
    }
    for (int64_t k = 0; k < obstacle_count(ro); ++k) {
        const obstacle* ob = obstacle_at(ro, k);
        double R = ob->R;
        bool pushes = false;
        for (int t = 0; t < touch->count; ++t) {
            const obstacle* other = &touch->at[t].ob;
            if (other->id == ob->id && memcmp(other->s, ob->s, sizeof ob->s) == 0 && other->kind == ob->kind) {
                pushes = t < pushing;
                R += ob->kind == OBSTACLE_BOWL || ob->kind == OBSTACLE_TUBE ? 2.0 * ro->tol : -2.0 * ro->tol;
            }
        }
        if (pushes)
            continue;
        double t = pa->kind == PATH_LINE ? meet_on_line(pa, ob, R) : pa->kind == PATH_CIRCLE ? meet_on_circle(pa, ob, R, end)
                                                                                              : meet_on_tube(pa, ob, R, end);
        end = fmin(end, t);
    }
    return end;
}

// ---- Rest ----------------------------------------------------------------------------------------------------------

// x with M x = b, rows given; false if they are hardly independent.
static bool solve3(double M[3][3], const double b[3], double x[3])
{
    double c[3];
    cross(c, M[1], M[2]);
    double det = dot(M[0], c);
    if (!(fabs(det) > 1e-7))
        return false;
    double d[3], f[3];
    cross(d, M[2], M[0]);
    cross(f, M[0], M[1]);
    for (int k = 0; k < 3; ++k)
        x[k] = (b[0] * c[k] + b[1] * d[k] + b[2] * f[k]) / det;
    return true;
}

// Weights with which the three normals sum up to e.
static bool weights(const contact* const three[3], const double e[3], double out[3])
{
    double M[3][3];
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            M[k][j] = three[j]->n[k];
    return solve3(M, e, out);
}

// Sets the centre on three of its supports (2D: two), those that share the load best, `apart` from each.
static void set_on_supports(const roller* ro, const contacts* touch, double apart, double c[3])
{
    static const contact depth = {.n = {0.0, 1.0, 0.0}};  // discs stay in their plane
    const contact* best[3] = {NULL, NULL, NULL};
    double most = -1e-6;
    for (int a = 0; a < touch->count; ++a)
        for (int b = 0; b < a; ++b)
            for (int d = ro->dim == 3 ? 0 : -1; d < (ro->dim == 3 ? b : 0); ++d) {
                const contact* three[3] = {&touch->at[a], &touch->at[b], d < 0 ? &depth : &touch->at[d]};
                double w[3];
                if (!weights(three, touch->e, w))
                    continue;
                double least = fmin(w[0], d < 0 ? w[1] : fmin(w[1], w[2]));
                if (least > most) {
                    most = least;
                    memcpy(best, three, sizeof best);
                }
            }
    if (best[0] == NULL)
        return;
    double x[3];
    memcpy(x, c, sizeof x);
    for (int round = 0; round < 3; ++round) {
        double M[3][3], gap[3], move[3];
        for (int k = 0; k < 3; ++k) {
            bool is_depth = best[k] == &depth;
            gap[k] = is_depth ? 0.0 : apart - gap_of(&best[k]->ob, x, M[k]);
            if (is_depth)
                memcpy(M[k], depth.n, sizeof depth.n);
        }
        if (!solve3(M, gap, move))
            return;
        add(x, x, 1.0, move);
    }
    double moved[3];
    add(moved, x, -1.0, c);
    if (dot(moved, moved) <= 1e-12 * ro->r * ro->r)
        memcpy(c, x, sizeof x);
}

void roll_set_apart(const roller* ro, double apart, double x[3])
{
    contacts touch;
    find_contacts(ro, x, &touch);
    set_on_supports(ro, &touch, apart, x);
}

void roll_lift(const roller* ro, double by, double x[3])
{
    double e[3];
    up_at(ro, x, e);
    add(x, x, by, e);
}

// ---- All of it -----------------------------------------------------------------------------------------------------

static void nudge(roller* ro, const contacts* touch, double c[3])
{
    double d[3] = {2.0 * scree_rng_uniform(&ro->rng) - 1.0, 0.0, 2.0 * scree_rng_uniform(&ro->rng) - 1.0};
    if (ro->dim == 3)
        d[1] = 2.0 * scree_rng_uniform(&ro->rng) - 1.0;
    add(d, d, -dot(d, touch->e), touch->e);
    normalise(d);
    add(c, c, 1e-6 * ro->r, d);
    // Not into what it touches.
    for (int round = 0; round < 4; ++round)
        for (int t = 0; t < touch->count; ++t) {
            double n[3], gap = gap_of(&touch->at[t].ob, c, n);
            add(c, c, fmax(-gap, 0.0), n);
        }
}

static bool make_path(const roller* ro, way go, const contacts* touch, const double c[3], path* pa)
{
    if (go == WAY_OVER_ONE)
        return touch->at[0].ob.kind != OBSTACLE_TUBE && touch->at[0].ob.kind != OBSTACLE_PLANE && path_over_one(ro, &touch->at[0], c, pa);
    if (go == WAY_OVER_TWO)
        return path_over_two(ro, &touch->at[0], &touch->at[1], c, pa);
    *pa = (path){.kind = PATH_LINE, .end = ro->central ? sqrt(dot(c, c)) : INFINITY};
    memcpy(pa->p, c, sizeof pa->p);
    add(pa->u, (double[3]){0.0, 0.0, 0.0}, -1.0, touch->e);
    return true;
}

// Straight down as far as it goes, whatever was gathered: a fall is long where small spheres pass large ones.
static void fall_down(const roller* ro, const path* pa, const contacts* touch, double c[3])
{
    double lowest = -INFINITY;
    for (int k = 0; k < ro->wall_count; ++k) {
        const obstacle* ob = &ro->walls[k];
        double R = ob->R;
        for (int t = 0; t < touch->count; ++t)
            if (touch->at[t].ob.id < 0 && touch->at[t].ob.kind == ob->kind && memcmp(touch->at[t].ob.s, ob->s, sizeof ob->s) == 0)
                R += ob->kind == OBSTACLE_BOWL ? 2.0 * ro->tol : -2.0 * ro->tol;
        lowest = fmax(lowest, c[2] - meet_on_line(pa, ob, R));
    }
    c[2] = heap_fall(ro->h, c, ro->r, ro->tol, lowest);
}

static void wrap(const heap* h, double c[3])
{
    for (int k = 0; k < 2; ++k)
        if (h->periodic[k] && !(c[k] >= h->lower[k] && c[k] < h->lower[k] + h->length[k]))
            c[k] -= floor((c[k] - h->lower[k]) / h->length[k]) * h->length[k];
}

scree_status roll_down(roller* ro, double x[3], bool* rests)
{
    double left = -1.0, c[3];
    int fruitless = 0, nudges = 0;
    memcpy(c, x, sizeof c);
    *rests = false;
    for (int moves = 0; moves < most_moves; ++moves) {
        if (left < 0.25 * ro->step) {
            wrap(ro->h, c);
            scree_status status = heap_gather(ro->h, c, ro->r, ro->step, true);
            if (status != SCREE_OK)
                return status;
            left = ro->step - 4.0 * ro->tol;
            if (ro->h->near_count > 150)
                ro->step = fmax(0.5 * ro->step, ro->step_least);
            else if (ro->h->near_count < 5 && ro->step < 4.0 * ro->r)
                ro->step *= 2.0;
        }
        ++ro->moves;
        contacts touch;
        path pa = {0};
        find_contacts(ro, c, &touch);
        way go = choose_way(ro, &touch);
        if (go == WAY_REST || (go == WAY_NOWHERE && nudges >= most_nudges)) {
            set_on_supports(ro, &touch, 0.0, c);
            memcpy(x, c, sizeof c);
            *rests = true;
            return SCREE_OK;
        }
        if (go == WAY_NOWHERE || !make_path(ro, go, &touch, c, &pa)) {
            nudge(ro, &touch, c);
            if (++nudges > 2 * most_nudges)
                return SCREE_OK;
            continue;
        }
        double before = roll_height(ro, c);
        if (go == WAY_FALL && !ro->central) {
            fall_down(ro, &pa, &touch, c);
            left = -1.0;
            fruitless = before - c[2] > 1e-13 * ro->r ? 0 : fruitless + 1;
            if (fruitless > most_fruitless)
                return SCREE_OK;
            continue;
        }
        double t = path_length(ro, &pa, &touch, go == WAY_OVER_TWO ? 2 : go == WAY_OVER_ONE ? 1 : 0, left), moved[3], to[3];
        path_point(&pa, t, to);
        add(moved, to, -1.0, c);
        memcpy(c, to, sizeof c);
        left -= pa.kind == PATH_CIRCLE ? fmax(t * pa.rho, 0.0) : pa.kind == PATH_LINE ? t : 1.25 * sqrt(dot(moved, moved));
        if (!(t == t) || !(left > -ro->r))
            return SCREE_OK;
        if (ro->central && pa.kind == PATH_LINE && t == pa.end) {  // at the centre, which is free
            memcpy(x, c, sizeof c);
            *rests = true;
            return SCREE_OK;
        }
        double fallen = (before - roll_height(ro, c)) / (ro->central ? 2.0 * sqrt(dot(c, c)) + ro->r : 1.0);
        fruitless = fallen > 1e-13 * ro->r ? 0 : fruitless + 1;
        if (fruitless > most_fruitless)
            return SCREE_OK;
    }
    return SCREE_OK;
}
