-- The rows that a crawl brought outlive a start over, so that the next run can be compared with them.
ALTER TABLE abandoned_crawls ADD COLUMN keeps_rows INTEGER NOT NULL DEFAULT 0;
