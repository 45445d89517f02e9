-- The times in which the job could use no relay, oldest first: an array of {"since", "until", "why"}. `until` is null
-- while it lasts.
alter table job add column relay_outages jsonb not null default '[]';
