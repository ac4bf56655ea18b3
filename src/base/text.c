// Text that came from outside: names of files and columns, words of a file. A terminal obeys control characters in it, among them the
// 32 C1 controls that UTF-8 writes in two bytes, and an invalid character makes a page invalid. So all text that is shown passes here:
// scree_fail cleans every message as a whole, the program whatever it prints on standard error, pages and reports their texts.
#include "base/text.h"

size_t scree_utf8(const char* text, size_t length, uint32_t* code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // what has a shorter form must not be written long
    const unsigned char* p = (const unsigned char*)text;
    if (length == 0)
        return 0;
    size_t bytes = p[0] < 0x80 ? 1 : p[0] < 0xC0 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF8 ? 4 : 0;
    if (bytes == 0 || bytes > length)
        return 0;
    uint32_t value = bytes == 1 ? p[0] : p[0] & (0x7Fu >> bytes);
    for (size_t k = 1; k < bytes; ++k) {
        if ((p[k] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (p[k] & 0x3Fu);
    }
    if (value < least[bytes] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    *code = value;
    return bytes;
}

size_t scree_text_next(const char* text, size_t length, bool* plain)
{
    uint32_t code = 0;
    size_t bytes = scree_utf8(text, length, &code);
    *plain = bytes > 0 && code >= 0x20 && !(code >= 0x7F && code < 0xA0) && code != 0xFFFE && code != 0xFFFF;
    return bytes > 0 ? bytes : length > 0;
}
