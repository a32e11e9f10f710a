"""Reads the given files by warcio: `check` verifies digests, `list` prints each record as a line of JSON."""

import json
import sys

import brotli


class Decompressor:
    """The brotli package's own, under the method name and with the room for an attribute that warcio expects."""

    def __init__(self):
        self.inner = decompressor()

    def decompress(self, data):
        return self.inner.process(data)


decompressor, brotli.Decompressor = brotli.Decompressor, Decompressor

from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main

command, *files = sys.argv[1:]
if command == "check":
    main(["check", "-v", *files])
for name in files:
    with open(name, "rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            http = record.http_headers
            print(json.dumps({
                "type": record.rec_type,
                "url": record.rec_headers.get_header("WARC-Target-URI"),
                "truncated": record.rec_headers.get_header("WARC-Truncated"),
                "status": http.get_statuscode() if http and record.rec_type != "request" else None,
                "chunks": http.get_header("X-Crawler-Transfer-Encoding") if http else None,
                "payload": record.content_stream().read().hex(),
            }))
