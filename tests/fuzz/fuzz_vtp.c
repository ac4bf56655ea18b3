// Any bytes as a VTP file.
#include "fuzz_format.h"

// What expat calls a fault can depend on how much of the text it sees at once. And a fault of XML in the midst of a stretch of text
// ("]]>") is reported before that text is handed over if both come in one block, but after it if they do not: then what is wrong with
// the text itself is reported first.
static bool about_xml(const char* message)
{
    return strstr(message, "; expected XML") != NULL || strstr(message, "cut short") != NULL;
}

static bool one_about_xml(const char* a, const char* b)
{
    return about_xml(a) || about_xml(b);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const fuzzed_format format = {.number = SCREE_FORMAT_VTP,
                                         .read = scree_vtp_read,
                                         .same_message = one_about_xml,
                                         .all_written = true,
                                         .ordered = true};
    return fuzz_format(&format, data, size);
}
