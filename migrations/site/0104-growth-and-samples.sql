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
-- A person who came back in between counts once. Only a cause that is stored is named.
insert into growth (day, cause, nb_joined, nb_left, is_sum)
select (at at time zone 'Europe/Paris')::date, cause, sum(joined), sum(1 - joined), true
from (
  select fld2 as at, 'unknown' as cause, 1 as joined
  from subscriber
  where fld2 is not null
  union all
  select left_at, case when fld44 in (2, 3) and left_at = fld45 then case fld44 when 2 then 'bounce' else 'complaint' end
      else coalesce((select origin from unsubscription u where u.id_subscriber = s.fld0 and u.at = left_at limit 1),
        'unknown') end, 0
  from (
    select *, least(case when fld7 = 1 then fld4 end, case when fld44 in (2, 3) then fld45 end) as left_at
    from subscriber) s
  where left_at is not null
  union all
  select (fields ->> '2')::timestamp at time zone 'UTC', 'unknown', 1
  from archived_subscriber
  where fields ? '2'
  union all
  select case when fields ->> '7' = '1' and fields ? '4' then (fields ->> '4')::timestamp at time zone 'UTC'
      else archived_at end,
    case when fields ->> '7' = '1' then 'unknown' else 'deleted' end, 0
  from archived_subscriber) stored
group by 1, 2;

create trigger subscriber_added after insert on subscriber referencing new table as changed
  for each statement execute function facteur.count_added();
create trigger subscriber_removed after delete on subscriber referencing old table as changed
  for each statement execute function facteur.count_removed();
create trigger subscriber_turned after update of fld7, fld44 on subscriber
  for each row when ((old.fld7 = 0 and old.fld44 in (0, 1)) is distinct from (new.fld7 = 0 and new.fld44 in (0, 1)))
  execute function facteur.count_turned();

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
alter table receipt_range add is_counted boolean not null default false;
create index receipt_range_uncounted on receipt_range (id_sent) where not is_counted;
alter table bounce add is_counted boolean not null default false;
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
