// Text inside XML that we write.
#ifndef SCREE_FILES_XML_H
#define SCREE_FILES_XML_H

#include "files/output.h"

// Whether XML can hold the text: UTF-8, without control characters (but tab and line ends) and what Unicode calls no
// character.
bool scree_xml_can_hold(const char* text);

// Puts such a text where it stands between double quotes; what has a meaning in XML, and what a reader would make a blank
// of, becomes a reference like &#60;.
void scree_xml_put(scree_output* output, const char* text);

#endif
