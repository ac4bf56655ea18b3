// The options that `scree picture` and `scree film` share: how things look.
#ifndef CLI_PICTURE_OPTIONS_H
#define CLI_PICTURE_OPTIONS_H

#include "common.h"

// Reads all of PICTURE_OPTIONS. Prints what is wrong and returns false.
bool picture_options_of(const arguments* args, const common* co, scree_picture_def* def);

// Sides that are open have no walls to draw; else they are closed at the spheres, so that there are edges.
box_need picture_box_need(const scree_picture_def* def);

// Words for values. Shells offer the words for views, images and columns; other values are possible too.
const char* picture_map_at(int m);
const char* picture_background_at(int b);
const char* picture_view_at(int k);
const char* picture_images_at(int k);
const char* picture_column_at(int k);
const char* picture_force_scale_at(int k);

// Rows for a command's tables.
#define PICTURE_OPTIONS(size_help) \
    {"size", 0, "WxH", size_help}, \
    {"view", 'v', "WHERE", "position of the camera: x, y, z, -x, -y, -z, or AZIMUTH,ELEVATION in degrees"}, \
    {"perspective", 0, "DEG", "angle of view (default 20; along an axis: orthographic)"}, \
    {"orthographic", 0, NULL, "draw without perspective"}, \
    {"distance", 0, "D", "distance of the camera from the centre (default: by the angle)"}, \
    {"zoom", 'z', "F", "enlarge F times around the centre"}, \
    {"colour-by", 'c', "NAME", "colour by radius (default), x, y, z, a column, or the length (velocity, speed) or a component (velocity_x) of a vector"}, \
    {"colour-range", 0, "MIN:MAX", "values at the ends of the colour bar (default: smallest and largest)"}, \
    {"log", 0, NULL, "logarithmic colour scale (default: for radii that span a factor of 20)"}, \
    {"linear", 0, NULL, "linear colour scale"}, \
    {"map", 0, "NAME", "colour map: dusk (default), ember, grey"}, \
    {"cut", 0, "AXIS:POS", "cut at a plane, e.g. y:2.5, and hide the near half"}, \
    {"images", 0, "WHICH", "periodic images: faces, fill (cut at the faces), or a number of whole boxes"}, \
    PERIODIC_OPTION, \
    BOX_OPTION, \
    {"no-box", 0, NULL, "do not draw the edges of the box"}, \
    {"no-bar", 0, NULL, "do not draw the colour bar"}, \
    {"background", 0, "KIND", "light (default), dark or none (transparent)"}, \
    {"samples", 0, "N", "samples per pixel and direction, 1 to 4 (default 2)"}, \
    {"forces", 0, NULL, "draw force chains: rods between spheres in contact, from the contacts that the run wrote (output.contacts)"}, \
    {"force-range", 0, "MIN:MAX", "normal forces at the ends of the colour bar of the rods (default: 0 and the largest)"}, \
    {"force-width", 0, "W", "diameter of the rod of the largest force, as a length (default: the mean radius)"}, \
    {"force-scale", 0, "KIND", "diameters grow as the root of the force (sqrt, the default) or as the force (linear)"}, \
    {"opacity", 0, "O", "opacity of the spheres, 0 to 1 (default 1, with --forces 0.25)"}, \
    {"walls", 0, NULL, "draw the walls of the box or container, translucent"}

#define PICTURE_CHOICES \
    {.option = "map", .names = picture_map_at}, {.option = "background", .names = picture_background_at}, \
    {.option = "view", .names = picture_view_at, .open = true}, {.option = "images", .names = picture_images_at, .open = true}, \
    {.option = "colour-by", .names = picture_column_at, .open = true}, \
    {.option = "force-scale", .names = picture_force_scale_at}, PERIODIC_CHOICE

// Rows for a table of old and other spellings.
#define PICTURE_OLD {"color-by", "colour-by"}, {"range", "colour-range"}, {"color-range", "colour-range"}, {"s", "size"}

#endif
