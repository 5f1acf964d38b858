"""The groups of commands in `bittern --help`, in the order they are shown."""

from enum import StrEnum


class Panel(StrEnum):
    """Title of a group of commands."""

    FIND = "Find topics"
    LOOK = "Look at topics"
    APPLY = "Apply a model to texts"
    EDIT = "Edit topics"
    RESEARCH = "Research"
