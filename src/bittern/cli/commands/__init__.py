"""One module per command; `bittern.cli` finds them by listing this folder."""
