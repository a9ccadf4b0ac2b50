"""Lists of stop words.

``SHORT_STOP_WORDS`` are the 33 words that Lucene's English analyzer drops by default.
``LONG_STOP_WORDS`` is our own list of English function words: it has no word that could be the
subject of a mathematical text (*order*, *group* and *number* are not in it, *thus* is).

Words are in lower case. Contractions are listed with and without their apostrophe, and as the
pieces of a tokenizer that splits there (*don*, *ll*).
"""

SHORT_STOP_WORDS = frozenset(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then
    there these they this to was will with
    """.split()
)

_PRONOUNS = """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thee thy
    thine he him his himself she her hers herself it its itself they them their theirs themselves
    one ones oneself somebody someone something anybody anyone anything nobody nothing
    everybody everyone everything none who whom whose whoever whomever which whichever what
    whatever whatsoever whosoever this that these those such same other others another each either
    neither both
"""

_DETERMINERS = """
    a an the some any no every all many much more most few fewer fewest little less
    several enough own certain various sundry quite rather very too so as only just even also
    else
"""

_VERBS = """
    am is are was were be been being isn't aren't wasn't weren't do does did done doing don't
    doesn't didn't have has had having haven't hasn't hadn't will would shall should can could may
    might must ought won't wouldn't shan't shouldn't can't cannot couldn't mayn't mightn't mustn't
    oughtn't needn't daren't dare used i'm i've i'd i'll you're you've you'd you'll he'd
    he'll she'd she'll it'd it'll we're we've we'd we'll they're they've they'd they'll that'll
    that'd there'll there'd who'd who'll who've what're what've ain't let lets
    become becomes became becoming seem seems seemed seeming get gets got gotten getting go goes
    went gone going come comes came coming make makes made making take takes took taken taking
    put puts putting give gives gave giving keep keeps kept keeping say says said saying tell tells
    told see sees saw seen seeing look looks looked looking want wants wanted wanting try tries
    tried trying use uses using know knows knew known knowing think thinks thought thinking
    need needs needed happen happens happened tend tends tended appear appears appeared
"""

_PREPOSITIONS = """
    aboard about above across after against along alongside amid amidst among amongst apart around
    aside at atop away before behind below beneath beside besides between beyond by concerning
    considering despite down during except excepting excluding following for from in including
    inside instead into like near nearby next of off on onto out outside over past
    per regarding since than through throughout till to together toward towards
    under underneath unlike until unto up upon versus via vs with within without
"""

_CONJUNCTIONS = """
    and or but nor yet if unless although though albeit because cause whereas while whilst whether
    lest once provided providing when whenever where wherever whence whereby wherein whereupon
    wherefrom whereof why how however howsoever then thus hence therefore therein thereby thereof
    thereafter thereupon therefrom therewith herein hereby hereafter hereupon hereof herewith
    otherwise moreover furthermore further nevertheless nonetheless notwithstanding meanwhile
    accordingly consequently additionally similarly likewise namely ie eg viz etc cf
"""

_ADVERBS = """
    again ago already alright always anyhow anyway anyways anywhere apparently
    back backwards barely basically better best briefly certainly clearly currently definitely
    eventually ever evidently exactly fairly far farther farthest finally firstly
    former formerly forth forward forwards frequently fully generally greatly hardly here hereto
    hither hopefully immediately indeed largely last lastly lately later latter latterly likely
    long longer mainly maybe merely mostly much namely nearly necessarily never
    nevermore normally not notably now nowadays obviously occasionally oft often oftentimes
    ok okay old only partly perhaps possibly potentially predominantly presumably pretty previously
    primarily probably promptly quickly quite really recently respectively
    roughly secondly seemingly seldom seriously shortly simply slightly so somehow someday
    sometime sometimes somewhat somewhere soon specifically still substantially
    successfully sufficiently suddenly thence there thereto thirdly thoroughly thrice
    today tomorrow truly twice typically unfortunately unlikely usually utterly
    virtually well widely yes yesterday
"""

_NUMERALS_AND_SIZES = """
    two three four five six seven eight nine ten big bigger biggest small large
    great new newer newest good bad early able unable
    due aforementioned said full different available
    overall main actual actually usual
"""

_PIECES = """
    ll re ve don doesn didn hasn hadn haven isn aren wasn weren won wouldn couldn
    shouldn mightn mustn needn shan ain ma dont doesnt didnt hasnt hadnt havent isnt arent wasnt
    werent wont wouldnt couldnt shouldnt cant im ive youre youve youll theyre theyve theyll weve
    thats theres whats heres hes shes itll aint
"""

LONG_STOP_WORDS = frozenset(
    " ".join(
        (
            _PRONOUNS,
            _DETERMINERS,
            _VERBS,
            _PREPOSITIONS,
            _CONJUNCTIONS,
            _ADVERBS,
            _NUMERALS_AND_SIZES,
            _PIECES,
        )
    ).split()
)
