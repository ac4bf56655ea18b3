// The options that `scree picture` and `scree film` share: how things look.
#ifndef CLI_PICTURE_OPTIONS_H
#define CLI_PICTURE_OPTIONS_H

#include "common.h"

// Reads all of PICTURE_OPTIONS. Prints what is wrong and returns false.
bool picture_options_of(const arguments* args, const common* co, scree_picture_def* def);

// Sides that are open have no walls to draw; else they are closed at the spheres, so that there are edges.
box_need picture_box_need(const scree_picture_def* def);

// Words for values; those of views, images and columns are offered by the shells, other values are possible too.
const char* picture_map_at(int m);
const char* picture_background_at(int b);
const char* picture_view_at(int k);
const char* picture_images_at(int k);
const char* picture_column_at(int k);
const char* picture_force_scale_at(int k);

// Rows for a command's tables.
#define PICTURE_OPTIONS(size_help) \
    {"size", 's', "WxH", size_help}, \
    {"view", 'v', "WHERE", "the eye's place: x, y, z, -x, -y, -z, or AZIMUTH,ELEVATION in degrees"}, \
    {"perspective", 0, "DEG", "angle of the view (default 20; along an axis: orthographic)"}, \
    {"orthographic", 0, NULL, "without perspective"}, \
    {"distance", 0, "D", "of the eye from the scene's centre (default: by the angle)"}, \
    {"zoom", 'z', "F", "enlarge F times around the middle"}, \
    {"colour-by", 'c', "NAME", "radius (default), x, y, z, a column of numbers, a vector's length (velocity, or speed) or component (velocity_x)"}, \
    {"color-by", 0, "NAME", "the same"}, \
    {"range", 0, "MIN:MAX", "values at the ends of the colour bar (default: those of the data)"}, \
    {"log", 0, NULL, "logarithmic colours (default: for radii that span a factor of 20)"}, \
    {"linear", 0, NULL, "linear colours"}, \
    {"map", 0, "NAME", "colours: dusk (default), ember, grey"}, \
    {"cut", 0, "AXIS:POS", "cut at a plane, like y:2.5; the part on the eye's side is taken away"}, \
    {"images", 0, "WHICH", "periodic images: faces, fill (cut flat at the faces), or 1, 2, ... whole boxes"}, \
    {"periodic", 'p', "AXES", "periodic axes, e.g. xyz or xy; others have walls; none"}, \
    {"box", 'b', "LX,LY,LZ", "the box, from 0 (default: the file's, else the spheres' bounds)"}, \
    {"no-box", 0, NULL, "without the edges of the box"}, \
    {"no-bar", 0, NULL, "without the colour bar"}, \
    {"background", 0, "KIND", "light (default), dark or none (transparent)"}, \
    {"samples", 0, "N", "samples per pixel and direction, 1 to 4 (default 2)"}, \
    {"forces", 0, NULL, "force chains: rods between spheres that touch, from the contacts that the run wrote (output.contacts)"}, \
    {"force-range", 0, "MIN:MAX", "normal forces at the ends of the rods' colour bar (default: 0 and the largest)"}, \
    {"force-width", 0, "W", "diameter of the rod of the largest force, as a length (default: the mean radius)"}, \
    {"force-scale", 0, "KIND", "diameters grow as the root of the force (sqrt, the default) or as the force (linear)"}, \
    {"opacity", 0, "O", "of the spheres, 0 to 1 (default 1, with --forces 0.25)"}, \
    {"walls", 0, NULL, "walls of the box or container, translucent"}

#define PICTURE_CHOICES \
    {.option = "map", .names = picture_map_at}, {.option = "background", .names = picture_background_at}, \
    {.option = "view", .names = picture_view_at, .open = true}, {.option = "images", .names = picture_images_at, .open = true}, \
    {.option = "colour-by", .names = picture_column_at, .open = true}, {.option = "color-by", .names = picture_column_at, .open = true}, \
    {.option = "force-scale", .names = picture_force_scale_at}, PERIODIC_CHOICE

#endif
