// The commands, one file each, listed in main.c.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const command cmd_bench;
extern const command cmd_compare;
extern const command cmd_contacts;
extern const command cmd_convert;
extern const command cmd_demo;
extern const command cmd_film;
extern const command cmd_levels;
extern const command cmd_measure;
extern const command cmd_pack;
extern const command cmd_picture;
extern const command cmd_plan;
extern const command cmd_resume;
extern const command cmd_sweep;
extern const command cmd_run;
extern const command cmd_view;

#endif
