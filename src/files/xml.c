// Text inside XML that we write: what fits in, and how.
#include "files/xml.h"

#include <stdio.h>
#include <string.h>

// The code of the UTF-8 character at the front, and how many bytes it has: 0 if it is broken.
static uint32_t character(const unsigned char* text, int* bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // shorter ones must not be written long
    unsigned first = text[0];
    int wanted = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
    uint32_t code = wanted == 1 ? first : first & (0x7Fu >> wanted);
    *bytes = 0;
    for (int k = 1; k < wanted; ++k) {
        if ((text[k] & 0xC0) != 0x80)  // the closing '\0' is caught here too
            return 0;
        code = code << 6 | (text[k] & 0x3Fu);
    }
    if (wanted > 0 && code >= least[wanted])
        *bytes = wanted;
    return code;
}

bool scree_xml_can_hold(const char* text)
{
    const unsigned char* p = (const unsigned char*)text;
    while (*p != '\0') {
        int bytes;
        uint32_t code = character(p, &bytes);
        bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
        if (bytes == 0 || control || (code >= 0xD800 && code <= 0xDFFF) || code == 0xFFFE || code == 0xFFFF ||
            code > 0x10FFFF)
            return false;
        p += bytes;
    }
    return true;
}

void scree_xml_put(scree_output* output, const char* text)
{
    static const char special[] = "&<>\"\t\n\r";
    while (*text != '\0') {
        size_t plain = strcspn(text, special);
        scree_output_bytes(output, text, plain);
        text += plain;
        if (*text == '\0')
            return;
        char reference[16];
        int length = snprintf(reference, sizeof reference, "&#%d;", *text);
        scree_output_bytes(output, reference, (size_t)length);
        ++text;
    }
}
