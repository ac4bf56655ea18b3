// From the leading bits down, a cell is one of 2^dim parts of the cell above. In which order the parts are visited is a state: where the curve enters (a corner) and along which axis it
// leaves (Hamilton and Rau-Chaplin, "Compact Hilbert indices", 2008). The states and what follows on them are tables.
#include "base/hilbert.h"

#include "base/morton.h"

enum { states_most = 24 };

static struct { uint8_t place, next; } step[2][states_most * 8];  // of 2D and 3D, by state and part: its place along the curve, and eight times the state inside it

static unsigned rotated(unsigned bits, int by, int dim)
{
    return (bits >> by | bits << (dim - by)) & ((1u << dim) - 1);
}

__attribute__((constructor)) static void fill_steps(void)
{
    for (int dim = 2; dim <= 3; ++dim)
        for (unsigned state = 0; state < (1u << dim) * (unsigned)dim; ++state)
            for (unsigned part = 0; part < 1u << dim; ++part) {
                unsigned corner = state / (unsigned)dim, place = 0, enter = 0;
                int axis = (int)(state % (unsigned)dim), along = 0, turn = (axis + 1) % dim;
                for (unsigned gray = rotated(part ^ corner, turn, dim); gray != 0; gray >>= 1)
                    place ^= gray;
                if (place > 0) {
                    unsigned even = (place - 1) / 2 * 2, last = place % 2 == 0 ? place - 1 : place;
                    enter = even ^ even >> 1;
                    for (; last & 1; last >>= 1)
                        ++along;
                }
                enter = rotated(enter, (dim - turn) % dim, dim);
                step[dim - 2][8 * state + part].place = (uint8_t)place;
                step[dim - 2][8 * state + part].next = (uint8_t)(8 * ((corner ^ enter) * (unsigned)dim + (unsigned)((axis + along + 1) % dim)));
            }
}

// dim is a literal.
static inline uint64_t key_of(int dim, int bits, uint64_t parts)
{
    uint64_t key = 0;
    unsigned state = 0;
    for (int shift = dim * (bits - 1); shift >= 0; shift -= dim) {
        const unsigned at = state + ((unsigned)(parts >> shift) & ((1u << dim) - 1));
        key = key << dim | step[dim - 2][at].place;
        state = step[dim - 2][at].next;
    }
    return key;
}

uint64_t scree_hilbert_key(int dim, int bits, const uint64_t cell[3])
{
    return dim == 2 ? key_of(2, bits, scree_morton_key(2, cell)) : key_of(3, bits, scree_morton_key(3, cell));
}
