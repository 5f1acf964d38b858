r"""Cleaning of texts: HTML, escapes such as \u2019, and markers such as [video]."""

import html
import re
from collections.abc import Callable

import polars as pl

from bittern.text.tokenizer import PICTOGRAPH

ENTITY = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});"
ATTRIBUTE = r"""\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)"""
ELEMENTS = [
    *("a", "abbr", "article", "aside", "audio", "b", "big", "blockquote", "body", "br", "button"),
    *("caption", "center", "cite", "code", "dd", "del", "details", "dfn", "div", "dl", "dt", "em"),
    *("figcaption", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("head", "header", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "li"),
    *("link", "main", "mark", "meta", "nav", "object", "ol", "option", "p", "param", "picture"),
    *("pre", "q", "s", "samp", "script", "section", "select", "small", "source", "span", "strike"),
    *("strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "textarea"),
    *("tfoot", "th", "thead", "time", "title", "tr", "tt", "u", "ul", "var", "video", "wbr"),
]
TAG = rf"(?is)<!--.*?-->|</?(?:{'|'.join(ELEMENTS)})(?:{ATTRIBUTE})*\s*/?>"
PROGRAM = r"(?is)<script\b.*?</script\s*>|<style\b.*?</style\s*>"
BYTES = r"(?:\\x[0-9a-fA-F]{2})+"
ESCAPE = rf"{BYTES}|(?:\\u[0-9a-fA-F]{{4}})+|\\U[0-9a-fA-F]{{8}}|\\[nrt]"
FILE_PATH = r"(?:^|[^A-Za-z])[A-Za-z]:\\|\\\\"  # its backslashes are no escapes
MEDIA = [
    *("pic", "pics", "picture", "pictures", "img", "image", "images", "photo", "photos", "gif"),
    *("gifs", "video", "videos", "vid", "vids", "audio", "pdf", "nsfw", "nsfl", "xpost", "x-post"),
]
REMARKS = ["oc", "fixed", "serious", "deleted", "removed", "link", "url", "quote"]
MARKERS = [*(f"[{word}]" for word in MEDIA + REMARKS), *(f"({word})" for word in MEDIA)]
MARKER = f"(?i){'|'.join(map(re.escape, MARKERS))}"
INVISIBLE = "[\u00ad\u200b\u2060\ufeff]"  # where a line may or may not break
MARKUP = r"[&<\\]"  # what entities, tags and escapes start with

EMOJI = (
    rf"\p{{RI}}\p{{RI}}|{PICTOGRAPH}\x{{FE0F}}?\p{{Emoji_Modifier}}?"
    rf"(?:\x{{200D}}{PICTOGRAPH}\x{{FE0F}}?\p{{Emoji_Modifier}}?)*"
)
CASED = [chr(point) for point in range(0x590)]  # Latin, Greek, Cyrillic and Armenian letters
UPPER, LOWER = (f"[{''.join(filter(test, CASED))}]" for test in (str.isupper, str.islower))
WORD_BOUNDARY = re.compile(
    rf"_+|(?<={LOWER}{{2}})(?={UPPER})|(?<={UPPER})(?={UPPER}{LOWER}{{2}})"
    rf"|(?<={LOWER}{{3}})(?=\d{{4}})"
)


def clean(texts: pl.Series) -> pl.Series:
    r"""Decode HTML and escapes, and remove tags, markers and invisible characters."""
    suspects = _find_suspects(texts)
    if not suspects.any():
        return texts
    found = texts.filter(suspects)
    found = _decode(_decode(found, ENTITY, _read_entity), ENTITY, _read_entity)  # &amp;#39;
    found = found.str.replace_all(PROGRAM, " ").str.replace_all(TAG, " ")
    found = _decode(found, ESCAPE, _read_escape, unless=FILE_PATH)
    found = found.str.replace_all(MARKER, " ").str.replace_all(INVISIBLE, "")
    return texts.clone().scatter(suspects.arg_true(), found)  # scatter changes a series in place


def _find_suspects(texts: pl.Series) -> pl.Series:
    """Return which texts need cleaning, and some others."""
    has_marker = texts.str.contains_any(MARKERS, ascii_case_insensitive=True)
    suspects = (texts.str.contains(MARKUP) | has_marker).fill_null(False)
    others = (texts.str.len_bytes() != texts.str.len_chars()).arg_true()  # not only ASCII
    has_invisible = texts.gather(others).str.contains(INVISIBLE)
    return suspects.scatter(others.filter(has_invisible), True)


def split_hashtags(texts: pl.Series) -> pl.Series:
    """Cut hashtags at underscores and capital letters, and before years."""
    return _decode(texts, r"#\w+", lambda tag: WORD_BOUNDARY.sub(" ", tag[0]))


def separate_emoji(texts: pl.Series) -> pl.Series:
    """Surround each emoji by spaces, and drop the character that asks for its colors."""
    return texts.str.replace_all(f"({EMOJI})", " $1 ").str.replace_all("\ufe0f", "", literal=True)


def _decode(
    texts: pl.Series, pattern: str, decode: Callable[[re.Match[str]], str], unless: str = ""
) -> pl.Series:
    """Replace what matches a pattern, but not in texts that match `unless`."""
    matches = texts.str.contains(pattern).fill_null(False)
    if unless:
        matches &= ~texts.str.contains(unless).fill_null(False)
    search = re.compile(pattern)
    decoded = [search.sub(decode, text) for text in texts.filter(matches)]
    return texts.clone().scatter(matches.arg_true(), pl.Series(decoded, dtype=pl.String))


def _read_entity(entity: re.Match[str]) -> str:
    """Decode an HTML entity; what does not name a character stays."""
    return html.unescape(entity[0])


def _read_escape(escape: re.Match[str]) -> str:
    """Decode the escapes of bytes or code points; control characters become spaces."""
    kind, digits = escape[0][1], escape[0]
    if kind in "nrt":
        return " "
    if kind == "x":
        encoded = bytes.fromhex(digits.replace("\\x", ""))
        try:
            decoded = encoded.decode("utf-8")
        except UnicodeDecodeError:
            decoded = encoded.decode("cp1252", "replace")
    else:
        points = [int(part, 16) for part in re.split(r"\\[uU]", digits)[1:]]
        utf16 = "".join(chr(min(point, 0x10FFFF)) for point in points)
        decoded = utf16.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(c if c.isprintable() else " " for c in decoded)
