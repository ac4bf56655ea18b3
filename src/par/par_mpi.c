// Ranks as processes of MPI. With forest_p8est.c the only file that includes mpi.h.
//
// One all-to-all of sizes precedes each exchange. All ranks allocate their memory, and agree that all have succeeded, before the first byte is sent: so no rank waits for one that is out of memory. That
// is 8 bytes for each pair of ranks at each new list; a sparse scheme would pay off from some thousands of ranks on.
#include "par/par.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { message_room = 1024, message_tag = 71 };

typedef struct mpi_inner {
    MPI_Comm comm;
    MPI_Request* requests;   // for a message to and from each rank
    int64_t *sizes, *sizes_in;
    int under_way;           // of the requests
    bool started;            // MPI by us
} mpi_inner;

// In one piece each: 2 GiB from one rank to another are the most.
static scree_status check_sizes(const par_post* post)
{
    for (int32_t m = 0; m < post->count; ++m)
        if (post->mail[m].bytes > INT_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "par: a message of %lld bytes between two ranks; expected at most %d: use more ranks", (long long)post->mail[m].bytes, INT_MAX);
    return SCREE_OK;
}

// Up to 0.3 ms, so that messages come in other orders.
static void wait_by_chance(scree_par* par)
{
    par->noise = par->noise * 6364136223846793005u + 1442695040888963407u;
    if (par->noise >> 62 == 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)((par->noise >> 32) % 300000)}, NULL);
}

static scree_status mpi_swap_begin(scree_par* par, const par_post* out, par_post* in)
{
    mpi_inner* inner = par->inner;
    int count = 0;
    for (int32_t m = 0; m < in->count; ++m)
        MPI_Irecv(in->mail[m].data, (int)in->mail[m].bytes, MPI_BYTE, in->mail[m].peer, message_tag, inner->comm, &inner->requests[count++]);
    for (int32_t m = 0; m < out->count; ++m) {
        if (par->noise != 0)
            wait_by_chance(par);
        MPI_Isend(out->mail[m].data, (int)out->mail[m].bytes, MPI_BYTE, out->mail[m].peer, message_tag, inner->comm, &inner->requests[count++]);
    }
    inner->under_way = count;
    return SCREE_OK;
}

static scree_status mpi_swap_end(scree_par* par, const par_post* out, par_post* in)
{
    mpi_inner* inner = par->inner;
    (void)out, (void)in;
    MPI_Waitall(inner->under_way, inner->requests, MPI_STATUSES_IGNORE);
    inner->under_way = 0;
    return SCREE_OK;
}

static scree_status mpi_swap(scree_par* par, const par_post* out, par_post* in)
{
    scree_status status = mpi_swap_begin(par, out, in);
    return status == SCREE_OK ? mpi_swap_end(par, out, in) : status;
}

static scree_status mpi_agree(scree_par* par, scree_status status)
{
    const mpi_inner* inner = par->inner;
    int mine = status == SCREE_OK ? INT_MAX : par->first, lowest;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, inner->comm);
    if (lowest == INT_MAX)
        return SCREE_OK;
    struct {
        int status;
        char message[message_room];
    } said = {.status = (int)status};
    snprintf(said.message, sizeof said.message, "%s", scree_error_message());
    MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, lowest, inner->comm);
    if (said.status == (int)SCREE_ERR_MEMORY)
        return SCREE_ERR_MEMORY;
    return scree_fail((scree_status)said.status, "%s", said.message);
}

static scree_status mpi_send(scree_par* par, const par_post* out, par_post* in)
{
    const mpi_inner* inner = par->inner;
    memset(inner->sizes, 0, (size_t)par->ranks * sizeof *inner->sizes);
    for (int32_t m = 0; m < out->count; ++m)
        inner->sizes[out->mail[m].peer] = out->mail[m].bytes + 1;
    MPI_Alltoall(inner->sizes, 1, MPI_INT64_T, inner->sizes_in, 1, MPI_INT64_T, inner->comm);
    scree_status status = check_sizes(out);
    par_post_clear(in);
    for (int32_t p = 0; p < par->ranks && status == SCREE_OK; ++p)
        if (inner->sizes_in[p] > 0)
            status = par_post_add(in, p, inner->sizes_in[p] - 1);
    if (status == SCREE_OK)
        status = par_post_lay(in);
    status = mpi_agree(par, status);
    return status == SCREE_OK ? mpi_swap(par, out, in) : status;
}

static scree_status mpi_max(scree_par* par, double* values, int64_t count)
{
    const mpi_inner* inner = par->inner;
    MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_MAX, inner->comm);
    return SCREE_OK;
}

