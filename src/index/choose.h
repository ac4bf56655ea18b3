// Predicted and counted work of the methods, in one unit: what AUTO chooses by.
#ifndef SCREE_INDEX_CHOOSE_H
#define SCREE_INDEX_CHOOSE_H

#include "index/crowding.h"

// Of a new search; work[AUTO] is that of the cheapest.
void method_forecast(const items* it, const crowding* crowd, double work[SCREE_METHOD_COUNT]);

// Of a move and a question for the neighbours.
void method_forecast_one(const items* it, double work[SCREE_METHOD_COUNT]);

scree_method method_cheapest(const double work[SCREE_METHOD_COUNT]);

// What was counted, in the same unit. boxes: box tests and swaps.
double method_work(scree_method method, double n, double tests, double boxes, double cells);

#endif
