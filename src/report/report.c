// A page of a report, made in memory and written as a whole.
//
//     head, style | title, badge | sections: paragraphs, tables, figures, lists, ... | foot
//
// Things that stand in a row share a frame: values a table, figures a grid, links a list. `open` knows which one is begun, and whatever
// comes next ends it. The badge may come at any time, so the head is put before the body only when the page is written.
//
// The page is XML that browsers also take for HTML: every element is closed, attributes are quoted, and nothing but UTF-8 gets in. Figures
// keep the colours of light pages in their SVG; the style sheet says for each of them what stands for it on dark ones, by the value of the
// attribute.
//
// Cost: memory for the page, twice while a picture is added (its PNG). Pages of some MB are fine; a report is no place for data.
#include "report/report.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "files/output.h"
#include "picture/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum frame { NOTHING, VALUES, FIGURES, LINKS } frame;

typedef struct text {
    char* bytes;
    int64_t used, capacity;
} text;

struct scree_report {
    scree_status status;
    char message[1024];  // of the first failure
    frame open;
    bool good;
    text title, about, badge, body;  // escaped, except for the body, which is HTML
};

// ---- Text ----------------------------------------------------------------------------------------------------------------

static void keep(scree_report* page, scree_status status)
{
    if (page->status != SCREE_OK || status == SCREE_OK)
        return;
    page->status = status;
    snprintf(page->message, sizeof page->message, "%s", scree_error_message());
}

static void put_bytes(scree_report* page, text* to, const char* bytes, size_t count)
{
    if (page->status != SCREE_OK)
        return;
    keep(page, SCREE_RESERVE(to->bytes, to->capacity, to->used + (int64_t)count + 1));
    if (page->status != SCREE_OK)
        return;
    memcpy(to->bytes + to->used, bytes, count);
    to->used += (int64_t)count;
    to->bytes[to->used] = '\0';
}

static void put(scree_report* page, const char* html)
{
    put_bytes(page, &page->body, html, strlen(html));
}

// What may not be shown becomes U+FFFD; line ends and tabs stay.
static void put_escaped(scree_report* page, text* to, const char* from)
{
    const char* c = from != NULL ? from : "";
    for (size_t left = strlen(c), length; left > 0; c += length, left -= length) {
        bool plain;
        const char* entity = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '"' ? "&quot;" : NULL;
        length = scree_text_next(c, left, &plain);
        if (entity == NULL && !plain && *c != '\n' && *c != '\t')
            entity = "\xef\xbf\xbd";
        put_bytes(page, to, entity != NULL ? entity : c, entity != NULL ? strlen(entity) : length);
    }
}

static void put_text(scree_report* page, const char* from)
{
    put_escaped(page, &page->body, from);
}

static bool is_empty(const char* from)
{
    return from == NULL || from[0] == '\0';
}

// ---- Life ----------------------------------------------------------------------------------------------------------------

scree_status scree_report_create(const char* title, const char* about, scree_report** out)
{
    SCREE_EMPTY(out);
    scree_report* page = scree_calloc(1, sizeof *page);
    if (page == NULL)
        return SCREE_ERR_MEMORY;
    put_escaped(page, &page->title, title);
    put_escaped(page, &page->about, about);
    if (page->status != SCREE_OK) {
        scree_report_destroy(page);
        return SCREE_ERR_MEMORY;
    }
    *out = page;
    return SCREE_OK;
}

void scree_report_destroy(scree_report* page)
{
    if (page == NULL)
        return;
    scree_free(page->title.bytes);
    scree_free(page->about.bytes);
    scree_free(page->badge.bytes);
    scree_free(page->body.bytes);
    scree_free(page);
}

static void begin(scree_report* page, frame next)
{
    static const char* const ends[] = {"", "</tbody></table>\n", "</div>\n", "</ul>\n"};
    static const char* const begins[] = {"", "<table><tbody>\n", "<div class=\"figures\">\n", "<ul>\n"};
    if (page->open == next && next != NOTHING)
        return;
    put(page, ends[page->open]);
    put(page, begins[next]);
    page->open = next;
}

// ---- Things --------------------------------------------------------------------------------------------------------------

void scree_report_badge(scree_report* page, const char* from, bool good)
{
    SCREE_NEED_OR(page, );
    page->badge.used = 0;
    page->good = good;
    put_escaped(page, &page->badge, from);
}

static void put_element(scree_report* page, const char* before, const char* from, const char* after)
{
    begin(page, NOTHING);
    put(page, before);
    put_text(page, from);
    put(page, after);
}

