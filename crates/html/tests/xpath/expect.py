"""Asks lxml what the expressions of expressions.txt give on the pages, and writes expected.json.

lxml sees our own tree, so that only the engines are compared:

    cargo run --profile ci -p html --example tree_as_json -- PAGE.html > TREE.json   (for each page)
    python expect.py PAGE=TREE.json … > expected.json

Nodes are written as our node's number, attributes as `number@name`.
"""

import json
import sys
from pathlib import Path

from lxml import etree

SPACES = {
    "xlink": "http://www.w3.org/1999/xlink",
    "xml": "http://www.w3.org/XML/1998/namespace",
}


def build(nodes):
    """The lxml tree, and which node each element and text of it is."""
    made, known, root = {}, {}, None
    before_root = []
    last = {}
    for number, node in enumerate(nodes):
        kind, parent = node["kind"], node["parent"]
        if kind == "element":
            if parent == 0:
                element = etree.fromstring("<html/>", etree.HTMLParser())
                for child in list(element):
                    element.remove(child)
                root = element
                for comment in before_root:
                    root.addprevious(comment)
            else:
                element = etree.SubElement(made[parent], node["name"])
            for prefix, name, value in node["attributes"]:
                element.set("{%s}%s" % (SPACES[prefix], name) if prefix else name, value)
        elif kind == "comment":
            element = etree.Comment(node["text"])
            if parent == 0 and root is None:
                before_root.append(element)
            elif parent == 0:
                (last.get(0) if last.get(0) is not None else root).addnext(element)
            else:
                made[parent].append(element)
        elif kind == "text":
            previous = last.get(parent)
            if previous is None:
                made[parent].text = node["text"]
                known[made[parent], "text"] = number
            else:
                previous.tail = node["text"]
                known[previous, "tail"] = number
            continue
        else:
            continue
        made[number] = element
        known[element, "node"] = number
        last[parent] = element
    return root, known


def item(known, found):
    if isinstance(found, tuple):
        return "namespace " + found[0]
    if not isinstance(found, str):
        return str(known[found, "node"])
    if found.is_attribute:
        name = found.attrname
        for prefix, space in SPACES.items():
            name = name.replace("{%s}" % space, prefix + ":")
        return "%d@%s" % (known[found.getparent(), "node"], name)
    return str(known[found.getparent(), "tail" if found.is_tail else "text"])


def answer(root, known, start, expression):
    places = root.xpath(start) if start else [root]
    if not places:
        return None
    place = places[0]
    if isinstance(place, str):
        # Attributes and texts cannot be asked in lxml, so the question is asked of them by a path.
        if not expression_can_follow(expression):
            return None
        found = root.xpath("(%s)[1]/%s" % (start, expression))
    else:
        found = place.xpath(expression, namespaces=SPACES)
    if isinstance(found, bool):
        return {"boolean": found}
    if isinstance(found, float):
        return {"number": repr(found)}
    if isinstance(found, list):
        return {"nodes": [item(known, one) for one in found]}
    return {"text": str(found)}


def expression_can_follow(expression):
    return "(." not in expression


def main():
    lines = (Path(__file__).parent / "expressions.txt").read_text().splitlines()
    pages = {}
    for pair in sys.argv[1:]:
        page, path = pair.split("=")
        root, known = build(json.loads(Path(path).read_text()))
        # Kept, since lxml makes new proxies for forgotten elements.
        keep = list(root.iter())
        answers = {}
        for line in lines:
            start, _, expression = line.rpartition("\t")
            given = answer(root, known, start, expression)
            if given is not None:
                answers[line] = given
        pages[page] = answers
        del keep
    rows = []
    for page, answers in pages.items():
        inner = ",\n".join("  %s: %s" % (json.dumps(line), json.dumps(given)) for line, given in answers.items())
        rows.append("%s: {\n%s\n}" % (json.dumps(page), inner))
    print("{%s}" % ",\n".join(rows))


main()
