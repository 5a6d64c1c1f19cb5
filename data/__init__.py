"""Data files that come with the package: the settings example, the price list, the sample corpus. No code."""
