"""Models that were trained on the words of a collection: fastText and doc2vec, as plain arrays.

``porism train fasttext`` and ``doc2vec`` write them, with gensim; reading and encoding need no more
than NumPy and compiled loops.
"""
