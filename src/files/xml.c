// Text inside XML that we write: what fits in, and how.
#include "files/xml.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

bool scree_xml_can_hold(const char* text)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        uint32_t code = 0;
        bytes = scree_utf8(text, left, &code);
        if (bytes == 0 || (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xFFFE || code == 0xFFFF)
            return false;
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
