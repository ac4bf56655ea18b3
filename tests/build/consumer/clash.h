// Names that libscree uses inside: a user may have functions of these names. Included by one file of the consumer.
#ifdef __cplusplus
extern "C" {
#endif
double density_of(double x);
double radii(double x);
double ask(double x);
double contacts_of(double x);
double sink_tell(double x);
double pair_list_fill(double x);
double method_find(double x);
double all_pairs_method(double x);
double plot_check(double x);
double checkpoint_check(double x);
double scree_parallel_for(double x);
double scree_sort_keys(double x);
double scree_number_format(double x);
double density_of(double x) { return x + 1; }
double radii(double x) { return x + 2; }
double ask(double x) { return x + 3; }
double contacts_of(double x) { return x + 4; }
double sink_tell(double x) { return x + 5; }
double pair_list_fill(double x) { return x + 6; }
double method_find(double x) { return x + 7; }
double all_pairs_method(double x) { return x + 8; }
double plot_check(double x) { return x + 9; }
double checkpoint_check(double x) { return x + 10; }
double scree_parallel_for(double x) { return x + 11; }
double scree_sort_keys(double x) { return x + 12; }
double scree_number_format(double x) { return x + 13; }
#ifdef __cplusplus
}
#endif
