"""Shapes as people write them: (8, 32, 32), [8,32,32], 8×32×32, torch.Size([8, 32, 32]), "B=8, T=32, S=32".

Finds them and puts marks in their place, so that what is said of them can be looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

Sizes = tuple[int | str, ...]
Found = tuple[Sizes, str, bool]  # the sizes, as written, whether emphasised
Put = Callable[[Sizes, str, bool], str]

_NUMBERS = {
    r"one hundred (?:and )?twenty[- ]eight": "128",
    r"thirty[- ]two": "32",
    r"eight": "8",
}
_AXES = (
    "b bs batch batch_size n h nh heads head num_heads n_heads n_head t s l q k tq tk tgt src target targets "
    "source sources query queries key keys seq seq_len seqlen seq_length sequence length len tgt_len src_len "
    "target_len source_len tokens token d d_model dk d_k e embed_dim c"
)
_AXIS = frozenset(_AXES.split())
_LABEL = (
    r"(?:\b(?:the|a|batch|size|of|target|source|tgt|src|query|key|queries|keys|length|len|seq|seq_len|sequence|tokens?|"
    r"targets|sources|sequences|positions?|axis|dim|dimension|b|n|t|s|l|q|k|tq|tk)(?:\s*[=:_]\s*|\s+))"
)
_UNIT = (
    r"(?:\s*-?\s*\b(?:for|the|in|of|batch|batches|items?|examples?|samples?|sequences?|sentences?|targets?|sources?|query|"
    r"queries|keys?|tokens?|positions?|rows?|columns?|along|as|size|length|axis)\b)"
)
_NUMBER = r"(?<![\w.])\d{1,9}(?![\w]|\.\d)"
_ITEM = rf"{_LABEL}{{0,3}}{_NUMBER}{_UNIT}{{0,4}}"
_LOOSE = re.compile(
    rf"{_ITEM}(?:\s*(?:×|\bby\b)\s*{_ITEM})+|{_ITEM}(?:\s*(?:,\s*and\b|,|\band\b|&)\s*{_ITEM}){{2,}}"
)
_LETTERS = re.compile(
    r"\b[A-Za-z]\w{0,9}(?:\s*×\s*(?:[A-Za-z]\w{0,9}|\d+)\b){2,}|\b\d+(?:\s*×\s*(?:[A-Z]\b|\d+\b)){2,}"
)
_LETTERS_ARE = re.compile(r"\b[A-Za-z]\w{0,9}(?:\s{0,3}×\s{0,3}[A-Za-z]\w{0,9}){1,5}\s{0,3}=\s{0,3}(?=\d)")
_BRACKETS = re.compile(r"(?<![\w\])])[(\[{<]{1,3}\s*([^()\[\]{}<>§]{3,120}?)\s*[)\]}>]{1,3}")
_INDEXED = re.compile(r"\[\s*(\d+)\s*\]\s*\[\s*(\d+)\s*\]\s*\[\s*(\d+)\s*\](?:\s*\[\s*(\d+)\s*\])?")
_BINDING = re.compile(
    r"\b((?:[A-Za-z]\w{0,11}\s?=\s?){0,4}[A-Za-z]\w{0,11})\s*(?:=|:|\bis\b|\bbeing\b)\s*(\d+)\b"
)
_MANY_BEFORE = re.compile(
    r"\b(\d+)\s+(?:(?:separate|such|different|attention|weights?|square|averaged|independent)\s+)*(?:(?:matrix|matrices|maps?|grids?|tables?|arrays?)\W*)?"
    r"(?:(?:of|each|with|in|the|size|shape|dimensions?)\W*)*$"
)
_MANY_AFTER = re.compile(
    r"^[^.§;\n]{0,40}?\b(?:per|for (?:each|every|all)|in each)\b[^.§;\n]{0,40}?\b(\d+)\b(?! ?heads)"
)


def marked_shapes(text: str) -> tuple[str, list[Found]]:
    """Return `text` in small letters with §0§, §1§, … in place of the shapes that it names, and these shapes.

    A size is a number, or a letter or word where the text gives no number for it.
    """
    # B × T × T = 8 × 32 × 32 binds no T to 8.
    plain = _LETTERS_ARE.sub(" = ", _plain(text))
    bound = {
        name.strip().lower(): int(number)
        for names, number in _BINDING.findall(plain)  # "L = S = 32" binds both
        for name in names.split("=")
    }
    found: list[Found] = []

    def put(sizes: Sizes, written: str, emphasised: bool) -> str:
        found.append((sizes, written, emphasised))
        return f" §{len(found) - 1}§ "

    marked = _replaced(plain, bound, put)
    plain = marked if found else _replaced(_listed(plain), bound, put)
    return _in_order(_many(plain, found), found)


def _plain(text: str) -> str:
    """Return the text without markup: LaTeX, Markdown, HTML, fancy brackets; every kind of "times" is ×."""
    # Some characters stand for many: what comes of a text is bounded as the text is.
    plain = unicodedata.normalize("NFKC", _powers(_unwrapped(text)))[: 3 * len(text)]
    plain = _squeezed(plain)
    plain = re.sub(r"</?[a-zA-Z][a-zA-Z0-9]*(?: [^<>]*)?/?>", " ", plain)
    plain = re.sub(r"\\(?:times|cdot|ast)(?![a-zA-Z])", " × ", plain)
    plain = re.sub(r"\\(?:r?ightarrow|to|mapsto|longrightarrow|Rightarrow|implies)(?![a-zA-Z])", " → ", plain)
    plain = re.sub(
        r"\\(?:left|right|big|Big|bigl|bigr|displaystyle|quad|qquad)(?![a-zA-Z])|\\[,;:! ()\[\]]|\$",
        " ",
        plain,
    )
    plain = re.sub(
        r"\\(?:text|mathrm|mathbf|mathbb|mathcal|textbf|boxed|mathit|operatorname)\b\s*", " ", plain
    )
    plain = re.sub(r"\\([{}_])", r"\1", plain)
    plain = re.sub(
        r"\btorch\s*\.\s*size\b|\bsize(?=\s*\(\s*\[)|\btuple(?=\s*\()|\blist(?=\s*\()", " ", plain, flags=re.I
    )
    plain = re.sub(r"[⟨〈【「]", "(", plain)
    plain = re.sub(r"[⟩〉】」]", ")", plain)
    plain = re.sub(r"[✕✖⨯∗⋅·•∙・](?=\s*[\dA-Za-z(])", " × ", plain)
    plain = re.sub(
        r"(?<=[\w)])\s*\*\s*(?=[\dA-Z(])(?!\*)", " × ", re.sub(r"\*\*|__(?=\W)|(?<=\W)__", "¶", plain)
    )
    plain = re.sub(r"`+", " ", plain)
    plain = _squeezed(re.sub(r"-by-", " by ", plain, flags=re.I))
    plain = re.sub(r"(?<=\d) times (?=\d)", " × ", plain)
    for words, number in _NUMBERS.items():
        plain = re.sub(rf"\b{words}\b", number, plain, flags=re.I)
    # Annotations of single sizes: 8 (batch) × 32 (target) × 32 (source).
    plain = re.sub(r"(\b\d+)\s*[(\[](?:[A-Za-z][A-Za-z _/-]*)[)\]]", r"\1", plain)
    plain = re.sub(
        r"(?<=\d)\s*[xX]\s*(?=\d|[A-Z]\b)|(?<=[\w)])\s+[xX]\s+(?=\d|[A-Z]\b|[a-z]+\s*[=:]?\s*\d)",
        " × ",
        plain,
    )
    plain = re.sub(r"(?<=\b[A-Z])\s*[xX]\s*(?=[A-Z]\b|\d)|(?<=\b[A-Z])x(?=[A-Z]x|[A-Z]\b)", " × ", plain)
    plain = re.sub(r"^(\W*)(\d{1,9}(?: \d{1,9}){2,3})(\W*)$", r"\1(\2)\3", plain)  # nothing but "8 32 32"
    plain = re.sub(r"(\d)\s*×\s*[(\[]\s*(\d{1,9}\s*×\s*\d{1,9})\s*[)\]]", r"\1 × \2", plain)
    return _INDEXED.sub(lambda m: "(" + ", ".join(filter(None, m.groups())) + ")", plain)


def _unwrapped(text: str) -> str:
    """Return the text with sentences that an editor has broken into lines on one line each."""
    return re.sub(r"(?<=[^\n|]{50})(?<![.:;!?|>`\\)\]}])\n(?!\d+[.)]\s)(?=[\w(\[$])", " ", text)


def _powers(text: str) -> str:
    """Return "8×32²" as "8 × 32 × 32"."""
    apart = text.replace("×", " × ").replace("§", " ")
    return re.sub(r"(?<![\w.^²])(\d{1,9})\s?(?:²|\^\s?(?:2\b|\{2\}))", r"\1 × \1", apart)


def _squeezed(text: str) -> str:
    """Return the text with runs of blanks as one blank, of which line ends and empty lines remain.

    A pattern with a place for blanks beside another is then no slower on many of them.
    """

    def fewer(run: re.Match[str]) -> str:
        lines = min(run.group().count("\n"), 2)
        return "\n" * lines + ("" if lines and run.group().endswith("\n") else " ")

    return re.sub(r"\s{2,}", fewer, text)


def _replaced(plain: str, bound: dict[str, int], put: Put) -> str:
    def bracketed(match: re.Match[str]) -> str:
        sizes = _sizes(match.group(1), bound)
        if sizes is None:
            return match.group()
        return put(sizes, match.group().strip(), _emphasised(plain, match))

    def loose(match: re.Match[str]) -> str:
        sizes: Sizes = tuple(int(number) for number in re.findall(_NUMBER, match.group()))
        if len(sizes) < (2 if "×" in match.group() or re.search(r"\bby\b", match.group()) else 3):
            return match.group()
        return put(sizes, _uncut(match.group().strip()), False)

    def lettered(match: re.Match[str]) -> str:
        sizes = _sizes(match.group(), bound)
        return match.group() if sizes is None else put(sizes, match.group().strip(), False)

    plain = _BRACKETS.sub(bracketed, plain)
    return _LETTERS.sub(lettered, _sub_outside(_LOOSE, loose, plain))


_PLACES = re.compile(
    r"\b(?:(?:the )?(?:1st|2nd|3rd|4th|first|second|third|fourth|last)(?: (?:axis|dimension|dim|one)\b)?"
    r"|(?:axis|dimension|dim)\s?[0-3]\b)\W{0,3}(?:(?:is|are|has|of|size|for)\b\W{0,3}){0,4}",
    re.IGNORECASE,
)


def _listed(plain: str) -> str:
    """Return a table or a list with a size to each axis as one line: "batch 8, target 32, source 32"."""
    line = re.sub(r"\s*(?:\n|\|[ \t]*\n)\s*(?:[-*|]+\s*)*", " , ", plain)
    line = re.sub(r"\s*(?:\||→)\s*", " ", line)
    line = re.sub(r"[(\[](\d{1,9})[)\]]", r" \1 ", _PLACES.sub(" ", line))
    return _squeezed(re.sub(r"\b(?:is|are|has|of size|with size|size|the)\b", " ", line))


def _uncut(written: str) -> str:
    """Return it without a word at its head that belongs to what stands before: "it's 8 × 32 × 32"."""
    at = re.search(r"\d", written)
    body = written[at.start() :] if at else written
    return written if re.search(r"(?!by\b|and\b)\b[A-Za-z]+\b", body) else body


def _sub_outside(pattern: re.Pattern[str], put: Callable[[re.Match[str]], str], plain: str) -> str:
    pieces = re.split(r"(§\d+§)", plain)
    return "".join(
        piece if piece.startswith("§") else re.sub(pattern.pattern, put, piece, flags=re.I)
        for piece in pieces
    )


def _sizes(inside: str, bound: dict[str, int]) -> Sizes | None:
    """Return the sizes that stand between brackets; None where these are other words."""
    parts = [part.strip(" ¶\t\n") for part in re.split(r"\s*(?:,|×|;|\||\bby\b)\s*", inside.strip(" ,;"))]
    if len(parts) == 1 and re.fullmatch(r"\d+(?:\s+\d+)+", parts[0]):
        parts = parts[0].split()
    if not 2 <= len(parts) <= 6:
        return None
    sizes: list[int | str] = []
    for part in parts:
        size = _size(part, bound)
        if size is None:
            return None
        sizes.append(size)
    numbers = sum(isinstance(size, int) for size in sizes)
    return tuple(sizes) if numbers or len(sizes) > 2 else None


def _size(part: str, bound: dict[str, int]) -> int | str | None:
    numbers = re.findall(_NUMBER, part)
    if len(numbers) == 1 and len(part) <= 40 and not re.search(r"[/+]", part):
        return int(numbers[0])
    name = part.lower().strip()
    if name in bound and not numbers:
        return bound[name]
    words = re.split(r"[\s_/]+", name)
    if name in _AXIS or (len(words) <= 3 and all(word in _AXIS or word.isdigit() for word in words)):
        return name
    return None


def _many(plain: str, found: list[Found]) -> str:
    """Join "8 matrices of 32 × 32" and "one 32 × 32 matrix for each of the 8 sequences" to three sizes."""
    for match in re.finditer(r"§(\d+)§", plain):
        sizes, written, emphasised = found[int(match.group(1))]
        if len(sizes) != 2:
            continue
        before = _MANY_BEFORE.search(plain[max(0, match.start() - 80) : match.start()])
        after = _MANY_AFTER.search(plain[match.end() : match.end() + 120])
        count = before or after
        if count:
            found[int(match.group(1))] = (
                (int(count.group(1)), *sizes),
                f"{count.group(1)} × {written}",
                emphasised,
            )
    return plain


def _in_order(plain: str, found: list[Found]) -> tuple[str, list[Found]]:
    """Number the shapes as they stand in the text; those of the first kind were found first."""
    order = [int(number) for number in re.findall(r"§(\d+)§", plain)]
    renamed = {old: new for new, old in enumerate(order)}
    text = re.sub(r"§(\d+)§", lambda m: f"§{renamed[int(m.group(1))]}§", plain)
    return text.replace("¶", " ").lower(), [found[old] for old in order]


def _emphasised(plain: str, match: re.Match[str]) -> bool:
    return plain[: match.start()].rstrip().endswith("¶") and plain[match.end() :].lstrip().startswith("¶")
