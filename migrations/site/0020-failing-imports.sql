-- Since when the run of an import that is under way has failed: its next tries are planned by it (src/imports/retry-pause.ts).
alter table import add column failing_since timestamptz;
