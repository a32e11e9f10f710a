"""Indexes the HTML files below a folder with tantivy-py: title and text, both stored. Prints how many.

Text is taken by the parser of the standard library, or by lxml when that is the third argument.
"""

import html.parser
import pathlib
import sys

import tantivy


class Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.title, self.text, self.inside = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "style", "title"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.text.append(data)
        elif self.inside[-1] == "title":
            self.title.append(data)


def standard(content):
    page = Text()
    page.feed(content.decode("utf-8", "replace"))
    return " ".join(page.title), " ".join(page.text)


def lxml(content):
    import lxml.html

    page = lxml.html.document_fromstring(content)
    for part in page.xpath("//script | //style"):
        part.drop_tree()
    return page.findtext(".//title") or "", page.text_content()


folder, target = map(pathlib.Path, sys.argv[1:3])
read = lxml if sys.argv[3:] == ["lxml"] else standard
target.mkdir()
builder = tantivy.SchemaBuilder()
builder.add_text_field("url", stored=True, tokenizer_name="raw")
builder.add_text_field("title", stored=True, tokenizer_name="en_stem")
builder.add_text_field("text", stored=True, tokenizer_name="en_stem")
index = tantivy.Index(builder.build(), path=str(target))
writer = index.writer(heap_size=64 << 20, num_threads=1)
pages = 0
for path in sorted(folder.rglob("*")):
    if path.is_file():
        title, text = read(path.read_bytes())
        writer.add_document(tantivy.Document(url=str(path), title=title, text=" ".join(text.split())))
        pages += 1
writer.commit()
writer.wait_merging_threads()
print(pages)
