-- The list of jobs asks for those of a span of time: without this it reads every job that the site ever had.
create index job_begun on job ((coalesce(started_at, created_at)));
