"""Export of fitted models to pyLDAvis, gensim, OCTIS, topicwizard and flat tables.

Each function returns plain arrays, lists and tables. The tool itself need not be installed, except
for gensim, whose measures need a gensim dictionary.
"""

from bittern.export.gensim import gensim_coherence
from bittern.export.octis import octis
from bittern.export.pyldavis import pyldavis
from bittern.export.tables import tables
from bittern.export.topicwizard import topicwizard

__all__ = ["gensim_coherence", "octis", "pyldavis", "tables", "topicwizard"]
