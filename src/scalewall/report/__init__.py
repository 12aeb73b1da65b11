"""Showing: results as words, tables, figures, files and one self-contained page. No physics lives here."""
