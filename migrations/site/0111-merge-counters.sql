-- What the merge in steps has counted in the whole file, before its first step: the counters of the import's log.
alter table merge_state add column counters jsonb;
