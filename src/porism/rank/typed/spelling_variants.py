"""British and American spellings of a word, and words without their accents.

The rules know endings, not words, so most of what they return is no word. Callers keep what a
collection has.
"""

from __future__ import annotations

import re

from porism.text import folded

_ENDING = r"(e|es|ed|er|ers|ing|ation|ations|able)$"

_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"(?<=\w\w\w)is{_ENDING}", r"iz\1"),  # factorise
        (rf"(?<=\w\w\w)iz{_ENDING}", r"is\1"),
        (r"(?<=\wl)ys(e|es|ed|er|ing)$", r"yz\1"),  # analyse
        (r"(?<=\wl)yz(e|es|ed|er|ing)$", r"ys\1"),
        (r"(?<=\w\w)(?<=[^aeiouy])our(?=(s|ed|ing|able|hood|hoods|less|ful|al|ist)?$)", "or"),
        (r"(?<=\w\w)(?<=[^aeiouy])or(?=(s|ed|ing|able|hood|hoods|less|ful|al|ist)?$)", "our"),
        (r"(?<=\w[a-z][bt])re(s|d)?$", r"er\1"),  # centre, fibre
        (r"(?<=\w[a-z][bt])er(s|ed)?$", r"re\1"),
        (r"(?<=\w\w\w\w)l(?=l(ed|ing|er|ers)$)", ""),  # labelled
        (r"(?<=\w\w\w[aeiou])l(?=(ed|ing|er|ers)$)", "ll"),
        (r"(?<=\w\w)ogue(?=s?$)", "og"),  # catalogue
        (r"(?<=\w\w)og(?=s?$)", "ogue"),
        (r"(?<=\w\w)ence(?=s?$)", "ense"),  # defence
        (r"(?<=\w\w)ense(?=s?$)", "ence"),
        (r"^parametri(?=[sz])", "parameteri"),
        (r"^parameteri(?=[sz])", "parametri"),
    )
)

_PAIRS = (
    *("grey gray", "maths math", "judgement judgment", "artefact artifact", "disc disk"),
    *("discs disks", "programme program", "programmes programs", "sceptic skeptic"),
    *("centred centered", "centring centering", "focussed focused", "biassed biased"),
)
_OTHERS = {one: other for pair in _PAIRS for one, other in (pair.split(), reversed(pair.split()))}


def spelling_variants(word: str) -> tuple[str, ...]:
    """Return what a word in lower case may be spelled like on the other side of the Atlantic.

    >>> spelling_variants("factorise"), spelling_variants("centre"), spelling_variants("labeled")
    (('factorize',), ('center',), ('labelled',))
    >>> spelling_variants("generalizations"), spelling_variants("grey")
    (('generalisations',), ('gray',))
    """
    variants = [rule.sub(new, word) for rule, new in _RULES if rule.search(word)]
    if word in _OTHERS:
        variants.append(_OTHERS[word])
    return tuple(dict.fromkeys(each for each in variants if each != word))


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_TRANSCRIBED = re.compile(r"(?<=\w)([aou])e")


def accent_variants(word: str) -> tuple[str, ...]:
    """Return a word without its accents, and as its umlauts are transcribed.

    >>> accent_variants("hölder"), accent_variants("erdős"), accent_variants("limit")
    (('holder', 'hoelder'), ('erdos',), ())
    """
    if word.isascii():
        return ()
    forms = (folded(word), folded(word.translate(_UMLAUTS)))
    return tuple(dict.fromkeys(forms))


def folded_forms(word: str) -> tuple[str, ...]:
    """Return the forms without accents under which a word with accents may be known.

    >>> folded_forms("hoelder"), folded_forms("holder")
    (('hoelder', 'holder'), ('holder',))
    """
    form = folded(word)
    return tuple(dict.fromkeys((form, _TRANSCRIBED.sub(r"\1", form))))
