import polars as pl
import pytest

from bittern.text.cleaning import clean, separate_emoji, split_hashtags


def cleaned(text):
    return clean(pl.Series([text, "plain", None]))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q&amp;A, &lt;3 &#8217;tis &#x2019;twas caf&eacute;", "Q&A, <3 ’tis ’twas café"),
        ("twice &amp;amp; &amp;#39;quoted&amp;#39;", "twice & 'quoted'"),
        ("AT&T; &nosuch; &#99999999; R&D", "AT&T; &nosuch; &#99999999; R&D"),
        ("<b>bold</b><br/>end", " bold  end"),
        ('<a href="x?y=1&z" target=_blank>link</a>', " link "),
        ("a<b and b>c, 1 < 2 > 0, <3", "a<b and b>c, 1 < 2 > 0, <3"),
        ("<Atheists> use <canvas> in <BR>old</Td> pages", "<Atheists> use <canvas> in  old  pages"),
        ("&lt;p&gt;text&lt;/p&gt;", " text "),
        ("one <!-- a\nb --> two", "one   two"),
        ("<style>p {color: red}</style>x<script type='a'>var y</script>", " x "),
        (
            r"caf\xc3\xa9 \u2019tis \x93quoted\x94 \ud83d\ude00 \U0001F600",
            "café ’tis “quoted” 😀 😀",
        ),
        (r"one\ntwo\r\nthree\t\x00four", "one two  three  four"),
        (r"open C:\new\road or \\host\name", r"open C:\new\road or \\host\name"),
        ("[pic] a [VIDEO] b (pdf) c [x-post] (maybe) [sic]", "  a   b   c   (maybe) [sic]"),
        ("co\u00adoperate zero\u200bwidth\ufeff", "cooperate zerowidth"),
        ("&#0; &#xD800;", "\ufffd \ufffd"),
    ],
)
def test_markup_escapes_and_markers_are_removed(text, expected):
    assert cleaned(text) == expected


def test_texts_without_traces_are_returned_as_they_are():
    texts = pl.Series(["late train", None, ""])
    assert clean(texts) is texts


def test_hashtags_are_cut_in_scripts_with_capitals():
    texts = pl.Series(["#Grüße #日本語 #МосковскиеНовости #BlaueÜbung #ÉtéIndien # alone", None])
    split = "#Grüße #日本語 #Московские Новости #Blaue Übung #Été Indien # alone"
    assert split_hashtags(texts).to_list() == [split, None]


def test_emoji_are_separated():
    assert separate_emoji(pl.Series(["a❤️b", None])).to_list() == ["a ❤ b", None]


@pytest.mark.parametrize("text", ["<b>late</b>", "caf&eacute;", "\\u2019", "[video]"])
def test_the_given_texts_do_not_change(text):
    texts = pl.Series([text, "train"])
    clean(texts)
    assert texts.to_list() == [text, "train"]
