// Checkpoints, written. HDF5 builds the file in memory (its core driver) and never touches the disk: HDF5 1.10 on a full disk reports late or
// crashes. What it built goes through the same door as every other file: temporary, fsync, rename, fsync of the directory.
//
// The memory of the image is ours. It is taken before HDF5 begins, large enough for all, and lent to the core driver by its callbacks: so
// lack of memory is told before there is anything to clear up, and the finished image needs no copy. Where in it each dataset lies HDF5
// tells (H5Dget_offset); this becomes the index, by which files are read without HDF5. The writer looks whether the bytes are really there.
//
// Same content, same bytes: no times are stored.
#include "files/checkpoint_parts.h"
#include "base/argument.h"
#include "files/crc64.h"
#include "files/output.h"

#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// H5F_ACC_TRUNC and its like would call H5check, which aborts the program when the loaded HDF5 is not of just the version of the header.
// Versions of one series (1.10) fit each other; library_fits looks whether it is one.
#undef H5CHECK
#define H5CHECK

static scree_status library_fits(void)
{
    unsigned major = 0, minor = 0, release = 0;
    if (H5get_libversion(&major, &minor, &release) < 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "HDF5 cannot be started");
    if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "HDF5 %u.%u.%u is loaded, but this library was built for %d.%d", major, minor, release, H5_VERS_MAJOR,
                          H5_VERS_MINOR);
    return SCREE_OK;
}

// ---- The image's memory ------------------------------------------------------------------------------------------

typedef struct image {
    char* bytes;
    size_t room;
    size_t size;  // of the finished file
    bool out_of_memory;
} image;

static void* image_realloc(void* block, size_t size, H5FD_file_image_op_t operation, void* context)
{
    image* im = context;
    (void)block;  // ours, or NULL at first
    (void)operation;
    if (size <= im->room)
        return im->bytes;
    char* larger = scree_realloc(im->bytes, size, 1);
    im->out_of_memory = im->out_of_memory || larger == NULL;
    if (larger == NULL)
        return NULL;
    im->bytes = larger;
    im->room = size;
    return larger;
}

static void* image_malloc(size_t size, H5FD_file_image_op_t operation, void* context)
{
    return image_realloc(NULL, size, operation, context);
}

static void* image_copy(void* to, const void* from, size_t size, H5FD_file_image_op_t operation, void* context)
{
    (void)operation;
    (void)context;
    return memcpy(to, from, size);
}

static herr_t image_free(void* block, H5FD_file_image_op_t operation, void* context)
{
    (void)block;  // stays ours
    (void)operation;
    (void)context;
    return 0;
}

static void* context_copy(void* context)
{
    return context;
}

static herr_t context_free(void* context)
{
    (void)context;
    return 0;
}

static hid_t file_access(image* im)
{
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = image_malloc,
                                             .image_memcpy = image_copy,
                                             .image_realloc = image_realloc,
                                             .image_free = image_free,
                                             .udata_copy = context_copy,
                                             .udata_free = context_free,
                                             .udata = im};
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list < 0)
        return -1;
    // The step by which the driver grows is all of it. A close closes everything.
    if (H5Pset_fapl_core(list, im->room, false) < 0 || H5Pset_file_image_callbacks(list, &callbacks) < 0 ||
        H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) < 0) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

// ---- Building ----------------------------------------------------------------------------------------------------