void scree_report_heading(scree_report* page, const char* from)
{
    SCREE_NEED_OR(page, );
    put_element(page, "<h2>", from, "</h2>\n");
}

void scree_report_text(scree_report* page, const char* from)
{
    SCREE_NEED_OR(page, );
    put_element(page, "<p>", from, "</p>\n");
}

void scree_report_lines(scree_report* page, const char* from)
{
    SCREE_NEED_OR(page, );
    put_element(page, "<pre>", from, "</pre>\n");
}

// Words of other than these letters stand in quotes; a quote inside is put by itself.
void scree_report_command(scree_report* page, int count, const char* const* words)
{
    SCREE_NEED_OR(page, );
    for (int w = 0; w < count; ++w)
        if (words == NULL || words[w] == NULL) {
            keep(page, scree_fail(SCREE_ERR_ARGUMENT, "scree_report_command: %s is NULL; expected a pointer", words == NULL ? "words" : "one of the words"));
            return;
        }
    begin(page, NOTHING);
    put(page, "<pre>");
    for (int w = 0; w < count; ++w) {
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
        bool quoted = words[w][0] == '\0' || words[w][strspn(words[w], plain)] != '\0';
        put(page, w > 0 ? " " : "");
        put(page, quoted ? "'" : "");
        for (const char* at = words[w]; *at != '\0';) {
            char part[256];
            size_t length = strcspn(at, "'");
            length = length < sizeof part - 5 ? length : sizeof part - 5;
            while (length > 0 && ((unsigned char)at[length] & 0xc0) == 0x80)  // not inside a character
                --length;
            length = length > 0 || *at == '\'' ? length : 1;
            snprintf(part, sizeof part, "%.*s%s", (int)length, at, at[length] == '\'' ? "'\\''" : "");
            put_text(page, part);
            at += length + (at[length] == '\'');
        }
        put(page, quoted ? "'" : "");
    }
    put(page, "</pre>\n");
}

void scree_report_link(scree_report* page, const char* path, const char* note)
{
    SCREE_NEED_OR(page, );
    if (path == NULL) {
        keep(page, scree_fail(SCREE_ERR_ARGUMENT, "scree_report_link: path is NULL; expected a pointer"));
        return;
    }
    begin(page, LINKS);
    put(page, "<li><a href=\"");
    for (const char* c = path; *c != '\0'; ++c) {
        char code[4] = {*c, '\0'};
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("_-./~", *c) != NULL;
        if (!plain)
            snprintf(code, sizeof code, "%%%02X", (unsigned)(unsigned char)*c);
        put(page, code);
    }
    put(page, "\">");
    put_text(page, path);
    put(page, "</a>");
    if (!is_empty(note)) {
        put(page, " <span>");
        put_text(page, note);
        put(page, "</span>");
    }
    put(page, "</li>\n");
}

// ---- Values --------------------------------------------------------------------------------------------------------------

