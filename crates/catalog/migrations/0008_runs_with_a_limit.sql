-- Pages of the crawl beyond which this run keeps none, where it has a limit of its own and not its project's.
ALTER TABLE runs ADD COLUMN page_limit INTEGER;
