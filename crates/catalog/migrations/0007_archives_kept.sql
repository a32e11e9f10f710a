-- The WARC files of a crawl may outlive its project.
ALTER TABLE abandoned_crawls ADD COLUMN keeps_archive INTEGER NOT NULL DEFAULT 0;