// By %e, of which the digits and the exponent are taken: the sign between the digits is the locale's.
void scree_report_format(char out[32], double value)
{
    SCREE_NEED_NAMED(out, "text", );
    char plain[64], digits[16] = "";
    int count = 0;
    if (!isfinite(value) || value == 0.0) {
        snprintf(out, 32, "%s", value == 0.0 ? "0" : "\xe2\x80\x93");
        return;
    }
    snprintf(plain, sizeof plain, "%.5e", fabs(value));
    const char* c = plain;
    for (; *c != 'e'; ++c)
        if (*c >= '0' && *c <= '9' && count < 6)
            digits[count++] = *c;
    int exponent = atoi(c + 1);
    while (count > 1 && digits[count - 1] == '0')
        --count;
    digits[count] = '\0';
    const char* sign = value < 0.0 ? "-" : "";
    if (exponent >= -4 && exponent < 0)
        snprintf(out, 32, "%s0.%.*s%s", sign, -exponent - 1, "000", digits);
    else if (exponent >= 0 && exponent < 9 && count <= exponent + 1)
        snprintf(out, 32, "%s%s%.*s", sign, digits, exponent + 1 - count, "000000000");
    else if (exponent >= 0 && exponent < 9)
        snprintf(out, 32, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
    else
        snprintf(out, 32, "%s%c%s%se%d", sign, digits[0], count > 1 ? "." : "", digits + 1, exponent);
}

static void begin_row(scree_report* page, const char* name)
{
    begin(page, VALUES);
    put(page, "<tr><th scope=\"row\">");
    put_text(page, name);
    put(page, "</th><td class=\"v\">");
}

static void put_data(scree_report* page, const char* exact, const char* shown, const char* unit)
{
    put(page, "<data value=\"");
    put(page, exact);
    put(page, "\">");
    put(page, shown);
    put(page, "</data>");
    if (!is_empty(unit)) {
        put(page, " <span class=\"u\">");
        put_text(page, unit);
        put(page, "</span>");
    }
}

static void end_row(scree_report* page, const char* note)
{
    put(page, "</td><td class=\"n\">");
    put_text(page, note);
    put(page, "</td></tr>\n");
}

static void put_number(scree_report* page, double value, const char* unit)
{
    char exact[32] = "", shown[32];
    if (isfinite(value))
        scree_number_format(exact, value);
    scree_report_format(shown, value);
    put_data(page, exact, shown, isfinite(value) ? unit : NULL);
}

static void put_integer(scree_report* page, int64_t value, const char* unit)
{
    char exact[32];
    snprintf(exact, sizeof exact, "%" PRId64, value);
    put_data(page, exact, exact, unit);
}

void scree_report_number(scree_report* page, const char* name, double value, const char* unit, const char* note)
{
    SCREE_NEED_OR(page, );
    begin_row(page, name);
    put_number(page, value, unit);
    end_row(page, note);
}

void scree_report_integer(scree_report* page, const char* name, int64_t value, const char* unit, const char* note)
{
    SCREE_NEED_OR(page, );
    begin_row(page, name);
    put_integer(page, value, unit);
    end_row(page, note);
}

void scree_report_value(scree_report* page, const char* name, const char* value, const char* note)
{
    SCREE_NEED_OR(page, );
    begin_row(page, name);
    put_text(page, value);
    end_row(page, note);
}

// A bar in place of the note.
static void end_row_with_share(scree_report* page, double share)
{
    char drawn[200];
    int tenths = share > 0.0 ? (int)lround(1000.0 * fmin(share, 1.0)) : 0;
    snprintf(drawn, sizeof drawn, "</td><td class=\"n\"><span class=\"share\"><i style=\"width:%d.%d%%\"></i></span>%d.%d %%</td></tr>\n",
             tenths / 10, tenths % 10, tenths / 10, tenths % 10);
    put(page, drawn);
}

void scree_report_share(scree_report* page, const char* name, double value, const char* unit, double share)
{
    SCREE_NEED_OR(page, );
    begin_row(page, name);
    put_number(page, value, unit);
    end_row_with_share(page, share);
}

void scree_report_quantity(scree_report* page, const scree_quantity* q)
{
    SCREE_NEED_OR(page, );
    if (q == NULL || q->key == NULL) {
        keep(page, scree_fail(SCREE_ERR_ARGUMENT, "scree_report_quantity: %s is NULL; expected a pointer", q == NULL ? "quantity" : "quantity->key"));
        return;
    }
    begin(page, VALUES);
    put(page, "<tr><th scope=\"row\">");
    int64_t from = page->body.used;
    put_text(page, q->key);
    for (; from < page->body.used; ++from)
        if (page->body.bytes[from] == '_')
            page->body.bytes[from] = ' ';
    put(page, "</th><td class=\"v\">");
    if (q->values == NULL && q->integers == NULL)
        put_text(page, q->text);
    for (int32_t k = 0; k < q->count && (q->values != NULL || q->integers != NULL); ++k) {
        const char* unit = k + 1 == q->count ? q->unit : NULL;
        put(page, k > 0 ? ", " : "");
        if (q->values != NULL)
            put_number(page, q->values[k], unit);
        else
            put_integer(page, q->integers[k], unit);
    }
    if (q->share >= 0.0)
        end_row_with_share(page, q->share);
    else
        end_row(page, q->note);
}

// ---- Figures -------------------------------------------------------------------------------------------------------------

static void end_figure(scree_report* page, const char* caption)
{
    if (!is_empty(caption)) {
        put(page, "<figcaption>");
        put_text(page, caption);
        put(page, "</figcaption>");
    }
    put(page, "</figure>\n");
}

void scree_report_plot(scree_report* page, const char* caption, const scree_plot* plot)
{
    SCREE_NEED_OR(page, );
    char* svg = NULL;
    if (page->status == SCREE_OK)
        keep(page, scree_plot_render_svg(plot, &svg));
    if (svg == NULL)
        return;
    begin(page, FIGURES);
    put(page, "<figure class=\"plot\">");
    put(page, svg);
    scree_free(svg);
    end_figure(page, caption);
}

static void put_base64(scree_report* page, const uint8_t* bytes, int64_t count)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    keep(page, SCREE_RESERVE(page->body.bytes, page->body.capacity, page->body.used + (count + 2) / 3 * 4 + 1));
    for (int64_t n = 0; n < count && page->status == SCREE_OK; n += 3) {
        int there = count - n < 3 ? (int)(count - n) : 3;
        unsigned word = (unsigned)bytes[n] << 16 | (there > 1 ? (unsigned)bytes[n + 1] << 8 : 0u) | (there > 2 ? bytes[n + 2] : 0u);
        const char group[4] = {letters[word >> 18], letters[word >> 12 & 63], there > 1 ? letters[word >> 6 & 63] : '=',
                               there > 2 ? letters[word & 63] : '='};
        put_bytes(page, &page->body, group, sizeof group);
    }
}