static hid_t text_type(int64_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0)
        return -1;
    if (H5Tset_size(type, bytes > 0 ? (size_t)bytes : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static hid_t number_type(part_kind kind, bool in_file)
{
    switch (kind) {
    case PART_INT64: return in_file ? H5T_STD_I64LE : H5T_NATIVE_INT64;
    case PART_UINT64: return in_file ? H5T_STD_U64LE : H5T_NATIVE_UINT64;
    case PART_INT32: return in_file ? H5T_STD_I32LE : H5T_NATIVE_INT32;
    default: return in_file ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE;
    }
}

static bool put_data(hid_t dataset, hid_t memory_type, part* p)
{
    if (p->shape[0] > 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, p->data) < 0)
        return false;
    haddr_t offset = p->shape[0] > 0 ? H5Dget_offset(dataset) : 0;
    p->offset = (int64_t)offset;
    return offset != HADDR_UNDEF;
}

static bool put_part(hid_t file, hid_t creation, part* p)
{
    hsize_t shape[2] = {(hsize_t)p->shape[0], (hsize_t)p->shape[1]};
    bool text = p->kind == PART_TEXT, done = false;
    hid_t type = text ? text_type(p->shape[0]) : H5Tcopy(number_type(p->kind, true));
    hid_t space = p->axes == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(p->axes, shape, NULL);
    hid_t dataset = type < 0 || space < 0 ? -1 : H5Dcreate2(file, p->name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (dataset >= 0) {
        done = put_data(dataset, text ? type : number_type(p->kind, false), p);
        done = H5Dclose(dataset) >= 0 && done;
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

static bool put_attribute(hid_t file, const char* name, hid_t type, hid_t memory_type, const void* data)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? -1 : H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory_type, data) >= 0;
    if (attribute >= 0)
        done = H5Aclose(attribute) >= 0 && done;
    if (space >= 0)
        H5Sclose(space);
    return done;
}

static bool put_attributes(hid_t file, int32_t version)
{
    static const char what[] = "scree checkpoint";
    hid_t type = text_type((int64_t)strlen(what));
    bool done = type >= 0 && put_attribute(file, "format", type, type, what) &&
                put_attribute(file, "format_version", H5T_STD_I32LE, H5T_NATIVE_INT32, &version);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

static bool put_parts(hid_t file, part* parts, int32_t count)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t group = creation < 0 ? -1 : H5Gcreate2(file, "progress", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = group >= 0 && H5Gclose(group) >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
                H5Pset_layout(creation, H5D_CONTIGUOUS) >= 0 && H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
                H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0;
    for (int32_t k = 0; k < count && done; ++k)
        done = put_part(file, creation, &parts[k]);
    if (creation >= 0)
        H5Pclose(creation);
    return done;
}

static bool build(image* im, part* parts, int32_t count, int32_t version)
{
    hid_t access = file_access(im);
    if (access < 0)
        return false;
    // HDF5 first looks for a file of that name, and no file lies below /dev/null; and it wants files that are open at once to differ by name.
    char name[64];
    snprintf(name, sizeof name, "/dev/null/%p", (void*)im);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (file < 0)
        return false;
    bool done = put_attributes(file, version) && put_parts(file, parts, count) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    ssize_t size = done ? H5Fget_file_image(file, NULL, 0) : 0;
    done = H5Fclose(file) >= 0 && done && size > 0 && (size_t)size <= im->room;
    im->size = done ? (size_t)size : 0;
    return done;
}

// ---- Looking again -----------------------------------------------------------------------------------------------

static bool lies_there(const image* im, const part* p)
{
    uint64_t width = checkpoint_width((uint32_t)p->kind), count = (uint64_t)(p->shape[0] * p->shape[1]), offset = (uint64_t)p->offset;
    if (offset > im->size || count * width > im->size - offset)
        return false;
    const char *from = im->bytes + offset, *data = p->data;
    bool same = true;
    for (uint64_t k = 0; k < count && same; ++k) {
        uint64_t bits64;
        uint32_t bits32;
        if (width == 8)
            memcpy(&bits64, data + 8 * k, 8), same = bits64 == checkpoint_load64(from + 8 * k);
        else if (width == 4)
            memcpy(&bits32, data + 4 * k, 4), same = bits32 == checkpoint_load32(from + 4 * k);
        else
            same = data[k] == from[k];
    }
    return same;
}

// What HDF5 says about its last failure: the innermost reason.
static herr_t first_reason(unsigned n, const H5E_error2_t* error, void* context)
{
    if (n == 0 && error->desc != NULL)
        snprintf(context, 128, "%s", error->desc);
    return 0;
}

static scree_status make_image(const char* path, image* im, part* parts, int32_t count, int32_t version)
{
    scree_status status = library_fits();
    if (status != SCREE_OK)
        return status;
    im->room = (size_t)1 << 16;
    for (int32_t k = 0; k < count; ++k)  // a header of HDF5's is some 300 bytes
        im->room += 1024 + (size_t)(parts[k].shape[0] * parts[k].shape[1]) * checkpoint_width((uint32_t)parts[k].kind);
    im->bytes = scree_malloc(im->room, 1);
    if (im->bytes == NULL)
        return SCREE_ERR_MEMORY;
    bool built = false;
    char reason[128] = "no reason given";
    H5E_BEGIN_TRY
    {
        built = build(im, parts, count, version);
        if (!built)
            H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_reason, reason);
    }
    H5E_END_TRY
    if (!built)
        return im->out_of_memory ? SCREE_ERR_MEMORY : scree_fail(SCREE_ERR_IO, "%s: HDF5 cannot build the checkpoint in memory: %s", path, reason);
    for (int32_t k = 0; k < count; ++k)
        if (!lies_there(im, &parts[k]))
            return scree_fail(SCREE_ERR_IO, "%s: HDF5 put '%s' elsewhere than it says", path, parts[k].name);
    return SCREE_OK;
}

// ---- The file ----------------------------------------------------------------------------------------------------

// Puts the index and the seal behind the image; room for them is there.
static void seal(image* im, const part* parts, int32_t count, int32_t version)
{
    char* at = im->bytes + im->size;
    for (int32_t k = 0; k < count; ++k, at += entry_size) {
        memset(at, 0, entry_size);
        memcpy(at, parts[k].name, strlen(parts[k].name));
        checkpoint_store32(at + entry_kind_at, (uint32_t)parts[k].kind);
        checkpoint_store32(at + entry_axes_at, (uint32_t)parts[k].axes);
        checkpoint_store64(at + entry_shape_at, (uint64_t)parts[k].shape[0]);
        checkpoint_store64(at + entry_shape_at + 8, (uint64_t)parts[k].shape[1]);
        checkpoint_store64(at + entry_offset_at, (uint64_t)parts[k].offset);
    }
    size_t size = (size_t)(at - im->bytes) + seal_size;
    memcpy(at, PART_MAGIC, 8);
    checkpoint_store32(at + seal_version_at, (uint32_t)version);
    checkpoint_store32(at + seal_entries_at, (uint32_t)count);
    checkpoint_store64(at + seal_image_at, im->size);
    checkpoint_store64(at + seal_file_at, size);
    checkpoint_store64(at + seal_checksum_at, scree_crc64(im->bytes, size - seal_size + seal_checksum_at));
    im->size = size;
}

static scree_status write_image(const char* path, const image* im)
{
    scree_output output;
    scree_status status = scree_output_open(&output, path, (scree_watch){0});
    if (status != SCREE_OK)
        return status;
    scree_output_bytes(&output, im->bytes, im->size);
    return scree_output_close(&output, SCREE_OK);
}

scree_status scree_checkpoint_write(const char* path, const scree_checkpoint* checkpoint)
{
    SCREE_NEED(path);
    SCREE_NEED(checkpoint);
    scree_status status = checkpoint_check(checkpoint, SCREE_ERR_ARGUMENT, "checkpoint");
    if (status != SCREE_OK)
        return status;
    scree_checkpoint ours = *checkpoint;  // borrows the arrays
    snprintf(ours.library, sizeof ours.library, "%s", scree_version());
    part parts[part_most];
    int32_t count = checkpoint_parts(&ours, ours.has_bodies ? checkpoint_vertices(&ours) : 0, parts);
    image im = {0};
    status = make_image(path, &im, parts, count, checkpoint_version(&ours));
    size_t behind = (size_t)count * entry_size + seal_size;
    if (status == SCREE_OK && im.room - im.size < behind)
        status = image_realloc(im.bytes, im.size + behind, H5FD_FILE_IMAGE_OP_NO_OP, &im) != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        seal(&im, parts, count, checkpoint_version(&ours));
        status = write_image(path, &im);
    }
    scree_free(im.bytes);
    return status;
}
