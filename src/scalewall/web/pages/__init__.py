"""One module a page, and one for the settings of a configuration."""
