"""The part of parsel in bench_extract: reads the same pages with the same expressions.

Prints pages per second of processor time, and a digest of all values.
"""

import json
import sys
import time

from parsel import Selector


def read(page, job, values):
    for row in Selector(text=page).xpath(job["row"]):
        for field in job["xpath"]:
            values.append(" ".join(row.xpath(field).get("").split()))
        for field in job["css"]:
            values.append(" ".join(row.css(field).get("").split()))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    start = time.process_time()
    for _ in range(job["rounds"]):
        values = []
        for page in job["pages"]:
            read(page, job, values)
    rate = len(job["pages"]) * job["rounds"] / (time.process_time() - start)
    digest = 0xCBF29CE484222325
    for byte in "".join(value + "\n" for value in values).encode():
        digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    print("%f %x" % (rate, digest))


main()