void scree_report_picture(scree_report* page, const char* caption, int32_t width, int32_t height, const uint8_t* rgba)
{
    SCREE_NEED_OR(page, );
    uint8_t* png = NULL;
    int64_t count = 0;
    char size[64];
    if (rgba == NULL)
        keep(page, scree_fail(SCREE_ERR_ARGUMENT, "scree_report_picture: rgba is NULL; expected a pointer"));
    if (page->status == SCREE_OK)
        keep(page, scree_png_make(width, height, false, rgba, &png, &count));
    if (page->status != SCREE_OK)
        return;
    begin(page, FIGURES);
    snprintf(size, sizeof size, "\" width=\"%d\" height=\"%d\" alt=\"", (int)width, (int)height);
    put(page, "<figure class=\"picture\"><img src=\"data:image/png;base64,");
    put_base64(page, png, count);
    put(page, size);
    put_text(page, is_empty(caption) ? "picture" : caption);
    put(page, "\"/>");
    scree_free(png);
    end_figure(page, caption);
}

// ---- Writing -------------------------------------------------------------------------------------------------------------

static void put_out(scree_output* output, const char* from)
{
    scree_output_bytes(output, from, strlen(from));
}

static void put_kept(scree_output* output, const text* from)
{
    if (from->bytes != NULL)
        scree_output_bytes(output, from->bytes, (size_t)from->used);
}

// What stands on a dark page for each colour that a figure has.
static void put_figure_colours(scree_output* output)
{
    char line[256];
    const uint8_t* dark = plot_colour(1, 0);
    put_out(output, ":root{--plot:#fff}\n");
    snprintf(line, sizeof line, "@media (prefers-color-scheme:dark){:root{--plot:#%02x%02x%02x}\n", dark[0], dark[1], dark[2]);
    put_out(output, line);
    for (int c = 0; c < plot_colour_count; ++c) {
        const uint8_t* bright = plot_colour(0, c);
        dark = plot_colour(1, c);
        for (int stroke = 0; stroke < 2; ++stroke) {
            const char* what = stroke == 1 ? "stroke" : "fill";
            snprintf(line, sizeof line, "svg [%s=\"#%02x%02x%02x\"]{%s:#%02x%02x%02x}", what, bright[0], bright[1], bright[2], what,
                     dark[0], dark[1], dark[2]);
            put_out(output, line);
        }
    }
    put_out(output, "}\n");
}

scree_status scree_write_report(scree_report* page, const char* path)
{
    SCREE_NEED(page);
    SCREE_NEED(path);
    scree_output output;
    if (page->status != SCREE_OK)
        return scree_fail(page->status, "%s", page->message);
    begin(page, NOTHING);
    scree_status status = page->status == SCREE_OK ? scree_output_open(&output, path, scree_get_watch()) : page->status;
    if (status != SCREE_OK)
        return status;
    put_out(&output,
            "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"generator\" content=\"scree ");
    put_out(&output, scree_version());
    put_out(&output, "\"/>\n<title>");
    put_kept(&output, &page->title);
    put_out(&output, "</title>\n<style>\n");
    put_out(&output, report_style);
    put_figure_colours(&output);
    put_out(&output, "</style>\n</head>\n<body>\n<h1>");
    put_kept(&output, &page->title);
    if (page->badge.used > 0) {
        put_out(&output, page->good ? " <span class=\"badge\">" : " <span class=\"badge bad\">");
        put_kept(&output, &page->badge);
        put_out(&output, "</span>");
    }
    put_out(&output, "</h1>\n<p class=\"about\">");
    put_kept(&output, &page->about);
    put_out(&output, "</p>\n");
    put_kept(&output, &page->body);
    put_out(&output, "<footer>Written by scree ");
    put_out(&output, scree_version());
    put_out(&output, ". This page is self-contained; it needs no network.</footer>\n</body>\n</html>\n");
    return scree_output_close(&output, output.status);
}
