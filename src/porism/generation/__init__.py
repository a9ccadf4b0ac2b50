"""Language models that write text: behind an endpoint, in a file, or in a package.

``open_generator`` opens the one that a user names. What is asked of a model, and what becomes of
its text, is the business of ``porism.answer``.
"""

from porism.generation.models import is_generator_installed as is_generator_installed
from porism.generation.models import open_generator as open_generator
