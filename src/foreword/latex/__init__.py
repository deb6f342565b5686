"""What every stage must know of LaTeX: control words, comments, groups."""
