-- An archived picture is left out of the lists; whatever shows it goes on showing it.
alter table picture add column is_archived boolean not null default false;
