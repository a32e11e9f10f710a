"""Reads an export by Python's own libraries and prints its rows as JSON."""

import csv
import json
import os
import sqlite3
import sys
import xml.etree.ElementTree

kind, path = sys.argv[1:]
if kind == "csv":
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
elif kind == "jsonl":
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
elif kind == "json":
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
elif kind in ("sqlite", "sqlite-rows"):
    assert not os.path.exists(path + "-wal") and not os.path.exists(path + "-journal")
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.row_factory = sqlite3.Row
    select = "SELECT * FROM pages ORDER BY id" if kind == "sqlite" else "SELECT * FROM rows ORDER BY rowid"
    rows = [dict(row) for row in connection.execute(select)]
    for row in rows:
        if row.get("data") is not None:
            row["data"] = row["data"].hex()
else:
    tree = xml.etree.ElementTree.parse(path)
    rows = [{child.tag.split("}")[1]: child.text for child in entry} for entry in tree.getroot()]
print(json.dumps(rows))