static scree_status mpi_sum(scree_par* par, int64_t* values, int64_t count)
{
    const mpi_inner* inner = par->inner;
    for (int64_t done = 0; done < count; done += 1 << 24) {
        int64_t here = count - done < 1 << 24 ? count - done : 1 << 24;
        MPI_Allreduce(MPI_IN_PLACE, values + done, (int)here, MPI_INT64_T, MPI_SUM, inner->comm);
    }
    return SCREE_OK;
}

static scree_status mpi_spread(scree_par* par, void* bytes, int64_t count)
{
    const mpi_inner* inner = par->inner;
    for (int64_t done = 0; done < count; done += 1 << 30) {
        int64_t here = count - done < 1 << 30 ? count - done : 1 << 30;
        MPI_Bcast((char*)bytes + done, (int)here, MPI_BYTE, 0, inner->comm);
    }
    return SCREE_OK;
}

// MPI itself waits by asking again and again, which takes a core: a message may come at any moment. Here it comes after some time, so who waits sleeps for a twentieth of the time that it has waited.
static void mpi_rest(scree_par* par)
{
    const mpi_inner* inner = par->inner;
    const int64_t most = 1000000;  // ns
    MPI_Request all;
    int come = 0;
    double begin = MPI_Wtime();
    MPI_Ibarrier(inner->comm, &all);
    for (MPI_Test(&all, &come, MPI_STATUS_IGNORE); !come; MPI_Test(&all, &come, MPI_STATUS_IGNORE)) {
        double waited = 1e9 * (MPI_Wtime() - begin) / 20.0;
        nanosleep(&(struct timespec){.tv_nsec = (long)(waited < (double)most ? waited : (double)most)}, NULL);
    }
}

static void mpi_close(scree_par* par)
{
    mpi_inner* inner = par->inner;
    int over = 0;
    if (inner == NULL)
        return;
    MPI_Finalized(&over);
    if (!over && inner->comm != MPI_COMM_WORLD)
        MPI_Comm_free(&inner->comm);
    if (inner->started && !over)
        MPI_Finalize();
    scree_free(inner->requests);
    scree_free(inner->sizes);
    scree_free(inner->sizes_in);
    scree_free(inner);
}

// Ranks that share the cores of this machine.
static int32_t count_here(MPI_Comm all)
{
    MPI_Comm here;
    int count = 1;
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    return count;
}

static scree_status open_comm(MPI_Comm comm, bool started, scree_par** out)
{
    static const par_way way = {.send = mpi_send, .swap = mpi_swap, .max = mpi_max, .sum = mpi_sum, .spread = mpi_spread, .agree = mpi_agree, .close = mpi_close, .swap_begin = mpi_swap_begin, .swap_end = mpi_swap_end, .rest = mpi_rest};
    int ranks, rank;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    scree_par* par = scree_calloc(1, sizeof *par);
    mpi_inner* inner = scree_calloc(1, sizeof *inner);
    if (inner != NULL) {
        inner->comm = comm;
        inner->started = started;
        inner->requests = scree_malloc(2 * (size_t)ranks, sizeof *inner->requests);
        inner->sizes = scree_malloc((size_t)ranks, sizeof *inner->sizes);
        inner->sizes_in = scree_malloc((size_t)ranks, sizeof *inner->sizes_in);
    }
    if (par == NULL || inner == NULL || inner->requests == NULL || inner->sizes == NULL || inner->sizes_in == NULL)
        MPI_Abort(comm, 1);  // some hundred bytes: nothing could be reported
    *par = (scree_par){.way = &way, .ranks = ranks, .first = rank, .local = 1, .here = count_here(comm), .inner = inner};
    *out = par;
    return SCREE_OK;
}

static bool begin_mpi(void)
{
    int is = 0, given;
    MPI_Initialized(&is);
    if (!is)
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    return !is;
}

scree_status par_mpi(scree_par** out)
{
    scree_status status = open_comm(MPI_COMM_WORLD, begin_mpi(), out);
    if (status == SCREE_OK)
        (*out)->trees = true;
    return status;
}

// The entry of the module (open.c).
__attribute__((visibility("default"))) scree_status scree_mpi_start(int32_t version, int32_t communicator, scree_par** out);
scree_status scree_mpi_start(int32_t version, int32_t communicator, scree_par** out)
{
    *out = NULL;
    if (version != par_module_version)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "par: libscree_mpi.so is of version %d; expected %d, that of libscree, built from the same sources", (int)par_module_version, (int)version);
    bool started = begin_mpi();
    MPI_Comm given = communicator < 0 ? MPI_COMM_WORLD : MPI_Comm_f2c((MPI_Fint)communicator), own;
    if (given == MPI_COMM_NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: %d is not an MPI communicator; expected the Fortran handle of one", (int)communicator);
    MPI_Comm_dup(given, &own);  // messages of others stay theirs
    return open_comm(own, started, out);
}
