"""Flags that several commands have."""

from pathlib import Path

import click

out_file = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The file to write."
)
overwrite_flag = click.option(
    "--overwrite", is_flag=True, help="Replace a file made with other settings."
)
seed_flag = click.option(
    "--seed", type=int, default=0, show_default=True, help="Of every random choice."
)
TABLE = click.Path(path_type=Path)
