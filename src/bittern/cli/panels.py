"""The groups of commands in `bittern --help`, in the order in which they are shown."""

from enum import StrEnum


class Panel(StrEnum):
    """Title of a group of commands."""

    FIND = "Find topics"
    EXPLORE = "Explore topics"
    APPLY = "Apply a model"
    EDIT = "Edit topics"
    RESEARCH = "Research"
    SETUP = "Set up"
