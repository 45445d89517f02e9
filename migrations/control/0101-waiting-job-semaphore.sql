-- Tasks wait for a permit of a semaphore: the word “lane” is retired. Tasks that wait under an old name are put back by
-- `startWaitingJobs` within a minute, because no process holds permits of that name.
alter table waiting_job rename column lane to semaphore;
