"""The version of the libraries that this package fits: include/scree/base.h."""
__version__ = "0.3.0"
