-- Tries to generate a job are numbered: only the last one that was begun may freeze it.
alter table job add attempt integer not null default 0;
