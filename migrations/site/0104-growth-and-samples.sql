-- == subscribers

-- People who joined (came to be eligible for mail) and left, by Paris day and cause. Triggers of `subscriber` add rows;
-- a task adds them up, so that a day has one row for each cause and source. The row of a sum is in growth_sum.
create table growth (
  day date not null,
  -- subscribers/growth.ts has the causes. 'unknown': from before this table, where the cause was not stored.
  cause text not null,
  -- The import, or the sending, that the change comes from; 0 means none.
  id_source int not null default 0,
  nb_joined int not null default 0,
  nb_left int not null default 0,
  is_sum boolean not null default false
);
create unique index growth_sum on growth (day, cause, id_source) where is_sum;
create index growth_new on growth (day) where not is_sum;

-- What is stored of the time before: the first subscription of everyone, and how those left who are not eligible now.
-- A person who came back in between counts once. Only a cause that is stored is named. What has no date is on the first
-- day of 1970, which is before every period. A caller may have written a date to come; it counts today.
with archived as (
  select (fields ->> '2')::timestamp at time zone 'UTC' as joined_at,
    case when fields ->> '7' = '1' then coalesce((fields ->> '4')::timestamp at time zone 'UTC', archived_at)
      when fields ->> '44' in ('2', '3') then coalesce((fields ->> '45')::timestamp at time zone 'UTC', archived_at)
      else archived_at end as left_at,
    case when fields ->> '7' = '1' then 'unknown' when fields ->> '44' = '2' then 'bounce'
      when fields ->> '44' = '3' then 'complaint' else 'deleted' end as cause
  from archived_subscriber)
insert into growth (day, cause, nb_joined, nb_left, is_sum)
select (least(coalesce(at, '1970-01-01Z'), now()) at time zone 'Europe/Paris')::date, cause, sum(joined),
  sum(1 - joined), true
from (
  select coalesce(fld2, left_at) as at, 'unknown' as cause, 1 as joined
  from (select fld2, least(fld4, fld45) as left_at from subscriber) s
  union all
  select coalesce(left_at, fld2), case when fld44 in (2, 3) and left_at is not distinct from fld45
      then case fld44 when 2 then 'bounce' else 'complaint' end else coalesce(origin, 'unknown') end, 0
  from (
    select *, least(case when fld7 = 1 then fld4 end, case when fld44 in (2, 3) then fld45 end) as left_at
    from subscriber
    where not (fld7 = 0 and fld44 in (0, 1))) s
    left join (select distinct on (id_subscriber, at) id_subscriber, at as unsubscribed_at, origin
      from unsubscription order by id_subscriber, at, id_sent) u on id_subscriber = fld0 and unsubscribed_at = left_at
  union all
  select coalesce(joined_at, left_at), 'unknown', 1 from archived
  union all
  select left_at, cause, 0 from archived) stored
group by 1, 2;

create trigger subscriber_added after insert on subscriber referencing new table as changed
  for each statement execute function facteur.count_added();
create trigger subscriber_removed after delete on subscriber referencing old table as changed
  for each statement execute function facteur.count_removed();
create trigger subscriber_joined after update of fld7, fld44 on subscriber
  for each row when (not (old.fld7 = 0 and old.fld44 in (0, 1)) and new.fld7 = 0 and new.fld44 in (0, 1))
  execute function facteur.add_turned('facteur.nb_joined');
create trigger subscriber_left after update of fld7, fld44 on subscriber
  for each row when (old.fld7 = 0 and old.fld44 in (0, 1) and not (new.fld7 = 0 and new.fld44 in (0, 1)))
  execute function facteur.add_turned('facteur.nb_left');
create trigger subscriber_turned after update of fld7, fld44 on subscriber
  for each statement execute function facteur.count_turned();

-- == activity

-- The sent messages of real jobs, and those that were not delivered, by the Paris day of their receipts. A task adds
-- receipts and reports that are not in it yet.
create table provider_day (
  day date not null,
  -- 0 means recipients whose domain belongs to no provider.
  id_provider int not null,
  nb_sent int not null default 0,
  nb_not_delivered int not null default 0,
  primary key (day, id_provider)
);
-- Periods have at most a year, so older ones stay as they are.
alter table receipt_range add is_counted boolean not null default true;
update receipt_range set is_counted = false where first_at > now() - interval '367 days';
alter table receipt_range alter is_counted set default false;
create index receipt_range_uncounted on receipt_range (id_sent) where not is_counted;
alter table bounce add is_counted boolean not null default true;
update bounce set is_counted = false where at > now() - interval '367 days';
alter table bounce alter is_counted set default false;
-- Hard, soft, DNS and spam bounces.
create index bounce_uncounted on bounce (id) where not is_counted and class in (1, 2, 4, 5);

-- == campaigns

-- One row while the site has sample data: the records that were created with it.
create table sample_data (
  is_only boolean primary key default true check (is_only),
  created_at timestamptz not null,
  id_target int not null,
  id_campaign int not null,
  ids_subscriber int[] not null
);

-- == sending

create view known_job as
select id, id_campaign, state not in ('Stopped', 'Finished', 'FinishedWithErrors', 'Error') as is_open
from job;

-- == imports

create view known_import as
select id, filename
from import;
