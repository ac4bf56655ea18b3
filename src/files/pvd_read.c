// Reads what pvd.c and other programs write: which file shows which time. Frames keep the order of the list. And which files are the pieces of a VTP in pieces (pvtp.c), which differs by its words.
#include "scree/files.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/number.h"
#include "files/csv.h"
#include "files/input.h"
#include "files/pvtp.h"

#include <expat.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct words {
    const char *type, *tag, *file;
    const char* what;      // it is
} words;

typedef struct reader {
    scree_input* input;
    const words* words;
    XML_Parser parser;
    scree_status status;   // the first thing that was wrong
    size_t folder;         // letters of the path up to and with its last '/'
    bool rooted;           // <VTKFile type="..."> was there
    scree_frame_times list;
    int64_t room;
} reader;

static const char* attribute(const char** pairs, const char* name)
{
    for (; pairs[0] != NULL; pairs += 2)
        if (strcmp(pairs[0], name) == 0)
            return pairs[1];
    return NULL;
}

static int64_t line_of(const reader* rd)
{
    return (int64_t)XML_GetCurrentLineNumber(rd->parser);
}

static scree_status add_frame(reader* rd, const char* file, const char* time)
{
    scree_frame_times* list = &rd->list;
    double value = NAN;
    char shown[SCREE_SHOWN];
    if (file == NULL || file[0] == '\0')
        return scree_input_fail(rd->input, line_of(rd), "a <%s> without the name of a file; expected %s=\"...\"", rd->words->tag, rd->words->file);
    if (time != NULL && (!scree_number_parse(time, time + strlen(time), &value) || !isfinite(value)))
        return scree_input_fail(rd->input, line_of(rd), "timestep=\"%s\"; expected a number",
                                scree_csv_shown(shown, time, (int64_t)strlen(time)));
    if (list->count == rd->room) {
        int64_t room = rd->room + rd->room / 2 + 16;
        scree_status status = scree_resize(&list->times, room, sizeof *list->times);
        if (status == SCREE_OK)
            status = scree_resize(&list->files, room, sizeof *list->files);
        if (status != SCREE_OK)
            return status;
        rd->room = room;
    }
    size_t folder = file[0] == '/' ? 0 : rd->folder, length = strlen(file);
    char* path = scree_malloc(folder + length + 1, 1);
    if (path == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(path, rd->input->name, folder);
    memcpy(path + folder, file, length + 1);
    list->times[list->count] = value;
    list->files[list->count++] = path;
    return SCREE_OK;
}

static void XMLCALL on_start(void* context, const char* tag, const char** pairs)
{
    reader* rd = context;
    scree_status status = SCREE_OK;
    if (rd->status != SCREE_OK)
        return;
    if (!rd->rooted) {
        const char* type = attribute(pairs, "type");
        rd->rooted = strcmp(tag, "VTKFile") == 0 && type != NULL && strcmp(type, rd->words->type) == 0;
        if (!rd->rooted)
            status = scree_input_fail(rd->input, line_of(rd), "expected <VTKFile type=\"%s\" ...>: this is not a list of %s", rd->words->type, rd->words->what);
    } else if (strcmp(tag, rd->words->tag) == 0) {
        status = add_frame(rd, attribute(pairs, rd->words->file), attribute(pairs, "timestep"));
    }
    if (status != SCREE_OK) {
        rd->status = status;
        XML_StopParser(rd->parser, XML_FALSE);
    }
}

static void XMLCALL on_doctype(void* context, const char* name, const char* system, const char* public, int inner)
{
    (void)name, (void)system, (void)public, (void)inner;
    reader* rd = context;
    if (rd->status == SCREE_OK) {
        rd->status = scree_input_fail(rd->input, line_of(rd), "a document type (<!DOCTYPE ...>); expected none in a list of %s", rd->words->what);
        XML_StopParser(rd->parser, XML_FALSE);
    }
}

static void* expat_malloc(size_t size)
{
    return scree_malloc(size, 1);
}

static void* expat_realloc(void* block, size_t size)
{
    return scree_realloc(block, size, 1);
}

static scree_status parse(reader* rd)
{
    for (int64_t before = 0;;) {
        char* block;
        int64_t got;
        scree_status status = scree_input_bytes(rd->input, rd->input->block, &block, &got);
        if (status != SCREE_OK)
            return status;
        if (XML_Parse(rd->parser, block, (int)got, got == 0) != XML_STATUS_OK) {
            enum XML_Error error = XML_GetErrorCode(rd->parser);
            if (rd->status != SCREE_OK)
                return rd->status;
            if (error == XML_ERROR_NO_MEMORY)
                return scree_fail(SCREE_ERR_MEMORY, "%s: out of memory for its XML", rd->input->name);
            if (before + got == 0)
                return scree_input_fail(rd->input, 1, "the file is empty; expected <VTKFile type=\"%s\" ...>", rd->words->type);
            return scree_input_fail(rd->input, line_of(rd), got == 0 ? "the file was cut short (%s); expected </VTKFile> at its end" : "%s; expected XML",
                                    XML_ErrorString(error));
        }
        before += got;
        if (got == 0)
            return SCREE_OK;
        if (before - (int64_t)XML_GetCurrentByteIndex(rd->parser) > SCREE_TAG_MOST)
            return scree_input_fail(rd->input, line_of(rd), "a tag or comment longer than %" PRId64 " bytes; expected at most that many", SCREE_TAG_MOST);
    }
}

static scree_status read_list(const char* path, const words* w, scree_frame_times* out)
{
    static const XML_Memory_Handling_Suite memory = {expat_malloc, expat_realloc, scree_free};
    scree_input input;
    scree_status status = scree_input_open(&input, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    const char* slash = strrchr(path, '/');
    reader rd = {.input = &input, .words = w, .folder = slash != NULL ? (size_t)(slash - path) + 1 : 0};
    rd.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (rd.parser == NULL) {
        status = scree_fail(SCREE_ERR_MEMORY, "%s: out of memory for its XML", path);
    } else {
        XML_SetUserData(rd.parser, &rd);
        XML_SetStartElementHandler(rd.parser, on_start);
        XML_SetStartDoctypeDeclHandler(rd.parser, on_doctype);
        status = parse(&rd);
        XML_ParserFree(rd.parser);
    }
    scree_input_close(&input);
    if (status != SCREE_OK)
        scree_frame_times_free(&rd.list);
    else
        *out = rd.list;
    return status;
}

SCREE_RESULT_OF(scree_frame_times, scree_read_pvd, (const char* path, scree_frame_times* out), (path, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    static const words list = {"Collection", "DataSet", "file", "frames"};
    return read_list(path, &list, out);
}

scree_status scree_pvtp_list(const char* path, scree_frame_times* out)
{
    static const words list = {"PPolyData", "Piece", "Source", "pieces"};
    return read_list(path, &list, out);
}

SCREE_RELEASE_OF(scree_frame_times, scree_frame_times_free)
{
    if (given == NULL)
        return;
    for (int64_t n = 0; n < given->count; ++n)
        scree_free(given->files[n]);
    scree_free(given->files);
    scree_free(given->times);
    *given = (scree_frame_times){0};
}
