"""The words by which a text says what a shape is: the answer, the input's, that of one head, not the answer.

Patterns over small letters, for the clause before a shape or after it; `graders.stated` says which where.
They know no shape, and no right answer.
"""

from __future__ import annotations

import re


def _one_of(*patterns: str, after: str = "", then: str = "") -> re.Pattern[str]:
    return re.compile(f"{after}(?:{'|'.join(patterns)}){then}")


_FILL = r"(?:\s|\b(?:the|a|an|of|be|is|are|its?|have|has|in|just|simply|shape|size|with|to)\b|[:=,])*$"
_THING = (
    r"(?:(?<![qx] )\b[xqv]\s?\^\s?t\b|\bresults? of (?:the )?(?:self-)?attention\b|"
    r"\b(?:inputs?|x|query|queries|q|keys?|k|k\s?\^?\s?t|values?|v|qkv|outputs?|context|embeddings?|"
    r"hidden states?|scores?|logits|energies|head_dim|transpose)\b)"
)
NAMES_A_THING = re.compile(_THING)
DENIED_BEFORE = _one_of(
    *(r"\bnot", "n't", r"\bnever", r"\bneither", r"\bnor", r"\binstead of", r"\brather than", r"\bunlike"),
    *(r"\bno longer", r"\bas opposed to", r"\bcompared (?:to|with)", "≠", "!="),
    *(r"\bnicht", r"\bniet", r"\bне", r"\bno(?=\s*$)", r"\b(?:et|e) non"),
    then=_FILL,
)
DENIED_NEAR = _one_of(
    *(
        r"(?<!second )\bthought\b",
        r"\bat first\b",
        r"\b(?:might|could|(?<!\bi )would) (?:think|expect|guess)",
        r"\bone would\b",
    ),
    *(r"\binitially\b", r"\btempt", r"\b(?:wrong|incorrect|mistaken|misconception)\b", r"\bwould have\b"),
    r"\b(?:common|typical|easy|frequent|classic|usual|likely|naive) (?:mistake|error|trap|pitfall)",
)
DENIED_AFTER = _one_of(
    *("not", "wrong", "incorrect", "the wrong"),
    after=r"^\W*(?:(?:is|are|was|were|would be)\b ?)?(?:n't ?)?\b",
    then=r"\b|^[^.;\n]{0,40}\b(?:wrong|incorrect)\b|^\W*isn't",
)
OF_A_THING = re.compile(
    _THING
    + r"(?:\W|\b(?:tensor|matrix|vectors?|sequence|batch|has|have|had|is|are|was|of|with|having|in|shapes?|"
    r"size|shaped|dimensions?|the|a|becomes?)\b)*$"
)
THING_AFTER = re.compile(
    r"^\W*(?:is|are|was|as|for|would be)?\W*(?:the )?(?:shape of )?(?:the )?(?:input tensor\b|" + _THING + ")"
)
FROM = _one_of(
    "from", "given", "for", "of input", "takes?", "of an", "before", after=r"\b", then=r"\W*(?:the|an?)?\W*$"
)
ONE_HEAD = _one_of(
    *(
        r"\bper[- ]head\b",
        r"\b(?:each|every|single|one|individual) (?:attention )?heads?\b",
        r"\bheads? separately\b",
    ),
    *(
        r"\bfor (?:each|all|every)(?: of the)? heads?\b",
        r"\bweights (?:of|for) (?:all|the|all the) (?:\d+ )?heads\b",
    ),
    *(
        r"\bbefore (?:the )?(?:averag|mean)",
        r"\bun-?averaged\b",
        r"\b(?:without|w/?o|no) (?:the )?averag",
        r"\bsplit",
    ),
    r"(?<!with )(?<!after )(?<!by )\b(?:mean|average|averaging|averages) {1,3}"
    r"(?:(?:of|over|the|this|tensor|all|heads?) {1,3}){0,5}$",
    r"\baveraging (?:over|across|along) (?:the |all )?\w+ "
    r"(?:squeezes|removes|reduces|collapses|takes|turns|drops|changes)\b",
    r"\bheads?'? (?:axis|dim|dimension) (?:of|in|from)\W*$",
    *(r"\b(?:raw|stacked)\b", r"\b(?:avant|vor|antes de|prima)(?: la| dem| der| del| di)?\b"),
    *(
        r"(?:\bnot|n't) (?:averaged?|averaging)\b",
        r"average_attn_weights\s?=\s?false",
        r"\bkeeping the heads\b",
    ),
)
SURELY = _one_of(
    *("answer", "averaged", r"final\w*", "average", "averaging", "mean over (?:the |all )?heads?"),
    after=r"\b",
    then=r"\b",
)
ANSWER = _one_of(
    *(
        "answer",
        "averaged",
        r"final\w*",
        "averaging",
        "average (?:attention|weights?|of|over|across)",
        "mean",
        "weights?",
    ),
    *("attn_?weights?", "attention (?:matrix|matrices|maps?)", "result"),
    after=r"\b",
    then=r"\b",
)
SAID = _one_of(
    r"\b(?:shape|size|dimensions?|gives?|giving|get|got|yields?|returns?|leaves?|leaving|becomes?|remains?)\b",
    *(r"\b(?:so|hence|thus|therefore|is|are|be|have|has|it's)\b", "→", "->", "=>", "⇒", "==?", ":"),
    r"\b(?:averaged?(?: attention)? weights|attention weights|averaged)\b(?=\W*$)",
    then=r"(?:\W|\b(?:the|a|an|of|is|are|be|to|it|it's|we|get|shaped?|size|still|exactly|just|again|also|only|then|"
    r"tensor|matrix|equals?)\b)*$",
)
# "…, which is the shape of the averaged weights"
ANSWER_AFTER = re.compile(
    r"^\s{0,2},? ?(?:the final (?:shape|answer|result)|my (?:final )?answer)\b|"
    r"^\W{0,9}(?:which|this|that|it)(?:'s| is| are| will be)? (?:then )?(?:the |my |our )?"
    r"(?:final |right |correct )?(?:shape of (?:the )?)?(?:final |right |correct )?"
    r"(?:averaged|answer|result)\b"
)
# "Here it is …": said of this input, not of another one.
HERE = _one_of(
    "here", "in (?:our|this|my) (?:case|example)", "for (?:this|our) input", after=r"\b", then=r"\b"
)
OTHERWISE = re.compile(r"\bbatch_first\s?(?:=|is|were|was|set to)?\s?false\b|\bwithout batch_first\b")
# "If there were 4 heads we would get …"
WOULD = re.compile(
    r"\b(?:if|with|for)\b.*\b(?:there|it|that|this|we|they|you|i) ?(?:'d| ?would|d)(?: then)? "
    r"(?:be|get|have)\b"
)
MEAN_NEXT = re.compile(r"\W*\.\s*(?:mean|sum)\(")
ONE_SEQUENCE = _one_of(
    *("sequence", "example", "item", "batch", "batch element", "sentence", "sample"),
    after=r"\b(?:one|single|each|every|per) ",
    then=r"\b",
)
LABEL = re.compile(r"\W*(?:the |my )?(?:answer|shape|result|weights)\W*(?:is\W*)?")
ENDS = re.compile(r"\W*$|\s*[.;:,!)\n]|\s*(?:because|since|as|due)\b")
SAME = _one_of(
    *("same", "identical", "unchanged", "equal to", "like the", "as the"),
    r"(?:have|has|is|are|be|get|keeps?) (?:the )?(?:shape|size|dimensions?) of (?:the |its )?inputs?",
    after=r"\b",
    then=r"\b",
)
BREAKS = _one_of(
    *(r"[.;!?\n](?!\d)", r", (?=(?:and|so|not)\b)", r"\band (?=(?:then|not)\b)", r"\s[-–—]\s", "—"),
    r"\((?=\s?(?:and )?not\b)",
    r",? \b(?:but|while|whereas|although|though|however|because|since|which|instead)\b",
)
MARK = re.compile(r"§(\d+)§")
# What may stand between such words and the shape that they are said of.
_FILLED = (
    r"(?:\W|\b(?:that|whether|if|it|it's|its|they|this|is|are|be|was|were|would|will|should|must|the|a|an|answer|shape|size|of|to|has|have|"
    r"we|get|for|with|on|still|rather|right|weights?|averaged|attention)\b)*$"
)
# "Perhaps …", "it could be …": a claim only as long as nothing else is said with more confidence.
HEDGED = _one_of(
    *("perhaps", "maybe", "possibly", "conceivably", "might", "could", "may", "i guess", "(?:my|a) guess"),
    *("first (?:idea|guess|thought|instinct|impression)", "not sure", "unsure", "wonder(?:ed|ing)?"),
    after=r"\b",
    then=_FILLED,
)
HEDGED_AFTER = re.compile(r"^\W*(?:maybe|perhaps|possibly|i guess|(?:i'?m |i am )?not sure)\b")
COMMITTED = _one_of(
    "i (?:now |do |would |will |still )?(?:think|believe|say|claim|conclude|answer|choose|pick|take|go with)",
    "i'?(?:d|ll) (?:say|go with|answer|choose|pick|stick (?:with|to)|settle (?:on|for))",
    "i(?: a|')m (?:now |fairly |quite |pretty |rather )?(?:sure|certain|confident|convinced)",
    *("(?:go|going|went|stick|sticking) (?:with|to)", "settled? (?:on|for)", "decided? (?:on|for)"),
    *("(?:more|most) (?:likely|probably|plausibly)", "my (?:final )?(?:answer|choice|pick)", "in the end"),
    after=r"\b",
    then=_FILLED,
)
COMMITTED_AFTER = _one_of(
    *("right", "correct", "likely", "plausible", "better", "my (?:final )?(?:answer|choice|pick)"),
    "what i (?:go with|choose|pick|answer)",
    after=r"^\W*(?:(?:it|that|which|this) )?(?:is|seems|looks|sounds|feels)(?: to be| much| far)? "
    r"(?:more |most |the )?",
    then=r"(?: one| answer)?\W*(?:$|[.;,!\n])",
)
# "…, no wait, …": what stood before is taken back for what comes now.
TAKEN_BACK = _one_of(
    *("(?:no,? )?wait", "(?:scratch|strike|forget) (?:that|it|this)", "correction", "or rather", "but no"),
    *("on (?:second thoughts?|reflection)", "i take (?:that|it|this) back", "changed my mind", "sorry"),
    *(r"no(?:pe)?\s?(?=[,.:;!–—-])", "i meant?", "actually"),
    after=r"\b",
    then=r"(?:\b|(?=\W))" + _FILLED,
)
# What stands right behind a shape from which another is made: an arrow, or "and the mean of it leaves".
STEP = re.compile(
    r"[^§.;\n]{0,60}(?:→|->|=>|⇒)[^§.;\n]{0,60}§"
    r"|[^§.;]{0,20}\b(?:becomes?|turns? into|(?:reduced|collapsed|squeezed|averaged) to)\s{0,9}§"
    r"|[^§.;]{0,40}\b(?:mean|averag\w*)\b[^§.;]{0,60}\b(?:leaves?|leaving|gives?|giving|yields?|becomes?|to)\s{0,9}"
    r"(?:(?:a|an|the|shape|tensor|of) ){0,4}\s{0,9}§"
)
# What stands between two shapes of which the text will not say which it means.
OR = re.compile(
    r"\W*(?:(?:or|also|maybe|perhaps|possibly|alternatively)\b\W*"
    r"(?:(?:or|else|maybe|perhaps|possibly|even|it|they|is|are|could|might|may|be|also)\b\W*){0,6}|/\s*)"
)
UNLESS = re.compile(r"\W*(?:if|when|where|for|per|in|with|without|before|unless|were|had|as)\b")
