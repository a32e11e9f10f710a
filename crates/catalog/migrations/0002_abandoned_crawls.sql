-- Crawls that their project started over from: their rows and files may be dropped. A crawl that is merely
-- unknown here may not: it may belong to a catalog that was lost.
CREATE TABLE abandoned_crawls (
    crawl INTEGER PRIMARY KEY
) STRICT;
