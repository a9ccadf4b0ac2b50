"""The characters of LaTeX's symbols: tables that readers and writers of formulas share.

Commands map to the character they print, so that ``\\le``, ``\\leq`` and a typed ``≤`` are one
symbol; where LaTeX has two names for one visible symbol, one character is chosen.
``symbol_label`` turns a character or word into the label that trees use, whatever the source.
"""

from porism.formula.caches import cached_by_label


def _table(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _table("""
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ varkappa ϰ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ
    varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω digamma ϝ
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
    Alpha A Beta B Epsilon E Zeta Z Eta H Iota I Kappa K Mu M Nu N Omicron O Rho P Tau T Chi X
    varGamma Γ varDelta Δ varTheta Θ varLambda Λ varXi Ξ varPi Π varSigma Σ varUpsilon Υ varPhi Φ
    varPsi Ψ varOmega Ω
    aleph ℵ beth ℶ gimel ℷ daleth ℸ ell ℓ hbar ℏ hslash ℏ wp ℘ Re ℜ Im ℑ imath ı jmath ȷ eth ð
    Bbbk 𝕜 AA Å aa å ae æ AE Æ oe œ OE Œ o ø O Ø ss ß l ł L Ł
    R ℝ N ℕ Z ℤ Q ℚ C ℂ reals ℝ Reals ℝ Real ℝ natnums ℕ Natural ℕ Complex ℂ cnums ℂ RR ℝ NN ℕ ZZ ℤ
    QQ ℚ CC ℂ eps ε lx@paragraphsign ¶ lx@sectionsign §
    infty ∞ emptyset ∅ varnothing ⌀ ldots … dotsc … dotso … dotsm ⋯ dotsb ⋯ dotsi ⋯
    cdots ⋯ vdots ⋮ ddots ⋱ iddots ⋰ hdots … mathellipsis … textellipsis …
    top ⊤ bot ⊥ angle ∠ measuredangle ∡ sphericalangle ∢ triangle △ vartriangle △ Box □ square □
    blacksquare ■ Diamond ◇ lozenge ◊ blacklozenge ⧫ bigstar ★ clubsuit ♣ diamondsuit ♢ heartsuit ♡
    spadesuit ♠ sharp ♯ flat ♭ natural ♮ qed □ QED □ Finv Ⅎ Game ⅁ circledS Ⓢ circledR ® yen ¥
    pounds £ copyright © S § P ¶ checkmark ✓ maltese ✠ mho ℧ blacktriangle ▴ blacktriangledown ▾
    triangledown ▽ complement ∁ diagup ╱ diagdown ╲ backprime ‵ surd √ degree ° euro €
""")
"""Commands for letters and letter-like signs, which are operands."""

OPERATORS = _table("""
    pm ± mp ∓ times × div ÷ cdot ⋅ ast * star ⋆ circ ∘ bullet ∙ cdotp ⋅ centerdot ⋅ intercal ⊺
    cap ∩ cup ∪ uplus ⊎ sqcap ⊓ sqcup ⊔ vee ∨ lor ∨ wedge ∧ land ∧ setminus ∖ smallsetminus ∖ wr ≀
    amalg ⨿ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ dagger † ddagger ‡ dag † ddag ‡ diamond ⋄
    bigcirc ○ bigtriangleup △ bigtriangledown ▽ triangleleft ◁ triangleright ▷ lhd ⊲ rhd ⊳
    unlhd ⊴ unrhd ⊵ ltimes ⋉ rtimes ⋊ leftthreetimes ⋋ rightthreetimes ⋌ curlyvee ⋎ curlywedge ⋏
    Cap ⋒ Cup ⋓ doublecap ⋒ doublecup ⋓ boxplus ⊞ boxminus ⊟ boxtimes ⊠ boxdot ⊡ circledast ⊛
    circledcirc ⊚ circleddash ⊝ dotplus ∔ divideontimes ⋇ barwedge ⊼ veebar ⊻ doublebarwedge ⩞
    And & bowtie ⋈ Join ⋈
    le ≤ leq ≤ leqslant ⩽ leqq ≦ ge ≥ geq ≥ geqslant ⩾ geqq ≧ lt < gt > less < greater > ne ≠ neq ≠
    ll ≪ gg ≫ lll ⋘ ggg ⋙ llless ⋘ gggtr ⋙ prec ≺ succ ≻ preceq ⪯ succeq ⪰ preccurlyeq ≼
    succcurlyeq ≽ precsim ≾ succsim ≿ precapprox ⪷ succapprox ⪸ curlyeqprec ⋞ curlyeqsucc ⋟
    lesssim ≲ gtrsim ≳ lessapprox ⪅ gtrapprox ⪆ lessgtr ≶ gtrless ≷ lesseqgtr ⋚ gtreqless ⋛
    lesseqqgtr ⪋ gtreqqless ⪌ eqslantless ⪕ eqslantgtr ⪖ lessdot ⋖ gtrdot ⋗
    equiv ≡ eqsim ≂ sim ∼ simeq ≃ approx ≈ approxeq ≊ cong ≅ doteq ≐ doteqdot ≑ Doteq ≑
    fallingdotseq ≒ risingdotseq ≓ circeq ≗ eqcirc ≖ triangleq ≜ bumpeq ≏ Bumpeq ≎ thicksim ∼
    thickapprox ≈ backsim ∽ backsimeq ⋍ propto ∝ varpropto ∝ asymp ≍ coloneqq ≔ coloneq ≔
    eqqcolon ≕ Coloneqq ⩴
    in ∈ isin ∈ ni ∋ owns ∋ notin ∉ notni ∌ subset ⊂ sub ⊂ supset ⊃ subseteq ⊆ sube ⊆ supseteq ⊇
    subseteqq ⫅ supseteqq ⫆ subsetneq ⊊ supsetneq ⊋ varsubsetneq ⊊ varsupsetneq ⊋ subsetneqq ⫋
    supsetneqq ⫌ varsubsetneqq ⫋ varsupsetneqq ⫌ Subset ⋐ Supset ⋑ sqsubset ⊏ sqsupset ⊐
    sqsubseteq ⊑ sqsupseteq ⊒
    perp ⟂ parallel ∥ nparallel ∦ shortparallel ∥ nshortparallel ∦ mid ∣ nmid ∤ shortmid ∣
    nshortmid ∤ divides ∣ vdash ⊢ dashv ⊣ Vdash ⊩ vDash ⊨ models ⊧ Vvdash ⊪ nvdash ⊬ nvDash ⊭
    nVdash ⊮ nVDash ⊯ smile ⌣ frown ⌢ smallsmile ⌣ smallfrown ⌢ between ≬ pitchfork ⋔ multimap ⊸
    therefore ∴ because ∵ backepsilon ∍ vartriangleleft ⊲ vartriangleright ⊳ trianglelefteq ⊴
    trianglerighteq ⊵ trianglelefteqslant ⊴ trianglerighteqslant ⊵ ntriangleleft ⋪
    ntriangleright ⋫ ntrianglelefteq ⋬ ntrianglerighteq ⋭
    blacktriangleleft ◀ blacktriangleright ▶
    nless ≮ ngtr ≯ nleq ≰ ngeq ≱ nleqslant ≰ ngeqslant ≱ nleqq ≰ ngeqq ≱ lneq ⪇ gneq ⪈ lneqq ≨
    gneqq ≩ lvertneqq ≨ gvertneqq ≩ lnsim ⋦ gnsim ⋧ lnapprox ⪉ gnapprox ⪊ nprec ⊀ nsucc ⊁
    npreceq ⋠ nsucceq ⋡ precneqq ⪵ succneqq ⪶ precnsim ⋨ succnsim ⋩ precnapprox ⪹ succnapprox ⪺
    nsim ≁ ncong ≇ nsubseteq ⊈ nsupseteq ⊉ nsubset ⊄ nsupset ⊅ nsubseteqq ⊈ nsupseteqq ⊉
    to → rightarrow → longrightarrow ⟶ gets ← leftarrow ← longleftarrow ⟵ leftrightarrow ↔
    longleftrightarrow ⟷ Rightarrow ⇒ Longrightarrow ⟹ implies ⟹ impliedby ⟸ Leftarrow ⇐
    Longleftarrow ⟸ Leftrightarrow ⇔ Longleftrightarrow ⟺ iff ⇔ mapsto ↦ longmapsto ⟼
    hookrightarrow ↪ hookleftarrow ↩ rightharpoonup ⇀ rightharpoondown ⇁ leftharpoonup ↼
    leftharpoondown ↽ rightleftharpoons ⇌ leftrightharpoons ⇋ uparrow ↑ downarrow ↓ updownarrow ↕
    Uparrow ⇑ Downarrow ⇓ Updownarrow ⇕ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ leadsto ⇝
    rightsquigarrow ⇝ leftrightsquigarrow ↭ twoheadrightarrow ↠ twoheadleftarrow ↞
    rightarrowtail ↣ leftarrowtail ↢ looparrowright ↬ looparrowleft ↫ curvearrowright ↷
    curvearrowleft ↶ circlearrowright ↻ circlearrowleft ↺ rightrightarrows ⇉ leftleftarrows ⇇
    rightleftarrows ⇄ leftrightarrows ⇆ upuparrows ⇈ downdownarrows ⇊ upharpoonright ↾
    upharpoonleft ↿ downharpoonright ⇂ downharpoonleft ⇃ restriction ↾ dashrightarrow ⇢
    dashleftarrow ⇠ dasharrow ⇢ Rrightarrow ⇛ Lleftarrow ⇚ Lsh ↰ Rsh ↱ nrightarrow ↛ nleftarrow ↚
    nleftrightarrow ↮ nRightarrow ⇏ nLeftarrow ⇍ nLeftrightarrow ⇎ rarr → rArr ⇒ Rarr ⇒ larr ←
    lArr ⇐ Larr ⇐ harr ↔ hArr ⇔ Harr ⇔
    forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ partial ∂ nabla ∇ prime ′ colon : vcentcolon :
    dblcolon ∷ ldotp . sslash ⫽ slash / backslash \\ lbrace { rbrace } lbrack [ rbrack ] lparen (
    rparen ) langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert | Vert ∥
    arrowvert | bracevert |
    Arrowvert ∥ lgroup ⟮ rgroup ⟯ lmoustache ⎰ rmoustache ⎱ ulcorner ⌜ urcorner ⌝ llcorner ⌞
    lrcorner ⌟ llbracket ⟦ rrbracket ⟧ lBrack ⟦ rBrack ⟧ lang ⟨ rang ⟩ infin ∞ exist ∃
    textasciicircum ^ textasciitilde ~ textbackslash \\ textbar | textless < textgreater >
    lq ‘ rq ’ textquotedblleft “ textquotedblright ” guillemotleft « guillemotright »
    minus - plus + sdot ⋅ bigwhitestar ☆ multimapinv ⟜ Perp ⫫ indep ⫫ simneqq ≆
    surj ↠ inj ↣ smallint ∫
""")
"""Commands for operators, relations, arrows, fences and punctuation."""

BIG = _table("""
    sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ iiiint ⨌ idotsint ∫ oint ∮ oiint ∯ oiiint ∰
    intop ∫ ointop ∮ bigcap ⋂ bigcup ⋃ bigsqcup ⨆ bigvee ⋁ bigwedge ⋀ bigodot ⨀ bigotimes ⨂
    bigoplus ⨁ biguplus ⨄
""")
"""Commands for the operators that are printed large and carry limits."""

WORDS = """
    arccos arcsin arctan arccot arcsec arccsc arg cos cosh cot coth csc deg dim exp hom ker lg ln
    log sec sin sinh tan tanh sech csch arsinh arcosh artanh arcsinh arccosh arctanh sgn sign tr Tr
    rank cosec cotg tg ctg arctg sh ch th Spec Hom End Aut Gal Ker GCD LCM diag supp ord vol Var Cov
    im coker id coim grad curl rot Res erf Li Ext Tor
""".split()
"""Functions that have a command of their own name and take no limits.

LaTeX itself has few of them; people define or write the others with this meaning.
"""

LIMIT_WORDS = "lim limsup liminf sup inf det".split()
"""Words that carry limits and are operators rather than names; LaTeXML makes the same division."""

LIMIT_NAMES = "max min gcd Pr argmax argmin injlim projlim lcm esssup essinf".split()
"""Names that carry limits."""

LIMIT_LABELS = frozenset(
    [*BIG.values(), *LIMIT_WORDS]
    + ["V!" + name for name in LIMIT_NAMES]
    + ["⨍", "⨎", "⨏", "∱", "∲", "∳", "⨃", "⨅", "⨉"]
)
"""Labels whose scripts are limits: they go over and under, however they were typed."""

NEGATED = dict(
    zip(
        "=∈∋<>≤≥≡∼≃≅≈⊂⊃⊆⊇∣∥⊢⊨→←↔⇒⇐⇔≺≻∃⊑⊒⊲⊳⊴⊵≼≽≲≳|",
        "≠∉∌≮≯≰≱≢≁≄≇≉⊄⊅⊈⊉∤∦⊬⊭↛↚↮⇏⇍⇎⊀⊁∄⋢⋣⋪⋫⋬⋭⋠⋡≴≵∤",
        strict=True,
    )
)
"""The negated form of each relation, as ``\\not`` prints it."""

OVER_ACCENTS = _table("""
    hat ^ widehat ^ tilde ~ widetilde ~ bar ¯ overline ¯ vec → dot ˙ ddot ¨ check ˇ widecheck ˇ
    breve ˘ acute ´ grave ` mathring ˚ overbrace ⏞ overrightarrow → overleftarrow ←
    overleftrightarrow ↔ overbracket ⎴ overparen ⏜ wideparen ⏜ overgroup ⏠ Hat ^ Tilde ~ Bar ¯
    Vec → Dot ˙ Ddot ¨ Check ˇ Breve ˘ Acute ´ Grave ` overarc ⌢ arc ⌢ overharpoon ⇀
    overrightharpoon ⇀
""")
UNDER_ACCENTS = _table("""
    underline ¯ underbar ¯ underbrace ⏟ underrightarrow → underleftarrow ← underleftrightarrow ↔
    underbracket ⎵ underparen ⏝ undergroup ⏡ utilde ~
""")

SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
SUBSCRIPTS = dict(
    zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼ", "0123456789+-=()aeoxhklmnpstij", strict=True)
)
"""Unicode's superscript and subscript characters, each with the plain one."""

FENCES = {"(": ")", "[": "]", "{": "}", "|": "|", "∥": "∥", "⌊": "⌋", "⌈": "⌉", "⟨": "⟩", "⟦": "⟧"}
"""Opening fences and their closing fences."""

INVISIBLE = frozenset(
    "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\ufe00\ufe01\ufe0e\ufe0f"
)
"""Characters that print nothing: invisible operators, joiners and variation selectors."""

_ORDINARY = frozenset("∞∅⌀…⋯⋮⋱⋰⊤∠∡∢△▽□■◇◊⧫★♣♢♡♠♯♭♮°∁√§¶©®£¥€✓✠‵▴▾☆╱╲")

_SAME = _table("""
    − - – - — - ‐ - ‑ - ﹣ - ∗ * ＊ * · ⋅ • ∙ ‧ ⋅ ∆ Δ Ω Ω µ μ ∕ / ⁄ / ⧸ /
    〈 ⟨ 〉 ⟩ \u2329 ⟨ \u232a ⟩ ‖ ∥ ‾ ¯ ˉ ¯ ˆ ^ ˜ ~ ’ ′ ' ′ ＋ + ＝ = （ ( ） ) ， , 、 , ： :
    ∶ : ； ; ！ ! ？ ? ｜ | ＜ < ＞ > ［ [ ］ ] ｛ { ｝ } ． .
    ＿ _ ▵ △ ◦ ∘ ≔ := ﹁ ¬ ◻ □ ▢ □ ◼ ■
    “ ″ ” ″ ϒ Υ ℎ h ⅆ d ⅇ e ⅈ i
""")
"""Characters that look the same, each with the canonical one."""

CANONICAL_SYMBOLS = _table("""
    ⩽ ≤ ⩾ ≥ ≦ ≤ ≧ ≥ ⟶ → ⟵ ← ⟷ ↔ ⟼ ↦ ⟹ ⇒ ⟸ ⇐ ⟺ ⇔ V!⌀ V!∅
""")
"""Labels that look different and mean the same, each with the canonical one of features."""

_WORD_LABELS = frozenset([*LIMIT_WORDS, "mod"])


@cached_by_label
def symbol_label(text: str) -> str:
    """The label of the symbol that prints as ``text``, with a type that depends on the text only.

    >>> [symbol_label(text) for text in ("x", "sin", "lim", "2.5", "∞", "−")]
    ['V!x', 'V!sin', 'lim', 'N!2.5', 'V!∞', '-']
    """
    text = _SAME.get(text, text)
    if text in _WORD_LABELS:
        return text
    first = text[0]
    if first.isalpha() or first in _ORDINARY:
        return "V!" + text
    if first.isdigit() or (first == "." and text[1:2].isdigit()):
        return "N!" + text
    return text
