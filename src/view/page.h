// The page that scree_view fills with data: viewer/ joined by cmake/join-page.cmake.
#ifndef SCREE_VIEW_PAGE_H
#define SCREE_VIEW_PAGE_H

#include <stddef.h>

extern const size_t scree_page_before_size, scree_page_after_size;
extern const unsigned char scree_page_before[];  // up to where the data goes
extern const unsigned char scree_page_after[];

#endif
